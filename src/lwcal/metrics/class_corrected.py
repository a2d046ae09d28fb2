"""Metrics of several classes against the true classes behind noisy labels."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.metrics.proper import NLL_CLIP

N_BINS = 15
"""Bins of equal width of the top-label error."""


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
    inverse = np.linalg.inv(matrix)
    return np.asarray(np.einsum("nk,nk->n", values, inverse[labels]))


def class_losses(probabilities: FloatArray) -> dict[str, FloatArray]:
    """Brier score and log loss of each row, if each class is the true one.

    >>> class_losses(np.array([[0.5, 0.3, 0.2]]))["brier"].round(2)
    array([[0.38, 0.78, 0.98]])
    """
    squares = np.einsum("nk,nk->n", probabilities, probabilities)
    clipped = np.clip(probabilities, NLL_CLIP, 1.0 - NLL_CLIP)
    return {
        "brier": np.asarray(1.0 + squares[:, None] - 2.0 * probabilities),
        "nll": np.asarray(-np.log(clipped)),
    }


def corrected_top_label_ece(
    probabilities: FloatArray, labels: IndexArray, weights: FloatArray, matrix: FloatArray
) -> float:
    """Expected calibration error of the most probable class, against the true classes.

    >>> p = np.array([[0.6, 0.2, 0.2]] * 10)
    >>> labels = np.array([0] * 6 + [1] * 2 + [2] * 2)
    >>> round(corrected_top_label_ece(p, labels, np.ones(10), np.eye(3)), 12)
    0.0
    """
    top = probabilities.argmax(axis=1)
    highest = probabilities.max(axis=1)
    # the share of rows whose true class is the most probable one, corrected as a loss is
    is_right = np.linalg.inv(matrix)[labels, top]
    bins = np.minimum((highest * N_BINS).astype(int), N_BINS - 1)
    differences = np.bincount(bins, weights * (is_right - highest), minlength=N_BINS)
    return float(np.abs(differences).sum() / weights.sum())
