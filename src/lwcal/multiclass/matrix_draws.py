"""How uncertain a noise matrix is: draws from the posterior of each hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from lwcal.arrays import FloatArray, IndexArray
from lwcal.multiclass.class_posterior import ClassComponent, ClassPosterior
from lwcal.multiclass.given_noise import WORST_CONDITION
from lwcal.noise.hypotheses import KNOWN

DRAWS = 400
"""Draws of every row of the matrix, over all hypotheses."""
MATRICES = 50
"""Whole matrices."""
MOST_CLASSES_OF_DRAWS = 50
SEED = 0
"""Of the draws, so that the same rows give the same intervals."""
LEAST_LABELS = 1.0
"""What is known of rates and goals at least, in labels, so that no draw is infinite."""


def rows_of_matrix(posterior: ClassPosterior) -> Iterator[FloatArray]:
    """Draws of each row of the noise matrix, one array of shape (draws, K) after the other.

    Rates have a normal distribution in log-odds, with the information that the rows carry about
    them beside slope and intercepts. Where wrong labels go has a Dirichlet distribution, worth as
    many labels as are clearly wrong.
    """
    rng = np.random.default_rng(SEED)
    shares = np.round(DRAWS * posterior.probabilities).astype(int)
    parts = [
        _Draws(component, posterior, count, rng)
        for component, count in zip(posterior.components, shares, strict=True)
        if count > 0
    ]
    for true in range(posterior.rows.n_classes):
        yield np.concatenate([part.row(true) for part in parts])


def noise_matrices(posterior: ClassPosterior) -> list[FloatArray]:
    """Some noise matrices, equally probable; the expected one if there are many classes.

    Matrices whose rows are nearly the same for two classes are left out: through them, labels say
    nothing about the truth.
    """
    if posterior.rows.n_classes > MOST_CLASSES_OF_DRAWS:
        drawn = posterior.noise_matrix[None]
    else:
        drawn = np.stack(list(rows_of_matrix(posterior)), axis=1)
        drawn = drawn[:: max(len(drawn) // MATRICES, 1)]
    return [matrix for matrix in drawn if np.linalg.cond(matrix) < WORST_CONDITION]


class _Draws:
    """Draws of one hypothesis."""

    def __init__(
        self,
        component: ClassComponent,
        posterior: ClassPosterior,
        count: int,
        rng: np.random.Generator,
    ) -> None:
        self._matrix = component.fit.matrix
        self._count = count
        self._rng = rng
        self._is_fixed = component.name == KNOWN or np.array_equal(
            self._matrix, np.eye(len(self._matrix))
        )
        if not self._is_fixed:
            rates = 1.0 - np.diagonal(self._matrix)
            rows = _Rows.of(component, posterior)
            spread = _rate_covariance(component, rows)
            centre = logit(np.clip(rates, 1e-9, 1.0 - 1e-9))
            self._rates = expit(rng.multivariate_normal(centre, spread, count, method="cholesky"))
            self._labels = _clear_labels(rows)

    def row(self, true: int) -> FloatArray:
        """Draws of the labels of one true class, of shape (count, K)."""
        expected = self._matrix[true]
        if self._is_fixed:
            return np.tile(expected, (self._count, 1))
        other = np.arange(len(expected)) != true
        goals = expected[other] / max(float(expected[other].sum()), 1e-300)
        found = np.empty((self._count, len(expected)))
        found[:, true] = 1.0 - self._rates[:, true]
        shares = self._rng.standard_gamma(
            np.maximum(self._labels[true] * goals, 1e-3), (self._count, len(goals))
        )
        shares /= shares.sum(axis=1, keepdims=True)
        found[:, other] = self._rates[:, true, None] * shares
        return found


class _Rows(NamedTuple):
    """Unchecked and checked rows, with the probabilities of the true classes.

    Attributes
    ----------
    clean : float64 array of shape (n, K)
        Given the scores.
    truth : float64 array of shape (n, K)
        Given scores and label; of checked rows, it is known.
    labels, weights : arrays of shape (n,)
    """

    clean: FloatArray
    truth: FloatArray
    labels: IndexArray
    weights: FloatArray

    @classmethod
    def of(cls, component: ClassComponent, posterior: ClassPosterior) -> _Rows:
        rows, checked, fit = posterior.rows, posterior.checked, component.fit
        labels = np.concatenate([rows.labels, checked.labels])
        clean = fit.scaling.apply_unchecked(np.concatenate([rows.scores, checked.scores]))
        truth = clean * fit.matrix[:, labels].T
        truth /= np.maximum(truth.sum(axis=1, keepdims=True), 1e-300)
        truth[len(rows.labels) :] = np.eye(rows.n_classes)[checked.truths]
        weights = np.concatenate([rows.weights, checked.weights])
        return cls(clean, truth, labels, weights)


def _clear_labels(rows: _Rows) -> FloatArray:
    """Number of wrong labels of each true class, each counted by how surely it is one."""
    squares = rows.weights[:, None] * rows.truth**2
    squares[np.arange(len(squares)), rows.labels] = 0.0
    return np.asarray(np.maximum(squares.sum(axis=0), LEAST_LABELS))


def _rate_covariance(component: ClassComponent, rows: _Rows) -> FloatArray:
    """Covariance of the log-odds of the rates: those of a normal posterior with slope and shifts.

    The information is the sum of squared scores of the rows (Berndt and others, 1974).
    """
    clean, posterior = rows.clean, rows.truth
    rates = 1.0 - np.diagonal(component.fit.matrix)
    is_wrong = np.ones_like(posterior)
    is_wrong[np.arange(len(is_wrong)), rows.labels] = 0.0
    by_rates = posterior * (is_wrong - rates)
    by_shifts = posterior - clean
    logs = np.log(np.maximum(clean, 1e-12))
    by_slope = (by_shifts * (logs - logs.mean(axis=1, keepdims=True))).sum(axis=1, keepdims=True)
    k = len(rates)
    one_rate = np.ptp(rates) == 0.0
    if one_rate:
        by_rates = by_rates.sum(axis=1, keepdims=True)
    scores = np.concatenate([by_rates, by_shifts, by_slope], axis=1)
    weighted = scores * rows.weights[:, None]
    information = np.einsum("ni,nj->ij", weighted, scores, optimize=True)
    information[np.diag_indices_from(information)] += LEAST_LABELS
    size = by_rates.shape[1]
    covariance = np.linalg.inv(information)[:size, :size]
    if one_rate:
        covariance = np.full((k, k), covariance[0, 0])
    covariance[np.diag_indices(k)] += 1e-9  # so that equal rates have a Cholesky factor
    return np.asarray(0.5 * (covariance + covariance.T))
