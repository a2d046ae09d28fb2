"""One cell on a real task: a learner, a kind of noise and a seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lwcal.errors import InputError
from lwcal_study.real.noise import NATURAL, NOISES, corrupt, generator
from lwcal_study.real.task import Loaded
from lwcal_study.real.tasks import load_real_task
from lwcal_study.scored_rows import TEST_SHARE_OF_REST, TRAIN_SHARE, ScoredRows

LEARNERS = ("Random Forest", "Hist Gradient Boosting", "Logistic Regression")
MOST_ROWS = 50_000


@dataclass(frozen=True, order=True)
class RealCell:
    """The coordinates of one cell on a real task."""

    task: str
    learner: str
    noise: str
    seed: int
    rows: int = MOST_ROWS
    trees: int = 160

    @property
    def name(self) -> str:
        """File name: the coordinates in lower case, without spaces."""
        learner = self.learner.lower().replace(" ", "-")
        return f"{self.task}_{learner}_{self.noise}_seed{self.seed}_n{self.rows}_t{self.trees}"


def make_learner(cell: RealCell) -> Any:
    """Create the unfitted model of a cell. The forest is that of the paper's study."""
    if cell.learner == "Random Forest":
        return RandomForestClassifier(
            n_estimators=cell.trees,
            min_samples_leaf=2,
            max_features="sqrt",
            random_state=cell.seed,
            n_jobs=1,  # with threads, the order of summation would vary
        )
    if cell.learner == "Hist Gradient Boosting":
        rounds = max(cell.trees * 5 // 8, 1)
        return HistGradientBoostingClassifier(max_iter=rounds, random_state=cell.seed)
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))


def noisy_labels(cell: RealCell, task: Loaded) -> Any:
    """Labels for training and calibration."""
    if cell.noise == NATURAL:
        return natural_labels(cell, task, NOISES)
    return corrupt(task.X, task.y_trusted, NOISES[cell.noise], cell.name)


def natural_labels(cell: RealCell, task: Loaded, noises: Iterable[str]) -> Any:
    """The task's own noisy labels."""
    if task.y_noisy is None:
        raise InputError(
            f"the task {cell.task} has no natural noise; use one of the noises to inject: "
            f"{', '.join(name for name in noises if name != NATURAL)}"
        )
    return task.y_noisy


def limited(task: Loaded, cell: RealCell) -> Loaded:
    """Draw at most the cell's number of rows, stratified by the trusted label."""
    n = len(task.y_trusted)
    if n <= cell.rows:
        return task
    seed = int(generator(cell.name, "rows").integers(2**31))
    kept, _ = train_test_split(
        np.arange(n), train_size=cell.rows, stratify=task.y_trusted, random_state=seed
    )
    noisy = None if task.y_noisy is None else task.y_noisy[kept]
    return Loaded(task.X[kept], task.y_trusted[kept], noisy)


def split(y: Any, seed: int) -> tuple[Any, Any, Any]:
    """Indices of the training, calibration and test rows, stratified by the trusted label."""
    train, rest = train_test_split(
        np.arange(len(y)), train_size=TRAIN_SHARE, stratify=y, random_state=seed
    )
    calibration, test = train_test_split(
        rest, test_size=TEST_SHARE_OF_REST, stratify=y[rest], random_state=seed
    )
    return train, calibration, test


def fit_and_score(cell: RealCell) -> ScoredRows:
    """Train on noisy labels, and score. Test labels are trusted labels."""
    task = limited(load_real_task(cell.task), cell)
    noisy = noisy_labels(cell, task)
    train, calibration, test = split(task.y_trusted, cell.seed)
    model = make_learner(cell).fit(task.X[train], noisy[train])
    held_out = np.concatenate([calibration, test])
    scores = model.predict_proba(task.X[held_out])[:, 1]  # most of a forest's cost is per call
    return ScoredRows(
        calibration=scores[: len(calibration)],
        y_clean=task.y_trusted[calibration],
        y_noisy=noisy[calibration],
        test=scores[len(calibration) :],
        y_test=task.y_trusted[test],
    )
