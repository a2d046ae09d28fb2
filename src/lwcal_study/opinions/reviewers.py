"""Simulated reviewers: each has a matrix of errors, and some rows are hard for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal_study.classes.noise import drawn_labels

REVIEWERS = 3
LEAST_WRONG, MOST_WRONG = 0.1, 0.3
"""Range of the error rates. Each reviewer has one rate for each true class."""
HARD_SHARE, WRONG_IF_HARD = 0.2, 0.5
"""Share of rows that are hard for everybody, and how often anybody is wrong there."""


def drawn_matrices(n_classes: int, random: np.random.Generator) -> Any:
    """Probability of each label for each true class, of shape (reviewers, classes, classes).

    Wrong labels go to the other classes in shares drawn from a flat Dirichlet distribution.

    >>> matrices = drawn_matrices(4, np.random.default_rng(0))
    >>> matrices.shape, bool(np.allclose(matrices.sum(axis=2), 1))
    ((3, 4, 4), True)
    """
    rates = random.uniform(LEAST_WRONG, MOST_WRONG, (REVIEWERS, n_classes))
    goals = random.dirichlet(np.ones(n_classes - 1), (REVIEWERS, n_classes))
    matrices = np.zeros((REVIEWERS, n_classes, n_classes))
    other = ~np.eye(n_classes, dtype=bool)
    matrices[:, other] = (rates[:, :, None] * goals).reshape(REVIEWERS, -1)
    matrices[:, ~other] = 1 - rates
    return matrices


def hard_matrices(n_classes: int) -> Any:
    """The same on hard rows, where all reviewers are alike and wrong labels go anywhere.

    >>> hard_matrices(3)[0]
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    wrong = WRONG_IF_HARD * (1 - np.eye(n_classes)) / (n_classes - 1)
    matrix = wrong + (1 - WRONG_IF_HARD) * np.eye(n_classes)
    return np.broadcast_to(matrix, (REVIEWERS, n_classes, n_classes))


def drawn_opinions(matrices: Any, y: Any, random: np.random.Generator) -> Any:
    """What each reviewer says about each row, of shape (rows, reviewers).

    >>> right = np.broadcast_to(np.eye(2), (3, 2, 2))
    >>> drawn_opinions(right, np.array([0, 1]), np.random.default_rng(0)).tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    return np.stack([drawn_labels(matrix, y, random) for matrix in matrices], axis=1)


def error_rates(matrices: Any, *, hard: bool) -> Any:
    """Expected share of wrong labels of each reviewer and true class.

    >>> error_rates(hard_matrices(2), hard=False).tolist()
    [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    """
    rates = 1 - np.diagonal(matrices, axis1=1, axis2=2)
    return (1 - HARD_SHARE) * rates + HARD_SHARE * WRONG_IF_HARD if hard else rates


def asking_order(n: int, random: np.random.Generator) -> Any:
    """Which reviewer is asked first, second and third about each row, by chance.

    >>> asking_order(2, np.random.default_rng(0)).shape
    (2, 3)
    """
    return random.permuted(np.tile(np.arange(REVIEWERS), (n, 1)), axis=1)
