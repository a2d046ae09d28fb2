"""A line on the log-odds with priors, which keeps its slope above 0 and its size reasonable."""

from __future__ import annotations

from math import exp

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, Pooled
from lwcal.kernels.newton import Local, find_mode

STEEPEST = 8.0
"""Largest absolute log of the slope."""


def fit_soft_line(
    columns: Pooled, log_slope_sd: float, intercept_sd: float = 0.0
) -> tuple[float, float]:
    """Fit the most probable slope and intercept; return both.

    Parameters
    ----------
    columns : tuple
        The columns of a :class:`lwcal.ScoreTable`.
    log_slope_sd, intercept_sd : float
        Standard deviations of the normal priors around 0. With 0, there is no intercept.

    Examples
    --------
    >>> columns = np.array([0.2, 0.8]), np.array([900.0, 100.0]), np.array([100.0, 900.0])
    >>> np.round(fit_soft_line(columns, 2.0), 2)
    array([1.58, 0.  ])
    """
    deviations = np.array([log_slope_sd, intercept_sd])[: 1 + (intercept_sd > 0.0)]

    def local(at: FloatArray) -> Local:
        slope = exp(min(max(float(at[0]), -STEEPEST), STEEPEST))
        intercept = float(at[1]) if len(at) == 2 else 0.0
        loss, gradient, hessian = kernels.logistic_loss(
            *columns, 1.0, 0.0, slope, slope, intercept, True
        )
        directions = np.array([[slope, slope, 0.0], [0.0, 0.0, 1.0]])[: len(at)]
        units = at / deviations
        return Local(
            -loss - 0.5 * float(units @ units),
            -(directions @ gradient) - units / deviations,
            directions @ hessian @ directions.T + np.diag(deviations**-2.0),
        )

    def heights(trials: FloatArray) -> FloatArray:
        return np.array([local(trial).height for trial in trials])

    mode, _ = find_mode(heights, local, np.zeros(len(deviations)))
    slope = exp(min(max(float(mode[0]), -STEEPEST), STEEPEST))
    return slope, float(mode[1]) if len(mode) == 2 else 0.0
