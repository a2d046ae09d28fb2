"""The cells of each suite of the leaderboard."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple, TypeAlias

from lwcal.errors import ParameterError
from lwcal_study.classes import cells as class_cells
from lwcal_study.classes.cells import ClassCell
from lwcal_study.classes.noise import CLASS_NOISES, SUITE_NOISES
from lwcal_study.classes.tasks import CLASS_TASKS, class_tasks_of
from lwcal_study.opinions import cells as opinion_cells
from lwcal_study.opinions.cells import (
    HARD,
    INDEPENDENT,
    RATERS,
    OpinionCell,
    package_of,
    rated_tasks,
    simulated_tasks,
)
from lwcal_study.paper.cells import TREES, Cell
from lwcal_study.paper.grid import QUICK_TREES, main_cells
from lwcal_study.real.cells import LEARNERS, MOST_ROWS, RealCell
from lwcal_study.real.noise import NATURAL, NOISES
from lwcal_study.real.packages import data_folder
from lwcal_study.real.task import RealTask, Sort, part_of
from lwcal_study.real.tasks import REAL_TASKS, task_size, tasks_of

AnyCell: TypeAlias = Cell | RealCell
"""A :class:`ClassCell` and an :class:`OpinionCell` are RealCells too."""

SMALL = 1000
"""Tasks with fewer rows are split twice, because one split is too random."""
NATURAL_SEEDS = 3
QUICK_TASKS = ("wool_mroz", "wool_affairs", "lego_hearts", "sm_anes96_vote", "vader_word_positive")
INJECTED = tuple(name for name in NOISES if name not in ("clean", NATURAL))
QUICK_CLASS_TASKS = ("sk_wine_grower", "dmba_soap_class", "nhanes_height_class")
QUICK_OPINION_TASKS = (
    *("wool_jtrain98", "wool_loanapp", "dmba_german_employment"),
    *("raters_word_positive", "raters_nodule_suspicious"),
)
QUICK_OPINION_LEARNER = LEARNERS[-1]
OPINION_KINDS = {
    INDEPENDENT: ("independent errors", "10 to 30%"),
    HARD: ("hard rows", "50% on a fifth"),
    RATERS: ("real people", "their own"),
}
"""Kind of reviewers of a cell, and how often they are wrong."""
QUICK_CLASS_NOISES = ("clean", "uniform-low", "similar-high", "instance-low", NATURAL)


class Suite(NamedTuple):
    """Cells that are reported together."""

    title: str
    about: str


SUITES: dict[str, Suite] = {
    "paper": Suite(
        "The paper's tasks, injected noise",
        "The noisy cells of the paper's study: random forests with symmetric and asymmetric noise.",
    ),
    "paper-clean": Suite(
        "The paper's tasks, clean labels",
        "The same tasks without noise. This shows whether a method does harm.",
    ),
    "real": Suite(
        "Real tasks, injected noise",
        "Real tables with three learners and four kinds of noise at two strengths.",
    ),
    "real-clean": Suite(
        "Real tasks, clean labels",
        "The same tasks without noise. This shows whether a method does harm.",
    ),
    "natural": Suite(
        "Real tasks, natural noise",
        "Real labels with real errors of people or instruments, tested on better measurements.",
    ),
}
"""Suites of two classes by their name on the command line."""

CLASS_SUITES: dict[str, Suite] = {
    "classes": Suite(
        "Many classes, injected noise",
        "Tables with 3 to 15 classes, three learners and five kinds of noise at two strengths.",
    ),
    "classes-clean": Suite(
        "Many classes, clean labels",
        "The same tasks without noise. This shows whether a method does harm.",
    ),
    "classes-natural": Suite(
        "Many classes, natural noise",
        "Real labels with real errors of people or instruments, tested on better measurements.",
    ),
}
"""Suites of many classes. They have other methods and measures, and a page of their own."""
OPINION_SUITES: dict[str, Suite] = {
    "opinions": Suite(
        "Several opinions",
        "Three reviewers a row: simulated ones on real tasks, and people who rated words and "
        "nodules.",
    ),
}
"""The suite of several opinions, with a page of its own."""
FAMILIES = {
    "of two classes": SUITES,
    "of many classes": CLASS_SUITES,
    "of several opinions": OPINION_SUITES,
}
"""Suites that can be run together."""
ALL_SUITES = SUITES | CLASS_SUITES | OPINION_SUITES


def chosen_suites(names: list[str] | None) -> list[str]:
    """Suites to run together, each once. By default, all suites of two classes.

    >>> chosen_suites(["classes", "classes"])
    ['classes']
    """
    chosen = list(dict.fromkeys(names or SUITES))
    if sum(not set(suites).isdisjoint(chosen) for suites in FAMILIES.values()) > 1:
        families = [f"{about} ({', '.join(suites)})" for about, suites in FAMILIES.items()]
        raise ParameterError(
            f"suites {', '.join(families[:-1])} and {families[-1]} have different pages; run them "
            "one after the other, with an --out for each"
        )
    return chosen


def suite_cells(name: str, *, quick: bool = False) -> list[AnyCell]:
    """Cells of a suite, grouped by task.

    >>> len(suite_cells("paper")), len(suite_cells("paper-clean"))
    (432, 54)
    >>> len(suite_cells("classes")), len(suite_cells("classes-clean"))
    (450, 45)
    """
    if name not in ALL_SUITES:
        raise ParameterError(f"unknown suite {name!r}; the suites are {', '.join(ALL_SUITES)}")
    if name.startswith("paper"):
        return _paper_cells(clean=name == "paper-clean", quick=quick)
    if name == "natural":
        return _real_cells("natural", (NATURAL,), quick=quick)
    if name in CLASS_SUITES:
        return _class_cells(name, quick=quick)
    if name in OPINION_SUITES:
        return _opinion_cells(quick=quick)
    return _real_cells("clean", ("clean",) if name == "real-clean" else INJECTED, quick=quick)


def _paper_cells(*, clean: bool, quick: bool) -> list[AnyCell]:
    cells = main_cells(quick=quick)
    if clean:  # without noise, both kinds are the same cell
        return [cell for cell in cells if cell.rate == 0 and cell.kind == "symmetric"]
    return [cell for cell in cells if cell.rate > 0]


def _real_cells(sort: Sort, noises: tuple[str, ...], *, quick: bool) -> list[AnyCell]:
    trees = QUICK_TREES if quick else TREES
    tasks = [task for task in tasks_of(sort) if not quick or task.name in QUICK_TASKS]
    for task in tasks:
        data_folder(task.package)  # raises an error for a missing package before any work is done
    return [
        RealCell(task.name, learner, noise, seed, MOST_ROWS, trees)
        for task in tasks
        for seed, learner, noise in product(_seeds(task, quick=quick), LEARNERS, noises)
    ]


def _class_cells(name: str, *, quick: bool) -> list[AnyCell]:
    """Judged tasks only. They are split once; the few natural ones three times."""
    natural, clean = name == "classes-natural", name == "classes-clean"
    tasks = class_tasks_of("natural" if natural else "clean", "judged")
    noises = [n for n in SUITE_NOISES if (n == NATURAL, n == "clean") == (natural, clean)]
    seeds, trees = range(NATURAL_SEEDS if natural else 1), TREES
    if quick:
        tasks = [task for task in tasks if task.name in QUICK_CLASS_TASKS]
        noises = [noise for noise in noises if noise in QUICK_CLASS_NOISES]
        seeds, trees = range(1), QUICK_TREES
    for task in tasks:
        data_folder(task.package)  # raises an error for a missing package before any work is done
    return [
        ClassCell(task.name, learner, noise, seed, class_cells.MOST_ROWS, trees)
        for task in tasks
        for seed, learner, noise in product(seeds, LEARNERS, noises)
    ]


def _opinion_cells(*, quick: bool) -> list[AnyCell]:
    """Simulated reviewers on judged tasks, which are split once, and real people, three times."""
    trees, learners = opinion_cells.TREES, list(LEARNERS)
    tasks: list[tuple[str, tuple[str, ...], int]]
    tasks = [(name, (INDEPENDENT, HARD), 1) for name in simulated_tasks()]
    tasks += [(task.name, (RATERS,), NATURAL_SEEDS) for task in rated_tasks()]
    if quick:
        trees, learners = QUICK_TREES, [QUICK_OPINION_LEARNER]
        tasks = [(name, kinds, 1) for name, kinds, _ in tasks if name in QUICK_OPINION_TASKS]
    for name, _, _ in tasks:
        data_folder(package_of(name))  # raises an error for a missing package, as above
    return [
        OpinionCell(name, learner, kind, seed, opinion_cells.MOST_ROWS, trees)
        for name, kinds, seeds in tasks
        for seed, learner, kind in product(range(seeds), learners, kinds)
    ]


def _seeds(task: RealTask, *, quick: bool) -> range:
    if quick:
        return range(1)
    if task.sort == "natural":
        return range(NATURAL_SEEDS)
    return range(2 if task_size(task.name) < SMALL else 1)


def coordinates(cell: AnyCell) -> dict[str, Any]:
    """Coordinates of a cell of either study, under common names.

    >>> coordinates(RealCell("wool_mroz", "Random Forest", "missed-low", 0))["kind"]
    'missed positives'
    >>> coordinates(ClassCell("sk_wine_grower", "Random Forest", "next-low", 0))["kind"]
    'next class'
    """
    if isinstance(cell, Cell):
        task, part = cell.dataset, "judged"
        kind, strength = cell.kind if cell.rate else "clean", f"{cell.rate:.0%}"
    elif isinstance(cell, OpinionCell):
        task, part = cell.task, part_of(cell.task)
        kind, strength = OPINION_KINDS[cell.noise]
    elif isinstance(cell, ClassCell):
        task, part = cell.task, CLASS_TASKS[cell.task].part
        kind, strength, _ = CLASS_NOISES[cell.noise]
    else:
        task, part = cell.task, REAL_TASKS[cell.task].part
        kind, strength, *_ = NOISES[cell.noise]
    return {
        "part": part,
        "task": task,
        "learner": cell.learner,
        "kind": kind,
        "strength": strength,
        "seed": cell.seed,
    }
