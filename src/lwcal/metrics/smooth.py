"""The smooth calibration error: a kernel instead of bins, with a bandwidth from the data."""

from typing import Any

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.metrics.inputs import as_metric_table
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

GRID = 1 << 14
"""Number of cells of [0, 1]. Bandwidths below the width of a cell, 6e-5, are not resolved."""


def smooth_ece(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Smooth expected calibration error, smECE (Blasiok and Nakkiran, 2023).

    The residuals, label minus probability, are smoothed along the probability by a Gaussian
    kernel that is reflected at 0 and 1. The error is the mean absolute value of the smoothed
    residuals. The bandwidth is chosen such that it equals the error.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(smooth_ece([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.25
    """
    from scipy.optimize import brentq  # slow to import, and other metrics need none

    waves = residual_waves(as_metric_table(y_true, y_prob, sample_weight, pos_label))
    # the error falls as the bandwidth grows, and it is at most 1, so they are equal below 2
    return min(float(brentq(lambda width: smoothed_error(waves, width) - width, 0.0, 2.0)), 1.0)


def residual_waves(table: ScoreTable) -> FloatArray:
    """Cosine coefficients of the residuals. Their total absolute weight is at most 1."""
    from scipy.fft import dct  # slow to import, and other metrics need none

    residuals = kernels.spread_residuals(*table.columns, GRID)
    return np.asarray(dct(residuals / table.n, type=2))


def smoothed_error(waves: FloatArray, width: float) -> float:
    """Mean absolute residual after smoothing with this bandwidth.

    Smoothing with a reflected Gaussian is diffusion between walls. The cosines are its
    eigenfunctions: smoothing scales the k-th by ``exp(-(pi * k * width)**2 / 2)``.
    """
    from scipy.fft import idct

    damping = np.exp(-((np.pi * width * np.arange(GRID)) ** 2) / 2)
    return float(np.abs(idct(waves * damping, type=2)).sum())
