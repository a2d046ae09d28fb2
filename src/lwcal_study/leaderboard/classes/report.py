"""The page of the leaderboard of many classes, in Markdown."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lwcal_study.leaderboard import explanations
from lwcal_study.leaderboard.classes.aims import aim_rows
from lwcal_study.leaderboard.classes.losses import by_cell, gap_closed_by, gaps_of_tasks
from lwcal_study.leaderboard.classes.methods import class_methods
from lwcal_study.leaderboard.classes.tables import BY_TASK, clean_table, noisy_table
from lwcal_study.leaderboard.grid import CLASS_SUITES
from lwcal_study.leaderboard.rankings import Board, failures
from lwcal_study.markdown import bullets, methods_table, pipe_table

HOW_TO_READ = (
    "A model is trained on the labels of half of the rows. Every method is fitted to the "
    "probabilities and labels of a quarter of the rows, the calibration rows. It is tested on the "
    "trusted labels of the last quarter.",
    "*Log loss* is that of `lwcal.metrics.class_nll`: probabilities are first moved into [1e-6, "
    "1 - 1e-6]. A forest gives exact zeros, so one row of a class that it excludes costs 13.8. "
    "Without a clip the raw score would lose infinitely much, and every gap would look closed.",
    "*Gap closed* is the sum over cells of (raw - method), divided by the sum of (raw - matrix "
    "scaling on clean labels). It is 0 for the raw score and 1 for perfect calibration labels. "
    "It is negative if a method does harm. Cells with a large gap count more, and forests have "
    "the largest, so the table by learner is worth a look. The interval is a bootstrap with 2,000 "
    "resamples of whole tasks.",
    "*Best scaling* is the best of temperature, vector and matrix scaling on the same clean "
    "labels, chosen for each cell by the test rows. Nobody can choose so well, so 1 is a hard aim. "
    "The mean is that of the ratios of cells, so a task with few rows and almost no loss counts "
    "much. *Of sums* divides the sums over cells instead.",
    "*Top-label ECE* is the calibration error of the most probable class, with 15 bins. *Mean "
    "class ECE* is the mean over classes of the error of each class against the rest. *ECE to one "
    "against the rest* divides the mean top-label ECE by that of Auto for each class.",
    "*One against the rest*: each column has a calibrator of two classes, and rows are divided by "
    "their sums.",
    "*Fit* is the mean processor time of a fit in seconds, on one thread.",
    "A method *fails* on a cell if it raises an error, does not converge, or does not return "
    "probabilities. Failures are counted; the raw scores take their place.",
    "Methods in italics see clean calibration labels. Nobody has these in practice.",
    "Every aim was set before the run, and stays where it is missed.",
)
BREAKDOWNS = {
    "kind": "Gap closed by kind of noise",
    "strength": "Gap closed by strength of the noise",
    "learner": "Gap closed by learner",
}


def page(frame: pd.DataFrame, run: dict[str, Any]) -> str:
    """The page of a run."""
    return f"# Many classes\n\n{results(frame, run)}\n"


def results(frame: pd.DataFrame, run: dict[str, Any]) -> str:
    """The sections of a run, to be put below a title."""
    parts = ["## Results", explanations.provenance(run)]
    if run["quick"]:
        parts.append(
            "QUICK RUN with few tasks and small forests. It only tests the program: do not cite."
        )
    parts += ["### Aims", _aims(frame)]
    parts += ["### How to read the tables", bullets(HOW_TO_READ)]
    for suite, (title, about) in CLASS_SUITES.items():
        cells = frame[frame["suite"] == suite]
        if len(cells):
            parts += [f"### {title}", f"{about} {_counted(suite, cells)}", *_suite(suite, cells)]
    return "\n\n".join([*parts, *_appendix(frame)])


def _aims(frame: pd.DataFrame) -> str:
    header = ["labels", "method", "quantity", "aim", "measured", ""]
    return pipe_table(header, aim_rows(frame))


def _counted(suite: str, cells: pd.DataFrame) -> str:
    return explanations.counted(Board(suite, "judged", cells))


def _suite(suite: str, cells: pd.DataFrame) -> list[str]:
    if suite == "classes-clean":
        return [_shown(clean_table(cells))]
    losses = by_cell(cells, "nll")
    parts = [_shown(noisy_table(cells))]
    if suite == "classes":
        for coordinate, title in BREAKDOWNS.items():
            parts += [f"#### {title}", _shown(gap_closed_by(losses, coordinate))]
    by_task = gap_closed_by(losses, "task").T[list(BY_TASK)]
    by_task.insert(0, "gap in log loss", gaps_of_tasks(losses))
    return [*parts, "#### Gap closed by task", _shown(by_task)]


def _shown(table: pd.DataFrame) -> str:
    oracles = {name for name, method in class_methods().items() if method.oracle}
    return methods_table(table, oracles, missing="no gap")


def _appendix(frame: pd.DataFrame) -> list[str]:
    rows = [[str(value) for value in row] for row in failures(frame).itertuples(index=False)]
    names = list(dict.fromkeys(frame["contender"]))
    return [
        "### Failures",
        pipe_table(["method", "reason", "cells"], rows) if rows else "None.",
        "### Methods",
        pipe_table(["", "package", ""], explanations.method_notes(class_methods(), names)),
    ]
