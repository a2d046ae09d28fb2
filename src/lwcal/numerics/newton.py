"""Find the mode of a smooth log density by damped Newton steps with expected information."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from lwcal.arrays import FloatArray

MAX_STEPS = 100
STEP_LENGTHS = 0.5 ** np.arange(12.0)[:, None]
FLOOR = 0.25
"""Smallest assumed curvature: it limits standard deviations to 2 units."""

LogDensity: TypeAlias = Callable[[FloatArray], FloatArray]
"""Returns log densities of shape (k,) at points of shape (k, size)."""
Derivatives: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Returns gradient and expected information at one point; the latter may be indefinite."""


def find_mode(
    log_density: LogDensity, derivatives: Derivatives, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mode and the information there, with small curvatures raised to a floor.

    >>> mode, information = find_mode(
    ...     lambda x: -2.0 * ((x - 1.0) ** 2).sum(axis=1),
    ...     lambda x: (-4.0 * (x - 1.0), 4.0 * np.eye(1)),
    ...     np.zeros(1),
    ... )
    >>> mode, information
    (array([1.]), array([[4.]]))
    """
    mode = start
    height = log_density(mode[None])[0]
    gradient, (curvatures, axes) = _floored(*derivatives(mode))
    for _ in range(MAX_STEPS):
        step = axes @ ((gradient @ axes) / curvatures)
        if gradient @ step < 1e-8:
            break
        trials = mode + STEP_LENGTHS * step
        heights = _finite(log_density, trials)
        best = int(heights.argmax())
        if not heights[best] > height:
            break
        mode, height = trials[best], heights[best]
        gradient, (curvatures, axes) = _floored(*derivatives(mode))
    return mode, np.asarray((axes * curvatures) @ axes.T)


def _finite(log_density: LogDensity, trials: FloatArray) -> FloatArray:
    """Heights of the trials. One so far away that its height overflows is the lowest."""
    with np.errstate(over="ignore", invalid="ignore"):
        heights = log_density(trials)
    return np.where(np.isnan(heights), -np.inf, heights)


def inverse(information: FloatArray) -> FloatArray:
    """Covariance that belongs to the information of :func:`find_mode`.

    With counts of very different size, rounding hides the floor of small curvatures, and the
    matrix looks singular. Then the floor is applied again.

    >>> inverse(np.diag([4.0, 0.5]))
    array([[0.25, 0.  ],
           [0.  , 2.  ]])
    >>> inverse(np.diag([1.0, 0.0]))
    array([[1., 0.],
           [0., 4.]])
    """
    try:
        return np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        curvatures, axes = np.linalg.eigh(information)
        return np.asarray((axes / np.maximum(curvatures, FLOOR)) @ axes.T)


def _floored(
    gradient: FloatArray, information: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Decompose the information into curvatures, raised to the floor, and their axes."""
    curvatures, axes = np.linalg.eigh(information)
    return gradient, (np.maximum(curvatures, FLOOR), axes)
