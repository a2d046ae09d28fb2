"""One cell on a task with many classes: a learner, a kind of noise and a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from lwcal_study.classes.noise import CLASS_NOISES, corrupt
from lwcal_study.classes.tasks import load_class_task
from lwcal_study.real.cells import (
    LEARNERS,
    RealCell,
    limited,
    make_learner,
    natural_labels,
    split,
)
from lwcal_study.real.noise import NATURAL
from lwcal_study.real.task import Loaded

__all__ = ["LEARNERS", "MOST_ROWS", "ClassCell", "ClassScores", "fit_and_score", "noisy_labels"]

MOST_ROWS = 20_000


@dataclass(frozen=True, order=True)
class ClassCell(RealCell):
    """The coordinates of one cell on a task with many classes.

    >>> ClassCell("sk_digits", "Random Forest", "next-low", 0).name
    'sk_digits_random-forest_next-low_seed0_n20000_t160'
    """

    rows: int = MOST_ROWS


class ClassScores(NamedTuple):
    """Calibration and test rows of a cell, with the probabilities of its model.

    Attributes
    ----------
    calibration, test : array of shape (rows, classes)
        Probabilities of the calibration rows and of the test rows. A class that the model has not
        seen has a column of zeros.
    y_clean, y_noisy : array
        True and noisy labels of the calibration rows.
    y_test : array
        True labels of the test rows.
    classes : array
        The class of each column: 0, 1, 2 and so on, as in the labels.
    """

    calibration: Any
    y_clean: Any
    y_noisy: Any
    test: Any
    y_test: Any
    classes: Any


def noisy_labels(cell: ClassCell, task: Loaded) -> Any:
    """Labels for training and calibration."""
    if cell.noise == NATURAL:
        return natural_labels(cell, task, CLASS_NOISES)
    return corrupt(task.X, task.y_trusted, CLASS_NOISES[cell.noise], cell.name)


def fit_and_score(cell: ClassCell, *, trained_on_truth: bool = False) -> ClassScores:
    """Train on noisy labels, or on trusted ones, and score. Test labels are trusted labels."""
    task = limited(load_class_task(cell.task), cell)
    train, calibration, test = split(task.y_trusted, cell.seed)
    held_out = np.concatenate([calibration, test])
    classes = np.arange(task.y_trusted.max() + 1)
    scores = np.zeros((len(held_out), len(classes)))
    with threadpool_limits(1):  # threads change the last bit of a matrix product
        noisy = noisy_labels(cell, task)
        labels = task.y_trusted if trained_on_truth else noisy
        model = make_learner(cell).fit(task.X[train], labels[train])
        scores[:, model.classes_] = model.predict_proba(task.X[held_out])
    return ClassScores(
        calibration=scores[: len(calibration)],
        y_clean=task.y_trusted[calibration],
        y_noisy=noisy[calibration],
        test=scores[len(calibration) :],
        y_test=task.y_trusted[test],
        classes=classes,
    )
