"""Sums over rows of several classes, against the true classes behind noisy labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.numerics.equal_width import bin_of

N_BINS = 15
"""Bins of equal width of the top-label error."""
WORST_CONDITION = 1e6
"""A matrix with a larger condition number has no useful inverse."""


class Moments(NamedTuple):
    """Sums of one value of the rows, in each bin.

    Attributes
    ----------
    weight, total, squares : float64 arrays
        Weight of the rows, and the weighted sums of the value and of its square.
    """

    weight: FloatArray
    total: FloatArray
    squares: FloatArray

    @classmethod
    def of(
        cls, values: FloatArray, weights: FloatArray, bins: IndexArray, n_bins: int = 1
    ) -> Moments:
        """Add up the rows of each bin.

        >>> Moments.of(np.array([1.0, 3.0]), np.ones(2), np.zeros(2, dtype=int)).squares
        array([10.])
        """
        # one after the other: a product of vectors may add up in another order with more threads
        return cls(
            *(
                np.bincount(bins, column, minlength=n_bins).astype(np.float64)
                for column in (weights, weights * values, weights * values**2)
            )
        )


def inverse_of(matrix: FloatArray) -> FloatArray | None:
    """Inverse of a noise matrix; None if labels cannot tell some classes apart.

    >>> inverse_of(np.full((2, 2), 0.5)) is None
    True
    """
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return None
    condition = np.linalg.norm(matrix, 1) * np.linalg.norm(inverse, 1)
    return np.asarray(inverse) if condition <= WORST_CONDITION else None


def corrected_by(matrix: FloatArray, labels: IndexArray, values: FloatArray) -> FloatArray:
    """A value of the true class, estimated from the label of each row.

    Its mean over the labels of a true class is the value of that class (Natarajan et al., 2013),
    so the mean over many rows needs no truth. The value of one row can be far off.

    Parameters
    ----------
    matrix : (K, K)
        Probability of each label (column) for each true class (row).
    labels : integers of shape (n,)
        Column of each label.
    values : (n, K)
        The value, if each class is the true one.

    Examples
    --------
    >>> noise = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> corrected_by(noise, np.array([0, 0, 0, 0, 1]), np.tile([0.0, 1.0], (5, 1))).mean() + 0.0
    np.float64(0.0)
    """
    return _through(np.asarray(np.linalg.inv(matrix)), labels, values)


def _through(inverse: FloatArray, labels: IndexArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("nk,nk->n", values, inverse[labels]))


def loss_moments(
    inverse: FloatArray, labels: IndexArray, losses: FloatArray, weights: FloatArray
) -> Moments:
    """Sums of a corrected loss.

    Parameters
    ----------
    inverse : (K, K)
        Inverse of the noise matrix.
    labels, weights : of shape (n,)
    losses : (n, K)
        The loss, if each class is the true one.
    """
    return Moments.of(_through(inverse, labels, losses), weights, np.zeros_like(labels))


def top_label_moments(
    inverse: FloatArray, labels: IndexArray, probabilities: FloatArray, weights: FloatArray
) -> Moments:
    """Sums of the gap between "the most probable class is right" and its probability.

    >>> p = np.array([[0.6, 0.2, 0.2]] * 5)
    >>> labels = np.array([0, 0, 0, 1, 2])
    >>> abs(top_label_moments(np.eye(3), labels, p, np.ones(5)).total).round(12).sum()
    np.float64(0.0)
    """
    top = probabilities.argmax(axis=1)
    highest = probabilities.max(axis=1)
    bins = bin_of(highest, N_BINS)
    # whether the true class is the most probable one, corrected as a loss is
    return Moments.of(inverse[labels, top] - highest, weights, bins, N_BINS)
