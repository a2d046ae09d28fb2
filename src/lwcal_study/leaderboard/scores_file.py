"""Collect stored cells into one tidy table, and read and write it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from lwcal_study.cell_store import CellStore
from lwcal_study.files import replacing
from lwcal_study.leaderboard.grid import suite_cells

SCORES = "scores.parquet"
_TEXTS = ("suite", "part", "task", "learner", "kind", "strength", "contender", "failure", "verdict")


def collect(
    store: CellStore, suites: Iterable[str], *, quick: bool, metrics: Iterable[str]
) -> pd.DataFrame:
    """One row per cell and method, in the order of the grid."""
    rows = []
    for suite in suites:
        for cell in suite_cells(suite, quick=quick):
            stored = store.load(cell)
            results = stored.pop("results")
            cell_columns = {"suite": suite, **stored.pop("cell"), **stored}
            rows += [{**cell_columns, **result} for result in results]
    # the precision of the file: tables are the same before writing and after reading
    return pd.DataFrame(rows).astype(dict.fromkeys(metrics, "float32"))


def write_scores(frame: pd.DataFrame, path: Path) -> None:
    """Write the table. Repeated texts are stored once."""
    with replacing(path) as temporary:
        compact = frame.astype(dict.fromkeys(_texts(frame), "category"))
        compact.to_parquet(temporary, index=False, compression="zstd")


def read_scores(path: Path) -> pd.DataFrame:
    """Read the table that :func:`write_scores` wrote."""
    frame = pd.read_parquet(path)
    if "verdict" not in frame:  # many classes have none, and runs before version 0.2 had none
        frame["verdict"] = ""
    return frame.astype(dict.fromkeys(_texts(frame), "object"))


def _texts(frame: pd.DataFrame) -> list[str]:
    return [name for name in _TEXTS if name in frame]
