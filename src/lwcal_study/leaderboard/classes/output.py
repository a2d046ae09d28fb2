"""Write scores, tables and the page of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from lwcal_study.files import write_csv, write_json, write_text
from lwcal_study.leaderboard.classes.losses import by_cell, gap_closed_by
from lwcal_study.leaderboard.classes.report import BREAKDOWNS, page
from lwcal_study.leaderboard.classes.tables import clean_table, noisy_table
from lwcal_study.leaderboard.provenance import ENVIRONMENT
from lwcal_study.leaderboard.rankings import failures
from lwcal_study.leaderboard.scores_file import SCORES, write_scores

PAGE = "many-classes.md"


def write_all(frame: pd.DataFrame, run: dict[str, Any], out: Path) -> None:
    """Write every file of the results."""
    write_scores(frame, out / SCORES)
    for suite in frame["suite"].unique():
        cells = frame[frame["suite"] == suite]
        table = clean_table(cells) if suite == "classes-clean" else noisy_table(cells)
        write_csv(table, out / "tables" / f"summary_{suite}.csv", index=True)
        if suite == "classes":
            losses = by_cell(cells, "nll")
            for coordinate in (*BREAKDOWNS, "task"):
                by_value = gap_closed_by(losses, coordinate)
                write_csv(by_value, out / "tables" / f"gap_by_{coordinate}.csv", index=True)
    write_csv(failures(frame), out / "tables" / "failures.csv")
    write_json(run, out / ENVIRONMENT)
    write_text(page(frame, run), out / PAGE)
