"""Write scores, tables, the picture and the page of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from lwcal_study.files import write_csv, write_json, write_text
from lwcal_study.leaderboard.grid import OPINION_KINDS
from lwcal_study.leaderboard.opinions import figures
from lwcal_study.leaderboard.opinions.hours import work
from lwcal_study.leaderboard.opinions.losses import MANY, TWO, cells_of
from lwcal_study.leaderboard.opinions.methods import THRICE, TWICE
from lwcal_study.leaderboard.opinions.report import page
from lwcal_study.leaderboard.opinions.tables import (
    consensus_table,
    gap_table,
    lost_cells,
    people_table,
    reviewer_table,
)
from lwcal_study.leaderboard.provenance import ENVIRONMENT
from lwcal_study.leaderboard.rankings import failures
from lwcal_study.leaderboard.scores_file import SCORES, write_scores
from lwcal_study.opinions.cells import INDEPENDENT

PAGE = "several-opinions.md"
FIGURES = "figures"


def write_all(frame: pd.DataFrame, run: dict[str, Any], out: Path) -> None:
    """Write every file of the results."""
    write_scores(frame, out / SCORES)
    for name, table in _tables(frame).items():
        write_csv(table, out / "tables" / f"{name}.csv", index=True)
    write_csv(failures(frame), out / "tables" / "failures.csv")
    figures.draw(work(_independent(frame, TWO)), out / FIGURES)
    write_json(run, out / ENVIRONMENT)
    write_text(page(frame, run, FIGURES), out / PAGE)


def _tables(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {
        "gap_two_classes": gap_table(_independent(frame, TWO)),
        "gap_many_classes": gap_table(_independent(frame, MANY)),
        "hours": work(_independent(frame, TWO)),
        "reviewers": reviewer_table(frame),
        "people": people_table(frame),
        "consensus_twice": consensus_table(frame, TWICE),
        "consensus_three_times": consensus_table(frame, THRICE),
        "lost_cells": lost_cells(frame),
    }


def _independent(frame: pd.DataFrame, classes: str) -> pd.DataFrame:
    return cells_of(frame, OPINION_KINDS[INDEPENDENT][0], classes)
