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

MOST_RIDGES = 60
"""Each ridge is four times the one before, so the last exceeds every matrix of counts."""
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
    """Return the mode and the information there, raised to a floor where it is small.

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
            information = raised(here.information)
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
    return mode, raised(here.information)


def solve_positive(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Solve a system with a symmetric positive definite matrix.

    >>> solve_positive(np.diag([4.0, 2.0]), np.ones(2))
    array([0.25, 0.5 ])
    """
    _, solution, info = dposv(matrix, vector)
    if info != 0:
        raise np.linalg.LinAlgError("the matrix is not positive definite.")
    return np.asarray(solution)


def raised(information: FloatArray) -> FloatArray:
    """Return the information, with a ridge if a curvature is below the floor.

    Most are above it. A matrix that rounding makes indefinite needs a larger ridge.

    >>> raised(np.diag([4.0, 0.5])), raised(np.diag([4.0, 0.0]))
    (array([[4. , 0. ],
           [0. , 0.5]]), array([[4.25, 0.  ],
           [0.  , 0.25]]))
    """
    if not np.isfinite(information).all():
        raise np.linalg.LinAlgError("the information is not finite.")
    if _is_definite(_with_ridge(information, -FLOOR)):
        return information
    for doublings in range(0, 2 * MOST_RIDGES, 2):
        ridged = _with_ridge(information, FLOOR * 2.0**doublings)
        if _is_definite(ridged):
            return ridged
    raise np.linalg.LinAlgError("the information is not positive definite.")


def inverse(information: FloatArray) -> FloatArray:
    """Return the covariance that belongs to the information of :func:`find_mode`.

    >>> inverse(np.diag([4.0, 0.5]))
    array([[0.25, 0.  ],
           [0.  , 2.  ]])
    """
    return np.asarray(np.linalg.inv(information), dtype=np.float64)


def _with_ridge(matrix: FloatArray, ridge: float) -> FloatArray:
    ridged = matrix.copy()
    ridged.flat[:: len(matrix) + 1] += ridge
    return ridged


def _is_definite(matrix: FloatArray) -> bool:
    return bool(dpotrf(matrix)[1] == 0)
