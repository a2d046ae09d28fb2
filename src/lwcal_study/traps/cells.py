"""One cell of the trap suite: a real task, a misleading learner, with or without noise."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from lwcal_study.real.noise import Noise, corrupt, generator
from lwcal_study.real.tasks import load_real_task
from lwcal_study.scored_rows import ScoredRows
from lwcal_study.traps.learners import LEARNERS

FLIPS = Noise("symmetric", "20%", 0.2, 0.2)
LATE = "late"
"""Flips of the calibration labels only: the model was trained on better labels."""
NOISES = {"clean": Noise("clean", "none"), "flips": FLIPS, LATE: FLIPS}
SIZES = (250, 1_000, 5_000)
"""Numbers of calibration rows."""
MOST_TRAINING = 4_000
FEWEST_TEST = 400
"""A size is left out of a task that would leave fewer rows to judge by."""
MOST_TEST = 20_000


@dataclass(frozen=True, order=True)
class TrapCell:
    """The coordinates of one cell; it has a result for every size that the task allows."""

    task: str
    learner: str
    noise: str
    seed: int = 0

    @property
    def name(self) -> str:
        """File name: the coordinates in lower case, without spaces."""
        learner = self.learner.lower().replace(",", "").replace(" ", "-")
        return f"trap_{self.task}_{learner}_{self.noise}_seed{self.seed}"


def fit_and_score(cell: TrapCell) -> dict[int, ScoredRows]:
    """Train and score: rows for each size. Test labels are trusted labels."""
    task = load_real_task(cell.task)
    labels = corrupt(task.X, task.y_trusted, NOISES[cell.noise], cell.name)
    train, rest = _split(task.y_trusted, cell)
    model = LEARNERS[cell.learner](cell.seed)
    with warnings.catch_warnings():
        # a network that stops early and a constant column are part of the trap
        for category in (ConvergenceWarning, UserWarning, RuntimeWarning):
            warnings.simplefilter("ignore", category)
        model.fit(task.X[train], (task.y_trusted if cell.noise == LATE else labels)[train])
        scores = np.clip(model.predict_proba(task.X[rest])[:, 1], 0.0, 1.0)
    found = {}
    for size in SIZES:
        if len(rest) < size + FEWEST_TEST:
            break
        calibration, test = np.arange(size), np.arange(size, min(len(rest), size + MOST_TEST))
        found[size] = ScoredRows(
            calibration=scores[calibration],
            y_clean=task.y_trusted[rest][calibration],
            y_noisy=labels[rest][calibration],
            test=scores[test],
            y_test=task.y_trusted[rest][test],
        )
    return found


def _split(y: Any, cell: TrapCell) -> tuple[Any, Any]:
    """Indices of the training rows, at most half, and of all others in random order."""
    seed = int(generator(cell.name, "rows").integers(2**31))
    train, rest = train_test_split(
        np.arange(len(y)),
        train_size=min(len(y) // 2, MOST_TRAINING),
        stratify=y,
        random_state=seed,
    )
    return train, rest
