"""The page of the leaderboard of several opinions, in Markdown."""

from __future__ import annotations

from math import isnan
from typing import Any

import pandas as pd

from lwcal_study.leaderboard import explanations
from lwcal_study.leaderboard.grid import OPINION_KINDS
from lwcal_study.leaderboard.opinions.aims import aim_rows
from lwcal_study.leaderboard.opinions.figures import PICTURE
from lwcal_study.leaderboard.opinions.hours import (
    EXPERT,
    EXPERT_MINUTES,
    REVIEWER_MINUTES,
    opinions_worth,
    work,
)
from lwcal_study.leaderboard.opinions.losses import MANY, TWO, cells_of
from lwcal_study.leaderboard.opinions.methods import (
    CROWD_KIT,
    THRICE,
    TWICE,
    opinion_methods,
)
from lwcal_study.leaderboard.opinions.tables import (
    consensus_table,
    gap_table,
    lost_cells,
    people_table,
    reviewer_table,
)
from lwcal_study.leaderboard.rankings import failures
from lwcal_study.markdown import bullets, methods_table, pipe_table
from lwcal_study.opinions.cells import INDEPENDENT, RATED_TASKS

HOW_TO_READ = (
    "A model is trained on half of the rows, each with the label of one reviewer drawn by chance. "
    "Methods are fitted to a quarter of the rows, the calibration rows, at most 1,000. They are "
    "tested on the trusted labels of the last quarter.",
    "*Gap closed* is the sum over cells of (Auto on one label - method), divided by the sum of "
    "(Auto on one label - scaling on clean labels), in log loss. Scaling is Platt's for two "
    "classes, and matrix scaling for more. The interval is a bootstrap with 2,000 resamples of "
    "whole tasks.",
    "*Log loss* is that of `lwcal.metrics.class_nll`, with probabilities moved into [1e-6, "
    "1 - 1e-6].",
    "Simulated reviewers: three, each wrong on 10 to 30% of the rows of a true class, by a rate "
    "drawn for each reviewer and class. Wrong labels go to other classes in shares drawn from a "
    "flat Dirichlet distribution. On *hard rows*, a fifth of all, everybody is wrong half of the "
    "time.",
    "Who is asked about a row, and in which order, is drawn by chance. A second opinion and an "
    "expert are asked about the same rows, also drawn by chance.",
    "*Majority vote*: the first label decides if all differ, so of two labels it is the first. In "
    "its probabilities, one more vote is shared by all classes; otherwise a wrong unanimous row "
    "would cost 13.8.",
    "*Coverage*: how often the 90% interval of a reviewer's error rate contains the true rate. "
    "*Warnings*: data sets whose summary warns that reviewers may err together.",
    "*Fit* is the mean processor time of a fit in seconds, on one thread, with the consensus.",
    "A method *fails* on a cell if it raises an error, does not converge, or does not return "
    "probabilities. Failures are counted; the raw scores take their place.",
    "Methods in italics see what nobody has: all clean labels, or the true matrices.",
    "Every aim was set before the run, and stays where it is missed.",
)


def page(frame: pd.DataFrame, run: dict[str, Any], figures: str) -> str:
    """The page of a run."""
    return f"# Several opinions\n\n{results(frame, run, figures)}\n"


def results(frame: pd.DataFrame, run: dict[str, Any], figures: str) -> str:
    """The sections of a run, to be put below a title.

    Parameters
    ----------
    frame : DataFrame
    run : dict
        Date, command, machine and versions.
    figures : str
        Address of the folder with the picture, relative to the page.
    """
    parts = ["## Results", explanations.provenance(run)]
    if run["quick"]:
        parts.append(
            "QUICK RUN with few tasks and small forests. It only tests the program: do not cite."
        )
    parts += ["### Aims", _aims(frame), "### How to read the tables", bullets(HOW_TO_READ)]
    parts += [*_simulated(frame), *_hours(frame, figures), *_reviewers(frame), *_people(frame)]
    return "\n\n".join([*parts, *_consensus(frame), *_losses(frame), *_appendix(frame)])


def _aims(frame: pd.DataFrame) -> str:
    return pipe_table(["reviewers", "quantity", "aim", "measured", ""], aim_rows(frame))


def _simulated(frame: pd.DataFrame) -> list[str]:
    parts = ["### Simulated reviewers, independent errors"]
    for classes in (TWO, MANY):
        cells = cells_of(frame, OPINION_KINDS[INDEPENDENT][0], classes)
        if len(cells):
            tasks, number = cells["task"].nunique(), cells.groupby(["task", "learner"]).ngroups
            counted = f"{tasks} tasks, {number} cells."
            parts += [f"#### {classes.capitalize()}", counted, _shown(gap_table(cells))]
    return parts


def _hours(frame: pd.DataFrame, figures: str) -> list[str]:
    cells = cells_of(frame, OPINION_KINDS[INDEPENDENT][0], TWO)
    if cells.empty:
        return []
    lines = work(cells)
    worth = [
        f"One label that an expert checks is worth {_worth(opinions_worth(lines, name))} "
        f"({row['labels']:.0f} checked)."
        for name, row in lines[lines["asked"] == EXPERT].iterrows()
    ]
    return [
        "### A second opinion or an expert",
        f"Two classes, independent errors. Assumed: {REVIEWER_MINUTES:g} minute for a label of a "
        f"reviewer, {EXPERT_MINUTES:g} minutes for one that an expert checks. The expert is always "
        "right. With other minutes, the curves move to the left or right; the labels beside the "
        "points stay.",
        f"![Share of the gap closed against hours of work]({figures}/{PICTURE})",
        _shown(lines.drop(columns="asked").round({"labels": 0}).astype({"labels": int})),
        bullets(worth),
        "A second opinion is the better use of time if an expert takes more minutes for a label "
        "than a reviewer takes for so many.",
    ]


def _worth(opinions: float) -> str:
    if isnan(opinions):
        return "more second opinions than were asked"
    return f"{opinions:.1f} second opinions"


def _reviewers(frame: pd.DataFrame) -> list[str]:
    return ["### Estimates of reviewers", _shown(reviewer_table(frame))]


def _people(frame: pd.DataFrame) -> list[str]:
    table = people_table(frame)
    missing = [task.name for task in RATED_TASKS.values() if task.name not in table.index]
    notes = [[t.name, t.package, t.part, t.note] for t in RATED_TASKS.values()]
    left_out = [f"Not run: {', '.join(missing)}."] if missing else []
    return [
        "### Real people: log loss",
        "Three people drawn for each row are its reviewers, without names. Means over learners "
        "and splits.",
        _shown(table),
        *left_out,
        pipe_table(["task", "package", "part", "labels"], notes),
    ]


def _consensus(frame: pd.DataFrame) -> list[str]:
    parts = [
        "### Consensus labels",
        "Of the calibration rows, against their trusted labels. Nodules are left out: their "
        "trusted labels contain the opinions.",
    ]
    for asked in (TWICE, THRICE):
        parts += [f"#### {asked.title.capitalize()}", _shown(consensus_table(frame, asked))]
    return parts


def _losses(frame: pd.DataFrame) -> list[str]:
    about = "Cells in which `Reviewed` has a higher log loss on test rows than a rival."
    return ["### Where Reviewed loses", about, _shown(lost_cells(frame))]


def _shown(table: pd.DataFrame) -> str:
    oracles = {name for name, method in opinion_methods().items() if method.oracle}
    return methods_table(table, oracles, missing="")


def _appendix(frame: pd.DataFrame) -> list[str]:
    rows = [[str(value) for value in row] for row in failures(frame).itertuples(index=False)]
    names = dict.fromkeys(frame["contender"])
    methods = [m for m in opinion_methods().values() if m.name in names]
    notes = [[m.name, m.source, m.note] for m in methods]
    is_run = any(method.source == CROWD_KIT for method in methods)
    left_out = [] if is_run else [f"Dawid-Skene was not run: {CROWD_KIT} was not installed."]
    return [
        "### Failures",
        pipe_table(["method", "reason", "cells"], rows) if rows else "None.",
        "### Methods",
        pipe_table(["", "package", ""], notes),
        *left_out,
    ]
