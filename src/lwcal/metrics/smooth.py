"""Smooth calibration error: no bins, and a bandwidth that follows from the data."""

from typing import Any

import numpy as np
from scipy.fft import dct, idct
from scipy.optimize import brentq

from lwcal.arrays import FloatArray
from lwcal.metrics._table import pooled
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

GRID = 1 << 14
"""Cells of [0, 1]: bandwidths below the width of one, 6e-5, are not resolved."""


def smooth_ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Smooth expected calibration error, smECE (Blasiok and Nakkiran, 2023).

    Residuals, label minus probability, are smoothed along the probability by a Gaussian
    that is reflected at 0 and 1; the error is the mean absolute smoothed residual. The
    bandwidth is the one at which error and bandwidth are equal.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> round(smooth_ece([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.25
    """
    return smooth_ece_of(pooled(y_true, y_prob, sample_weight, pos_label))


def smooth_ece_of(table: ScoreTable) -> float:
    """Smooth expected calibration error of a table."""
    waves = residual_waves(table)
    # The error falls as the bandwidth grows and is at most 1, so they meet below 2.
    return min(float(brentq(lambda width: smoothed_error(waves, width) - width, 0.0, 2.0)), 1.0)


def residual_waves(table: ScoreTable) -> FloatArray:
    """Cosine coefficients of the residuals, whose total absolute weight is at most 1."""
    residuals = table.positives - (table.negatives + table.positives) * table.scores
    return np.asarray(dct(_spread(table.scores, residuals / table.n), type=2))


def smoothed_error(waves: FloatArray, width: float) -> float:
    """Mean absolute residual after smoothing with this bandwidth.

    A reflected Gaussian is diffusion between walls, of which the cosines are eigenfunctions:
    smoothing scales the k-th by ``exp(-(pi * k * width)**2 / 2)``.
    """
    damping = np.exp(-((np.pi * width * np.arange(GRID)) ** 2) / 2)
    return float(np.abs(idct(waves * damping, type=2)).sum())


def _spread(positions: FloatArray, masses: FloatArray) -> FloatArray:
    """Split each mass between the two nearest cell centres, so that its position is kept."""
    place = positions * GRID - 0.5
    left = np.floor(place)
    share = place - left
    cells = np.zeros(GRID)
    for cell, part in ((left, 1.0 - share), (left + 1.0, share)):
        # beyond the outermost centres the mirror image is the outermost cell itself
        inside = np.clip(cell, 0, GRID - 1).astype(np.intp)
        cells += np.bincount(inside, masses * part, minlength=GRID)
    return cells
