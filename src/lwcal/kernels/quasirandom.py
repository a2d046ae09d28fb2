"""Quasi-random points: they fill space evenly and need no random seed."""

from functools import cache

import numpy as np
from scipy.special import chdtri, gammaln, ndtri

from lwcal.arrays import FloatArray


def uniform_points(count: int, dimension: int) -> FloatArray:
    """Return points in (0, 1) from the additive recurrence of the generalised golden ratio.

    With phi the positive root of ``x**(d + 1) = x + 1``, point n is the fractional part of
    ``0.5 + n * (1 / phi, 1 / phi**2, ..., 1 / phi**d)`` (Roberts, 2018).

    >>> uniform_points(3, 1).round(3).ravel()
    array([0.118, 0.736, 0.354])
    """
    phi = 2.0
    for _ in range(60):  # a contraction that converges to the last bit in fewer steps
        phi = (1.0 + phi) ** (1.0 / (dimension + 1))
    steps = phi ** -np.arange(1.0, dimension + 1.0)
    points: FloatArray = (0.5 + np.arange(1.0, count + 1.0)[:, None] * steps) % 1.0
    return points


@cache
def student_points(count: int, dimension: int, freedom: float) -> FloatArray:
    """Return points distributed like a standard multivariate Student t.

    >>> points = student_points(4096, 2, 5.0)
    >>> points.mean(axis=0).round(2) + 0.0, np.quantile(points[:, 0], 0.9).round(1)
    (array([0., 0.]), np.float64(1.5))
    """
    uniform = uniform_points(count, dimension + 1)
    # chdtri inverts the upper tail; either tail will do for a uniform number
    scale = np.sqrt(freedom / chdtri(freedom, uniform[:, -1]))
    points = np.asarray(ndtri(uniform[:, :-1]) * scale[:, None])
    points.setflags(write=False)  # all callers share the cached array
    return points


def student_log_density(points: FloatArray, freedom: float) -> FloatArray:
    """Return the log density of the standard multivariate Student t, along the last axis.

    >>> student_log_density(np.zeros((1, 1)), 1.0).round(3)  # the Cauchy density is 1 / pi
    array([-1.145])
    """
    dimension = points.shape[-1]
    squares = np.einsum("...i,...i->...", points, points)  # faster than a sum along a short axis
    shape = student_log_shape(squares, dimension, freedom)
    return np.asarray(student_log_constant(dimension, freedom) + shape)


def student_log_shape(squares: FloatArray, dimension: int, freedom: float) -> FloatArray:
    """Return the log density at points of this squared length, relative to that at 0.

    >>> student_log_shape(np.array([0.0, 1.0]), 1, 1.0).round(3) + 0.0
    array([ 0.   , -0.693])
    """
    return np.asarray(-(freedom + dimension) / 2 * np.log1p(squares / freedom))


@cache
def student_log_constant(dimension: int, freedom: float) -> float:
    """Return the log density of the standard multivariate Student t at 0.

    >>> round(student_log_constant(1, 1.0), 3)
    -1.145
    """
    ratio = gammaln((freedom + dimension) / 2) - gammaln(freedom / 2)
    return float(ratio - dimension / 2 * np.log(freedom * np.pi))
