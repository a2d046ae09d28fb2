"""One cell with several opinions: a learner, the reviewers, and a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from lwcal_study.classes.tasks import CLASS_TASKS, class_tasks_of, load_class_task
from lwcal_study.opinions import nodules, words
from lwcal_study.opinions.rated import RatedTask
from lwcal_study.opinions.reviewers import (
    HARD_SHARE,
    asking_order,
    drawn_matrices,
    drawn_opinions,
    error_rates,
    hard_matrices,
)
from lwcal_study.real.cells import RealCell, limited, make_learner, split
from lwcal_study.real.noise import generator
from lwcal_study.real.packages import FOLDERS
from lwcal_study.real.task import Loaded
from lwcal_study.real.tasks import REAL_TASKS, load_real_task, tasks_of

MOST_ROWS, TREES = 4000, 60
"""There are at most 1,000 calibration rows: few people label more rows twice. Models are smaller
than in other suites, because one cell is fitted in some twenty ways."""
INDEPENDENT, HARD, RATERS = "independent", "hard-rows", "raters"
"""Simulated reviewers who err independently, or also on the same hard rows; real people."""
LEAST_CLASSES, MOST_CLASSES = 5, 10

RATED_TASKS: dict[str, RatedTask] = {
    task.name: task for module in (words, nodules) for task in module.TASKS
}
"""Tasks with the ratings of real people, by name."""


@dataclass(frozen=True, order=True)
class OpinionCell(RealCell):
    """The coordinates of one cell. Its noise is the kind of its reviewers.

    >>> OpinionCell("wool_mroz", "Random Forest", HARD, 0).name
    'wool_mroz_random-forest_hard-rows_seed0_n4000_t60'
    """

    rows: int = MOST_ROWS
    trees: int = TREES


class OpinionScores(NamedTuple):
    """Calibration and test rows of a cell, with all opinions.

    Attributes
    ----------
    calibration, test : array of shape (rows, classes)
        Probabilities of the model. A class that it has not seen has a column of zeros.
    y_clean, y_test : array
        True labels of the calibration rows and of the test rows.
    opinions : array of shape (rows, reviewers)
        What every reviewer would say about each calibration row.
    order : array of shape (rows, reviewers)
        Which reviewer is asked first, second and third about it.
    picked : array
        The calibration rows in the order in which a second opinion, or an expert, is asked.
    matrices : array of shape (reviewers, classes, classes), or None
        The true matrices of simulated reviewers, on rows that are not hard.
    rates : array of shape (reviewers, classes), or None
        Their true error rates on all rows.
    """

    calibration: Any
    y_clean: Any
    opinions: Any
    order: Any
    picked: Any
    test: Any
    y_test: Any
    matrices: Any = None
    rates: Any = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.calibration.shape[1])


def rated_tasks() -> list[RatedTask]:
    """Tasks whose package is installed.

    >>> "raters_word_five" in [task.name for task in rated_tasks()]
    True
    """
    return [task for task in RATED_TASKS.values() if find_spec(FOLDERS[task.package])]


def simulated_tasks() -> list[str]:
    """Judged tasks for simulated reviewers: two classes, then 5 to 10 classes."""
    several = [task.name for task in class_tasks_of("clean", "judged")]
    fit = [name for name in several if LEAST_CLASSES <= n_classes(name) <= MOST_CLASSES]
    return [*(task.name for task in tasks_of("clean", "judged")), *fit]


@cache
def n_classes(name: str) -> int:
    """Number of classes of a task, cached because the task must be loaded.

    >>> n_classes("wool_mroz"), n_classes("nhanes_education")
    (2, 5)
    """
    return 2 if name in REAL_TASKS else int(_load(name).y_trusted.max()) + 1


def package_of(name: str) -> str:
    """The package that contains the file of a task.

    >>> package_of("raters_word_five")
    'vaderSentiment'
    """
    if name in RATED_TASKS:
        return RATED_TASKS[name].package
    return (REAL_TASKS | CLASS_TASKS)[name].package


@lru_cache(maxsize=2)  # the cells of a task run one after another
def _load_rated(name: str) -> Loaded:
    return RATED_TASKS[name].load()


def _load(name: str) -> Loaded:
    if name in RATED_TASKS:
        return _load_rated(name)
    return load_real_task(name) if name in REAL_TASKS else load_class_task(name)


class _Said(NamedTuple):
    """All opinions on all rows of a task, and the simulated reviewers."""

    opinions: Any
    matrices: Any = None
    rates: Any = None


def _simulated(cell: OpinionCell, y: Any) -> _Said:
    matrices = drawn_matrices(int(y.max()) + 1, generator(cell.name, "reviewers"))
    opinions = drawn_opinions(matrices, y, generator(cell.name, "opinions"))
    if cell.noise == HARD:
        random = generator(cell.name, "hard rows")
        is_hard = random.random(len(y)) < HARD_SHARE
        of_hard = drawn_opinions(hard_matrices(int(y.max()) + 1), y, random)
        opinions = np.where(is_hard[:, None], of_hard, opinions)
    return _Said(opinions, matrices, error_rates(matrices, hard=cell.noise == HARD))


def fit_and_score(cell: OpinionCell) -> OpinionScores:
    """Train on one label a row, of a reviewer drawn for each row, and score."""
    task = limited(_load(cell.task), cell)
    y = task.y_trusted
    said = _Said(task.y_noisy) if cell.noise == RATERS else _simulated(cell, y)
    order = asking_order(len(y), generator(cell.name, "order"))
    first = np.take_along_axis(said.opinions, order[:, :1], axis=1)[:, 0]
    train, calibration, test = split(y, cell.seed)
    held_out = np.concatenate([calibration, test])
    scores = np.zeros((len(held_out), int(y.max()) + 1))
    with threadpool_limits(1):  # threads change the last bit of a matrix product
        model = make_learner(cell).fit(task.X[train], first[train])
        scores[:, model.classes_] = model.predict_proba(task.X[held_out])
    return OpinionScores(
        calibration=scores[: len(calibration)],
        y_clean=y[calibration],
        opinions=said.opinions[calibration],
        order=order[calibration],
        picked=generator(cell.name, "picked").permutation(len(calibration)),
        test=scores[len(calibration) :],
        y_test=y[test],
        matrices=said.matrices,
        rates=said.rates,
    )
