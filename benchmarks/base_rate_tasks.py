"""Tasks of :mod:`benchmarks.base_rates`: scores at any base rate, and noisy labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import special
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import lwcal

FITTED = 0.3
"""Base rate at which models are trained."""
ROWS = 5000
CHECKED = 100
NOISES = ((0.0, 0.0), (0.1, 0.1), (0.2, 0.2), (0.3, 0.3), (0.05, 0.3))
JUDGED_SEED = 1000
"""Added to the seeds of the judged tasks; the methods were chosen on the development tasks."""
Scores: TypeAlias = np.ndarray
Draw: TypeAlias = Callable[[np.random.Generator, int, float], tuple[Scores, Scores]]


def simulated(shape: str) -> Draw:
    """Scores of a given shape within each class: the development tasks."""

    def draw(rng: np.random.Generator, n: int, base_rate: float) -> tuple[Scores, Scores]:
        truth = rng.random(n) < base_rate
        noise = {
            "normal": lambda: rng.normal(size=n),
            "heavy tails": lambda: rng.standard_t(4, size=n),
            "skewed": lambda: (rng.gamma(2.0, 1.0, size=n) - 2.0) / np.sqrt(2.0),
        }[shape]()
        return special.expit(2.0 * (noise + 2.0 * (truth - 0.5)) + 0.3), truth

    return draw


def trained(model: Any) -> Draw:
    """Scores of a model that was trained at the base rate of the fit: the judged tasks.

    The features of the classes differ in place, spread and correlation.
    """
    rng = np.random.default_rng(7)
    place = rng.normal(size=(2, 6)) * 0.55
    spread = np.stack([np.linalg.qr(rng.normal(size=(6, 6)))[0] * s for s in ((1.0,), (1.3,))])

    def features(rng: np.random.Generator, truth: Scores) -> Scores:
        mixed = np.einsum("nij,nj->ni", spread[truth.astype(int)], rng.normal(size=(len(truth), 6)))
        return np.asarray(
            place[truth.astype(int)] + mixed + 0.3 * mixed[:, ::-1] ** 2 * truth[:, None]
        )

    known = rng.random(4000) < FITTED
    model.fit(features(rng, known), known)

    def draw(rng: np.random.Generator, n: int, base_rate: float) -> tuple[Scores, Scores]:
        truth = rng.random(n) < base_rate
        return model.predict_proba(features(rng, truth))[:, 1], truth

    return draw


TASKS: dict[str, dict[str, Callable[[], Draw]]] = {
    "development": {
        shape: (lambda shape=shape: simulated(shape))
        for shape in ("normal", "heavy tails", "skewed")
    },
    "judged": {
        "logistic regression": lambda: trained(LogisticRegression()),
        "boosted trees": lambda: trained(
            HistGradientBoostingClassifier(max_iter=60, random_state=0)
        ),
        "random forest": lambda: trained(
            RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
        ),
        "naive Bayes": lambda: trained(GaussianNB()),
    },
}


def flipped(rng: np.random.Generator, truth: Scores, noise: tuple[float, float]) -> Scores:
    """Labels of which a share of each class is wrong."""
    draw = rng.random(len(truth))
    return np.where(truth, draw >= noise[1], draw < noise[0])


def log_loss(probability: Scores, truth: Scores) -> float:
    """Mean log loss."""
    clipped = np.clip(probability, 1e-6, 1.0 - 1e-6)
    return float(-np.log(np.where(truth, clipped, 1.0 - clipped)).mean())


def with_checked(rng: np.random.Generator, scores: Scores, labels: Scores, truth: Scores) -> Scores:
    """The truth of the rows that an audit checks; nan elsewhere."""
    plan = lwcal.plan_audit(scores, labels, budget=CHECKED, random_state=int(rng.integers(1 << 30)))
    checked = np.full(len(truth), np.nan)
    checked[plan.rows] = truth[plan.rows]
    return checked
