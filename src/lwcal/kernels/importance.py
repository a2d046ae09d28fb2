"""Adaptive importance sampling, with fixed points instead of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.kernels.quasirandom import student_log_constant, student_log_shape, student_points

FREEDOM = 5.0
"""Degrees of freedom of the proposal: tails heavier than the posterior's keep weights bounded."""
INFLATION = 1.3
"""Width of the first proposal, relative to the curvature at the mode."""
POINTS = 32
"""Points per dimension and round."""
ROUNDS = 3
LEAST_SIZE = 8
"""Smallest effective sample size per dimension; below it, weights are flattened."""
LEAST_SHARE, LEAST_VARIANCE = 1e-9, 1e-18
"""What is added to the variances of a proposal: a share of them, and a number."""
WIDENINGS = (1.0, 1e3, 1e6, 1e9, 1e12)
"""By how much the share grows, until the covariance has a factor."""


class WeightedPoints(NamedTuple):
    """Points with log weights. The sum of the weights estimates the integral."""

    points: FloatArray
    log_weights: FloatArray


class Standard(NamedTuple):
    """Points of the standard proposal, which every proposal shifts and scales."""

    points: FloatArray
    """Those of each round, of shape (rounds, k, size)."""
    log_constant: float
    """Log density of the standard proposal at 0."""


@cache
def standard_points(dimension: int) -> Standard:
    """Return points for every round; each has its own, so that their errors average out.

    >>> standard_points(2).points.shape
    (3, 64, 2)
    """
    points = student_points(ROUNDS * POINTS * dimension, dimension, FREEDOM)
    of_rounds = points.reshape(ROUNDS, POINTS * dimension, dimension)
    return Standard(of_rounds, student_log_constant(dimension, FREEDOM))


class _Proposal(NamedTuple):
    """A multivariate Student t distribution."""

    center: FloatArray
    root: FloatArray
    """Lower triangle, whose product with its transpose is the covariance."""
    log_volume: float

    @classmethod
    def from_moments(cls, center: FloatArray, covariance: FloatArray) -> _Proposal:
        root = _factor(covariance)
        return cls(center, root, float(np.log(np.diagonal(root)).sum()))

    def points(self, standard: FloatArray) -> FloatArray:
        return np.add(self.center, standard @ self.root.T)

    def log_shape(self, points: FloatArray) -> FloatArray:
        """Log density, up to the constant of the standard proposal."""
        standard = np.linalg.solve(self.root, (points - self.center).T)
        squares = np.einsum("ij,ij->j", standard, standard)
        return student_log_shape(squares, len(self.center), FREEDOM) - self.log_volume


def _factor(covariance: FloatArray) -> FloatArray:
    """Return the lower triangle of a covariance, in every direction of which is a little width.

    A direction in which points did not spread gets it, and one that rounding made negative, as
    with rows whose weights differ by a factor of 10^12.

    >>> _factor(np.array([[1.0, 1.0 + 1e-7], [1.0 + 1e-7, 1.0]])).round(2)
    array([[1., 0.],
           [1., 0.]])
    """
    variances = np.maximum(np.diagonal(covariance), 0.0)
    for widening in WIDENINGS:
        widened = covariance + np.diag(variances * LEAST_SHARE * widening + LEAST_VARIANCE)
        try:
            return np.asarray(np.linalg.cholesky(widened), dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError("the covariance is not positive definite.")


def importance_sample(
    log_density: Callable[[FloatArray], FloatArray],
    mode: FloatArray,
    covariance: FloatArray,
    standard: Standard | None = None,
) -> WeightedPoints:
    """Sample around the mode, then around the weighted mean of the previous rounds.

    Every point is weighted against the mixture of all proposals. This bounds the weights of late
    points in regions that early rounds missed.

    >>> flat = importance_sample(lambda x: -0.5 * (x**2).sum(axis=1), np.zeros(2), np.eye(2))
    >>> np.exp(flat.log_weights).sum().round(1), round(2 * np.pi, 1)
    (np.float64(6.3), 6.3)
    """
    standard = standard or standard_points(len(mode))
    proposals = [_Proposal.from_moments(mode, covariance * INFLATION**2)]
    points = proposals[0].points(standard.points[0])
    heights = log_density(points)
    for of_round in standard.points[1:]:
        moments = _moments(points, heights - _mixture(proposals, points))
        proposals.append(_Proposal.from_moments(*moments))
        added = proposals[-1].points(of_round)
        points = np.concatenate([points, added])
        heights = np.concatenate([heights, log_density(added)])
    log_volume = standard.log_constant + np.log(len(points))
    return WeightedPoints(points, heights - _mixture(proposals, points) - log_volume)


def _mixture(proposals: list[_Proposal], points: FloatArray) -> FloatArray:
    """Return the log density under the mixture of all proposals, up to the same constant."""
    shapes = np.array([proposal.log_shape(points) for proposal in proposals])
    return np.asarray(log_sum(shapes) - np.log(len(proposals)))


def _moments(points: FloatArray, log_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted mean and covariance; weights are flattened if few points dominate."""
    weights = normalise(log_weights)
    power = 1.0
    while 1.0 / (weights @ weights) < LEAST_SIZE * points.shape[1] and power > 0.05:
        power *= 0.7
        weights = normalise(power * log_weights)
    mean = weights @ points
    centered = points - mean
    return mean, (centered * weights[:, None]).T @ centered


def normalise(log_weights: FloatArray) -> FloatArray:
    """Return weights that sum to 1, from log weights.

    >>> normalise(np.log(np.array([1.0, 3.0])))
    array([0.25, 0.75])
    """
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def log_sum(logs: FloatArray) -> FloatArray:
    """Return the log of the sum of exponentials along the first axis, for finite logs.

    >>> np.exp(log_sum(np.log(np.array([1.0, 3.0])))).round(6)
    np.float64(4.0)
    """
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).sum(axis=0)))
