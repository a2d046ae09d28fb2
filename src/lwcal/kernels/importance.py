"""Adaptive importance sampling, with fixed points instead of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.kernels.quasirandom import student_log_density, student_points

FREEDOM = 5.0
"""Degrees of freedom of the proposal: tails heavier than the posterior's keep weights bounded."""
INFLATION = 1.3
"""Width of the first proposal, relative to the curvature at the mode."""
POINTS = 32
"""Points per dimension and round."""
LEAST_SIZE = 8
"""Smallest effective sample size per dimension; below it, weights are flattened."""


class WeightedPoints(NamedTuple):
    """Points with log weights. The sum of the weights estimates the integral."""

    points: FloatArray
    log_weights: FloatArray


class _Proposal(NamedTuple):
    """A multivariate Student t distribution."""

    center: FloatArray
    axes: FloatArray
    """Principal axes in the columns, scaled by the standard deviations along them."""
    inverse: FloatArray
    """Maps differences from the centre to standard coordinates."""
    log_volume: float

    @classmethod
    def from_moments(cls, center: FloatArray, covariance: FloatArray) -> _Proposal:
        variances, directions = np.linalg.eigh(covariance)
        lengths = np.sqrt(np.maximum(variances, 1e-18))
        log_volume = float(np.log(lengths).sum())
        return cls(center, directions * lengths, directions / lengths, log_volume)

    def points(self, count: int) -> FloatArray:
        standard = student_points(count, len(self.center), FREEDOM)
        return np.add(self.center, standard @ self.axes.T)

    def standard(self, points: FloatArray) -> FloatArray:
        return (points - self.center) @ self.inverse


def importance_sample(
    log_density: Callable[[FloatArray], FloatArray],
    mode: FloatArray,
    covariance: FloatArray,
    *,
    rounds: int = 3,
) -> WeightedPoints:
    """Sample around the mode, then around the weighted mean of the previous rounds.

    Every point is weighted against the mixture of all proposals. This bounds the weights of late
    points in regions that early rounds missed.

    >>> flat = importance_sample(lambda x: -0.5 * (x**2).sum(axis=1), np.zeros(1), np.eye(1))
    >>> np.exp(flat.log_weights).sum().round(1), round(float(np.sqrt(2 * np.pi)), 1)
    (np.float64(2.5), 2.5)
    """
    count = POINTS * len(mode)
    proposals = [_Proposal.from_moments(mode, covariance * INFLATION**2)]
    points = proposals[0].points(count)
    heights = log_density(points)
    for _ in range(rounds - 1):
        moments = _moments(points, heights - _mixture(proposals, points))
        proposals.append(_Proposal.from_moments(*moments))
        added = proposals[-1].points(count)
        points = np.concatenate([points, added])
        heights = np.concatenate([heights, log_density(added)])
    return WeightedPoints(points, heights - _mixture(proposals, points) - np.log(len(points)))


def _mixture(proposals: list[_Proposal], points: FloatArray) -> FloatArray:
    """Return the log density of the points under the mixture of all proposals."""
    standard = np.array([proposal.standard(points) for proposal in proposals])
    log_volumes = np.array([[proposal.log_volume] for proposal in proposals])
    densities = student_log_density(standard, FREEDOM) - log_volumes
    return np.asarray(log_sum(densities) - np.log(len(proposals)))


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
