"""From stored cells to one tidy table, to a file, and back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from lwcal.files import replacing
from lwcal_study.leaderboard.grid import suite_cells
from lwcal_study.leaderboard.run import METRICS
from lwcal_study.store import CellStore

SCORES = "scores.parquet"
_TEXTS = ("suite", "part", "task", "learner", "kind", "strength", "contender", "failure")


def collect(store: CellStore, suites: Iterable[str], *, quick: bool) -> pd.DataFrame:
    """One row a cell and contender, in the order of the grid."""
    rows = []
    for suite in suites:
        for cell in suite_cells(suite, quick=quick):
            stored = store.load(cell)
            where = {"suite": suite, **stored["cell"], "n_calibration": stored["n_calibration"]}
            rows += [{**where, **result} for result in stored["results"]]
    # as in the file, so that tables do not depend on whether the scores were just measured
    return pd.DataFrame(rows).astype(dict.fromkeys(METRICS, "float32"))


def write_scores(frame: pd.DataFrame, path: Path) -> None:
    """Write the table; texts repeat, so they are stored once."""
    with replacing(path, overwrite=True) as temporary:
        compact = frame.astype(dict.fromkeys(_TEXTS, "category"))
        compact.to_parquet(temporary, index=False, compression="zstd")


def read_scores(path: Path) -> pd.DataFrame:
    """Read what :func:`write_scores` wrote."""
    return pd.read_parquet(path).astype(dict.fromkeys(_TEXTS, "object"))
