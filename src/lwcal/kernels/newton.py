"""Find the mode of a smooth log density by damped Newton steps with expected information."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf

from lwcal.arrays import FloatArray

MAX_STEPS = 100
STEP_LENGTHS = 0.5 ** np.arange(12.0)[:, None]
FLOOR = 0.25
"""Smallest assumed curvature: it limits standard deviations to 2 units."""

ENOUGH = 0.5
"""A full step is taken at once if it gains this share of what its local approximation promises."""

LogDensity: TypeAlias = Callable[[FloatArray], FloatArray]
"""Returns log densities of shape (k,) at points of shape (k, size)."""


class Local(NamedTuple):
    """A log density at one point."""

    height: float
    gradient: FloatArray
    information: FloatArray
    """Expected information, which may be indefinite."""


def find_mode(
    log_density: LogDensity, local: Callable[[FloatArray], Local], start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mode and the information there, with small curvatures raised to a floor.

    A full Newton step is tried first. If it gains too little, several shorter ones are compared.

    >>> mode, information = find_mode(
    ...     lambda x: -2.0 * ((x - 1.0) ** 2).sum(axis=1),
    ...     lambda x: Local(-2.0 * float((x - 1.0) @ (x - 1.0)), -4.0 * (x - 1.0), 4.0 * np.eye(1)),
    ...     np.zeros(1),
    ... )
    >>> mode, information
    (array([1.]), array([[4.]]))
    """
    mode = start
    with np.errstate(over="ignore", invalid="ignore"):  # at trials far away
        here = local(mode)
        for _ in range(MAX_STEPS):
            information = _floored(here.information)
            step = solve_positive(information, here.gradient)
            promised = float(here.gradient @ step)
            if promised < 1e-8:
                break
            there = local(mode + step)
            if there.height - here.height >= ENOUGH * promised / 2:
                mode, here = mode + step, there
                continue
            trials = mode + STEP_LENGTHS * step
            heights = log_density(trials)
            # one so far away that its height overflows is the lowest
            best = int(np.where(np.isnan(heights), -np.inf, heights).argmax())
            if not heights[best] > here.height:
                break
            mode, here = trials[best], local(trials[best])
    return mode, _floored(here.information)


def solve_positive(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Solve a system with a symmetric positive definite matrix.

    >>> solve_positive(np.diag([4.0, 2.0]), np.ones(2))
    array([0.25, 0.5 ])
    """
    _, solution, info = dposv(matrix, vector)
    if info == 0:
        return np.asarray(solution)
    return np.asarray(inverse(matrix) @ vector)  # rounding made it look singular


def _floored(information: FloatArray) -> FloatArray:
    """Raise curvatures to the floor. Most are above it, which a factorisation tells faster."""
    lowered = information.copy()
    lowered.flat[:: len(information) + 1] -= FLOOR
    if dpotrf(lowered)[1] == 0:
        return information
    curvatures, axes = np.linalg.eigh(information)
    return np.asarray((axes * np.maximum(curvatures, FLOOR)) @ axes.T)


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
