"""The sentences of the leaderboard's page."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from lwcal_study.leaderboard.methods import RAW, Method
from lwcal_study.leaderboard.rankings import Board
from lwcal_study.real.task import RealTask

LEAST_TASKS = 5
"""With fewer tasks, no interval is stated."""

HOW_TO_READ = (
    "Each table is split into training rows (50%), calibration rows (25%) and test rows (25%). A "
    "model is trained on noisy labels. Every method is fitted to the scores and noisy labels of "
    "the calibration rows. Its probabilities are tested on the trusted labels of the test rows.",
    "Log loss is the negative log-likelihood. Probabilities are clipped at 1e-6, so one confident "
    "error costs at most 13.8.",
    "*Relative log loss* is the mean log loss of a method divided by the mean log loss of the raw "
    "score. Below 1 the method helps, above 1 it harms. The interval is a paired bootstrap with "
    "2,000 resamples of whole tasks, because the cells of one task are not independent.",
    "Every task has the same weight, whatever its size and number of seeds.",
    "*Rank* is the mean rank by log loss within each cell. *AUC* is the change from the raw score. "
    "*Worst task* is the highest relative log loss on a single task.",
    "A method *fails* on a cell if it raises an error, does not converge, or does not return "
    "probabilities. Failures are counted; the raw score takes their place.",
    "Methods in italics see clean calibration labels. *Audited* sees the stated number of clean "
    "labels, on rows that `plan_audit` picked, and the noisy labels of the other rows: this is "
    "what checking so many labels gives. The methods *on clean labels* see all clean labels. "
    "Nobody has these in practice; they show what perfect labels would give.",
)
ABOUT_TARGETS = (
    "These targets were set before the calibrators were built. They are ratios of means over the "
    "cells of the judged tasks and of the paper's tasks. The *remaining gap* compares log loss, "
    "summed over tasks: it is 1 for the raw score and 0 for Platt scaling on clean labels."
)
ABOUT_VERDICTS = (
    "What `diagnose` says after 25 checked labels, against the log loss of `Audited` on test rows. "
    "Among the targets, a verdict that asks for more checks counts as wrong where `Audited` gains. "
    "It costs the checks, and what is gained only after them; a deployment that harms costs more."
)
LIMITS = (
    "The tasks of the health survey (names that begin with nhanes) share the same respondents. "
    "The suite of natural noise therefore has less independent evidence than its number of tasks "
    "suggests, and its intervals are too narrow.",
    "Trusted labels are better than noisy labels, but not perfect: measurements have errors too.",
    "A checksum of its name decides whether a task is judged or for development, not any result. "
    "Methods may be tuned on development tasks and on the paper's tasks. The judged tasks are the "
    "test.",
    "The best method of a board was picked after all results were known. Its interval does not "
    "correct for that.",
    "Three of the four kinds of injected noise depend on the class only, exactly as methods that "
    "estimate flip rates assume. Instance-dependent and natural noise are harder tests for them.",
    "The paper has only nine tasks, all small. Intervals for them rest on nine values.",
)


def headline(board: Board, table: pd.DataFrame) -> str:
    """The best method of a board, with its interval if there are enough tasks."""
    fair = table[~table["oracle"]]
    best, row = fair.index[0], fair.iloc[0]
    if best == RAW:
        return f"{board.title}: no method has a lower mean log loss than the raw score."
    ratio = f"{row['nll_ratio']:.3f} times that of raw"
    leads = f"{board.title}: {best} has the lowest mean log loss, {ratio}"
    if board.frame["task"].nunique() < LEAST_TASKS:
        return f"{leads}. There are too few tasks for an interval."
    interval = f"95% interval {row['lower']:.3f} to {row['upper']:.3f}"
    return f"{leads} ({interval}).{_harmful(fair)}"


def _harmful(fair: pd.DataFrame) -> str:
    names = [str(name) for name in fair.index[fair["lower"] > 1]]
    return f" Worse than raw, with the whole interval above 1: {', '.join(names)}." if names else ""


def counted(board: Board) -> str:
    """Number of tasks and cells."""
    tasks = board.frame["task"].nunique()
    cells = len(board.frame) // board.frame["contender"].nunique()
    return f"{tasks} tasks, {cells:,} cells."


def provenance(run: dict[str, Any]) -> str:
    """Date, command, machine and versions of a run."""
    packages = ", ".join(f"{name} {version}" for name, version in run["packages"].items())
    return (
        f"`{run['command']}` ran on {run['date']} ({run['cells']:,} cells). Machine: "
        f"{run['machine']}. Versions: Python {run['python']}, {packages}."
    )


def method_notes(methods: dict[str, Method], shown: list[str]) -> list[list[str]]:
    """Name, source and note of each method on the board."""
    known = [methods[name] for name in shown if name in methods]
    return [
        [m.name, m.source, m.note or ("fitted to clean labels" if m.oracle else "")] for m in known
    ]


def task_notes(tasks: dict[str, RealTask], shown: set[str]) -> list[list[str]]:
    """Name, package, domain, labels, part and note of each real task on the board."""
    return [
        [task.name, task.package, task.domain, task.sort, task.part, task.note]
        for task in tasks.values()
        if task.name in shown
    ]


def counted_tasks(tasks: dict[str, RealTask]) -> str:
    """Number of tasks by their labels and part.

    >>> from lwcal_study.real.tasks import REAL_TASKS
    >>> counted_tasks(REAL_TASKS)
    'clean: 29 judged and 28 development; natural: 9 judged and 8 development'
    """
    number = Counter((task.sort, task.part) for task in tasks.values())
    return "; ".join(
        f"{sort}: {number[sort, 'judged']} judged and {number[sort, 'development']} development"
        for sort in ("clean", "natural")
    )
