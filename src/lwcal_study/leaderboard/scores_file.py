"""Collect stored cells into one tidy table, and read and write it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from lwcal_study.cell_store import CellStore
from lwcal_study.files import replacing
from lwcal_study.leaderboard.grid import suite_cells
from lwcal_study.leaderboard.run import METRICS

SCORES = "scores.parquet"
_TEXTS = ("suite", "part", "task", "learner", "kind", "strength", "contender", "failure", "verdict")


def collect(store: CellStore, suites: Iterable[str], *, quick: bool) -> pd.DataFrame:
    """One row per cell and method, in the order of the grid."""
    rows = []
    for suite in suites:
        for cell in suite_cells(suite, quick=quick):
            stored = store.load(cell)
            cell_columns = {"suite": suite, **stored["cell"]}
            cell_columns["n_calibration"] = stored["n_calibration"]
            rows += [{**cell_columns, **result} for result in stored["results"]]
    # the precision of the file: tables are the same before writing and after reading
    return pd.DataFrame(rows).astype(dict.fromkeys(METRICS, "float32"))


def write_scores(frame: pd.DataFrame, path: Path) -> None:
    """Write the table. Repeated texts are stored once."""
    with replacing(path) as temporary:
        compact = frame.astype(dict.fromkeys(_TEXTS, "category"))
        compact.to_parquet(temporary, index=False, compression="zstd")


def read_scores(path: Path) -> pd.DataFrame:
    """Read the table that :func:`write_scores` wrote."""
    frame = pd.read_parquet(path)
    if "verdict" not in frame:  # runs before version 0.2 recorded none
        frame["verdict"] = ""
    return frame.astype(dict.fromkeys(_TEXTS, "object"))
