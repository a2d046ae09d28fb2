"""The cells of the trap suite."""

from __future__ import annotations

from itertools import product

from lwcal_study.real.packages import data_folder
from lwcal_study.real.task import Part
from lwcal_study.real.tasks import tasks_of
from lwcal_study.traps.cells import NOISES, TrapCell
from lwcal_study.traps.learners import LEARNERS

QUICK_TASKS = ("wool_recid", "wool_bwght_smoker")
QUICK_LEARNERS = ("Logistic regression, one feature", "Naive Bayes", "Stump")
PARTS: tuple[Part, ...] = ("development", "judged")


def trap_cells(parts: tuple[Part, ...] = PARTS, *, quick: bool = False) -> list[TrapCell]:
    """Cells of the suite, grouped by task: every task with clean labels, learner and noise.

    A task with too few rows for every size gives no result.

    >>> len(trap_cells(quick=True))
    18
    """
    tasks = [task for part in parts for task in tasks_of("clean", part)]
    learners = tuple(LEARNERS)
    if quick:
        tasks = [task for task in tasks if task.name in QUICK_TASKS]
        learners = QUICK_LEARNERS
    for task in tasks:
        data_folder(task.package)  # raises an error for a missing package before any work is done
    return [TrapCell(task.name, *rest) for task in tasks for rest in product(learners, NOISES)]
