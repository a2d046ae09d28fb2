"""What the leaderboard says in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from lwcal_study.contenders import RAW, Contender
from lwcal_study.leaderboard.tables import Board
from lwcal_study.real.task import RealTask

LEAST_TASKS = 5
"""Fewer say too little about other tasks for an interval to be quoted."""

HOW = (
    "A model is trained on noisy labels, every contender is fitted to the model's scores and the "
    "noisy labels of other rows, and its probabilities are tested on the trusted labels of a third "
    "group of rows (50%, 25% and 25% of the table).",
    "The loss is NLL, the negative log-likelihood, with probabilities clipped at 1e-6, so that "
    "a confident mistake costs up to 13.8. *NLL to raw* is a contender's mean NLL divided by that "
    "of the untouched scores: below 1 it helps, above 1 it harms. Its interval is a paired "
    "bootstrap of 2,000 resamples over whole tasks, since the cells of one task are not "
    "independent.",
    "Every task counts the same, whatever its size and number of seeds.",
    "*Rank* is the mean place by NLL within each cell. *AUC* is the change against the raw score. "
    "*Worst task* is the highest NLL to raw on any one task.",
    "A contender that raises an error, does not converge, or returns anything but probabilities "
    "*fails* on that cell; it is counted, and scored there as the raw score.",
    "Contenders in italics are given clean calibration labels. *Audited* is given the number "
    "that it names, of rows that `plan_audit` picked, and the noisy labels of the others: what "
    "somebody who checks so many labels gets. Those on clean labels are given all of them, which "
    "nobody has: they show what could be reached.",
)
AIMED = (
    "Set before the calibrators were built. Ratios of means over cells, on judged tasks and the "
    "paper's. *Left open* is the part of the gap between the raw score and Platt on clean labels, "
    "in NLL summed over tasks, that an audit does not close."
)
LIMITS = (
    "The tasks of the health survey (their names begin with nhanes) are about the same "
    "respondents, so that the suite of natural noise holds less independent evidence than its "
    "number of tasks suggests, and its intervals are too narrow.",
    "Trusted labels are better, not perfect: a measurement has errors of its own.",
    "Tasks were divided into judged and development ones by a checksum of their names, not by any "
    "result. Methods may have been tuned on development tasks and on the paper's; the judged ones "
    "are the test.",
    "The leader of a board was found by looking at all contenders, and its interval does not "
    "allow for that.",
    "Three of the four injected kinds of noise flip by class alone, which is just what methods "
    "that estimate flip rates assume; the instance-dependent and the natural noise are the harder "
    "tests of these.",
    "The paper's tasks are small and few, so their intervals rest on nine tasks.",
)


def headline(board: Board, table: pd.DataFrame) -> str:
    """Say who leads a board, and whether that is more than chance."""
    fair = table[~table["oracle"]]
    best, row = fair.index[0], fair.iloc[0]
    if best == RAW:
        return f"{board.title}: no contender has a lower mean NLL than the raw score."
    leads = f"{board.title}: {best} has the lowest mean NLL, {row['nll_ratio']:.3f} of raw"
    if board.frame["task"].nunique() < LEAST_TASKS:
        return f"{leads}; the tasks are too few for an interval."
    surely = "below 1" if row["upper"] < 1 else "which includes 1"
    harm = [str(n) for n in fair.index[fair["lower"] > 1]]
    harmed = f" Worse than raw, with intervals above 1: {', '.join(harm)}." if harm else ""
    return f"{leads} ({row['lower']:.3f} to {row['upper']:.3f}, {surely}).{harmed}"


def counted(board: Board) -> str:
    """Number of tasks and cells."""
    tasks = board.frame["task"].nunique()
    cells = len(board.frame) // board.frame["contender"].nunique()
    return f"{tasks} tasks, {cells:,} cells."


def provenance(run: dict[str, Any]) -> str:
    """When, where and how."""
    packages = ", ".join(f"{name} {version}" for name, version in run["packages"].items())
    return (
        f"Run on {run['date']} with `{run['command']}` ({run['cells']:,} cells) on "
        f"{run['machine']}; Python {run['python']}, {packages}."
    )


def contender_notes(contenders: dict[str, Contender], shown: list[str]) -> list[list[str]]:
    """Name, source and note of each contender on the board."""
    known = [contenders[name] for name in shown if name in contenders]
    return [
        [c.name, c.source, c.note or ("fitted to clean labels" if c.oracle else "")] for c in known
    ]


def task_notes(tasks: dict[str, RealTask], shown: set[str]) -> list[list[str]]:
    """Name, package, domain, sort, part and note of each real task on the board."""
    return [
        [task.name, task.package, task.domain, task.sort, task.part, task.note]
        for task in tasks.values()
        if task.name in shown
    ]


def counted_tasks(tasks: dict[str, RealTask]) -> str:
    """How many tasks of each sort and part there are.

    >>> from lwcal_study.real.tasks import REAL_TASKS
    >>> counted_tasks(REAL_TASKS)
    'clean: 29 judged and 28 development; natural: 9 judged and 8 development'
    """
    number = Counter((task.sort, task.part) for task in tasks.values())
    return "; ".join(
        f"{sort}: {number[sort, 'judged']} judged and {number[sort, 'development']} development"
        for sort in ("clean", "natural")
    )
