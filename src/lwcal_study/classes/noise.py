"""Kinds of label noise between many classes, each at two strengths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from lwcal_study.real.noise import (
    INSTANCE,
    NATURAL,
    flip_probabilities,
    generator,
    rising_probabilities,
    standardised,
)

SPREAD = 0.5
"""Noise by class: the lowest and the highest rate differ from their mean by this share of it."""
NEAREST = 3
"""Noise between similar classes: the number of classes that a label can change to."""
ROWS_OF_MODEL = 2000
"""Noise by instance: rows of the logistic model that names the other likely class."""


class ClassNoise(NamedTuple):
    """A kind of label noise. The rate is the mean share of wrong labels.

    Of noise toward a default class it is that of the other classes: the default is always right.
    """

    kind: str
    strength: str
    rate: float = 0.0


UNIFORM = "uniform"
NEXT = "next class"
BY_CLASS = "by class"
SIMILAR = "similar classes"
DEFAULT = "default class"

CLASS_NOISES: dict[str, ClassNoise] = {
    "clean": ClassNoise("clean", "none"),
    "uniform-low": ClassNoise(UNIFORM, "low", 0.20),
    "uniform-high": ClassNoise(UNIFORM, "high", 0.40),
    "next-low": ClassNoise(NEXT, "low", 0.20),
    "next-high": ClassNoise(NEXT, "high", 0.40),
    "class-low": ClassNoise(BY_CLASS, "low", 0.25),
    "class-high": ClassNoise(BY_CLASS, "high", 0.40),
    "similar-low": ClassNoise(SIMILAR, "low", 0.20),
    "similar-high": ClassNoise(SIMILAR, "high", 0.35),
    "instance-low": ClassNoise(INSTANCE, "low", 0.20),
    "instance-high": ClassNoise(INSTANCE, "high", 0.35),
    "default-low": ClassNoise(DEFAULT, "low", 0.20),
    "default-high": ClassNoise(DEFAULT, "high", 0.40),
    NATURAL: ClassNoise(NATURAL, "its own"),
}
"""Noises by their name in cells."""
SUITE_NOISES = tuple(name for name, noise in CLASS_NOISES.items() if noise.kind != DEFAULT)
"""Noises of the suites, whose aims were set before there was noise toward a default class."""


def corrupt(X: Any, y: Any, noise: ClassNoise, name: str) -> Any:
    """Replace labels, independently for each row. All classes from 0 occur in ``y``."""
    if noise.rate == 0:
        return y
    if noise.kind == INSTANCE:
        return _by_instance(X, y, noise.rate, name)
    return drawn_labels(transition(X, y, noise, name), y, generator(name, "flips"))


def transition(X: Any, y: Any, noise: ClassNoise, name: str) -> Any:
    """Probability of each noisy label (column) for each true class (row).

    >>> y = np.array([0, 1, 2])
    >>> transition(np.zeros((3, 1)), y, CLASS_NOISES["uniform-low"], "a cell")
    array([[0.8, 0.1, 0.1],
           [0.1, 0.8, 0.1],
           [0.1, 0.1, 0.8]])
    """
    n_classes = int(y.max()) + 1
    uniform = (1 - np.eye(n_classes)) / (n_classes - 1)
    if noise.kind == UNIFORM:
        return _mixed(noise.rate, uniform)
    if noise.kind == NEXT:  # the first class follows the last
        return _mixed(noise.rate, np.roll(np.eye(n_classes), 1, axis=1))
    if noise.kind == BY_CLASS:
        shares = generator(name, "rates").permutation(np.linspace(-SPREAD, SPREAD, n_classes))
        return _mixed(noise.rate * (1 + shares), uniform)
    if noise.kind == DEFAULT:
        default = np.eye(n_classes)[np.bincount(y).argmax()]
        return _mixed(noise.rate * (1 - default), np.tile(default, (n_classes, 1)))
    closeness, goals = similar_classes(X, y)
    rates = rising_probabilities(closeness[y], noise.rate)
    _, first = np.unique(y, return_index=True)
    return _mixed(rates[first], goals)


def _mixed(rates: Any, goals: Any) -> Any:
    """Change labels at these rates, to these goals."""
    kept = np.broadcast_to(1 - np.asarray(rates), len(goals))
    return np.diag(kept) + (1 - kept)[:, None] * goals


def similar_classes(X: Any, y: Any) -> tuple[Any, Any]:
    """How close each class is to others, and where its wrong labels go.

    The distance of two classes is that of their mean rows in standardised features. The scale is
    the median distance of a class to the nearest other. Goals are the nearest classes, with
    probabilities that fall with the distance.

    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> closeness, goals = similar_classes(X, np.array([0, 1, 2]))
    >>> goals.round(2)
    array([[0.  , 0.88, 0.12],
           [0.73, 0.  , 0.27],
           [0.27, 0.73, 0.  ]])
    >>> closeness.argsort().tolist()
    [2, 0, 1]
    """
    rows = standardised(X)
    n_classes = int(y.max()) + 1
    centroids = np.array([rows[y == k].mean(axis=0) for k in range(n_classes)])
    distances = np.linalg.norm(centroids[:, None] - centroids[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    scaled = distances / np.median(distances.min(axis=1))
    near = np.argsort(np.argsort(scaled, axis=1, kind="stable"), axis=1) < NEAREST
    weights = np.exp(-scaled) * near
    sums = weights.sum(axis=1)
    return np.log(sums), weights / sums[:, None]


def drawn_labels(transitions: Any, y: Any, random: np.random.Generator) -> Any:
    """Draw a noisy label for each row.

    >>> drawn_labels(np.roll(np.eye(3), 1, axis=1), np.array([0, 1, 2]), np.random.default_rng(0))
    array([1, 2, 0])
    """
    edges = transitions.cumsum(axis=1)[y, :-1]
    return (random.random(len(y))[:, None] >= edges).sum(axis=1)


def _by_instance(X: Any, y: Any, rate: float, name: str) -> Any:
    probabilities = flip_probabilities(X, rate, generator(name, "direction"))
    flipped = generator(name, "flips").random(len(y)) < probabilities
    return np.where(flipped, likely_others(X, y, generator(name, "model")), y)


def likely_others(X: Any, y: Any, random: np.random.Generator) -> Any:
    """For each row, the class that a logistic model finds most likely, other than its own.

    >>> X = np.repeat([[0.0], [1.0], [3.0]], 20, axis=0)
    >>> likely_others(X, np.repeat([0, 1, 2], 20), np.random.default_rng(0))[[0, 20, 40]].tolist()
    [1, 0, 1]
    """
    rows = standardised(X)
    _, first = np.unique(y, return_index=True)  # at least one row of each class
    some = np.union1d(first, random.permutation(len(y))[:ROWS_OF_MODEL])
    model = LogisticRegression(C=0.1, tol=0.01, max_iter=1000).fit(rows[some], y[some])
    probabilities = model.predict_proba(rows)
    probabilities[np.arange(len(y)), y] = -1
    return probabilities.argmax(axis=1)
