"""Averages over a density known up to a factor, by fixed points with importance weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.numerics.quasirandom import student_log_density, student_points

FREEDOM = 5.0
"""Of the Student t: tails heavier than those of a posterior, so that no weight explodes."""
INFLATION = 1.3
"""How much wider than the curvature at the mode the first points are spread."""
POINTS = 32
"""Points per dimension and round."""
LEAST_SIZE = 8
"""Effective points per dimension that moments are taken from; else weights are flattened."""


class WeightedPoints(NamedTuple):
    """Points and the logs of their weights, whose sum estimates the integral."""

    points: FloatArray
    log_weights: FloatArray


class _Spread(NamedTuple):
    """Where points are laid out: a Student t with this centre and these axes."""

    center: FloatArray
    axes: FloatArray
    """Columns are the principal axes, as long as the standard deviations along them."""
    inverse: FloatArray
    """From distances to the centre to coordinates in which the density is standard."""
    log_volume: float

    @classmethod
    def of(cls, center: FloatArray, covariance: FloatArray) -> _Spread:
        variances, directions = np.linalg.eigh(covariance)
        lengths = np.sqrt(np.maximum(variances, 1e-18))
        log_volume = float(np.log(lengths).sum())
        return cls(center, directions * lengths, directions / lengths, log_volume)

    def lay_out(self, count: int) -> FloatArray:
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
    """Lay points around the mode, then twice around where the weight turned out to be.

    Every point is weighted by the mixture of all rounds, so that what an early round missed
    cannot give a late point a weight without bound.

    >>> flat = importance_sample(lambda x: -0.5 * (x**2).sum(axis=1), np.zeros(1), np.eye(1))
    >>> np.exp(flat.log_weights).sum().round(1), round(float(np.sqrt(2 * np.pi)), 1)
    (np.float64(2.5), 2.5)
    """
    count = POINTS * len(mode)
    spreads = [_Spread.of(mode, covariance * INFLATION**2)]
    points = spreads[0].lay_out(count)
    heights = log_density(points)
    for _ in range(rounds - 1):
        spreads.append(_Spread.of(*_moments(points, heights - _mixture(spreads, points))))
        added = spreads[-1].lay_out(count)
        points = np.concatenate([points, added])
        heights = np.concatenate([heights, log_density(added)])
    return WeightedPoints(points, heights - _mixture(spreads, points) - np.log(len(points)))


def _mixture(spreads: list[_Spread], points: FloatArray) -> FloatArray:
    """Log density of the points, if each were from one of the spreads, all equally likely."""
    standard = np.array([spread.standard(points) for spread in spreads])
    log_volumes = np.array([[spread.log_volume] for spread in spreads])
    densities = student_log_density(standard, FREEDOM) - log_volumes
    return np.asarray(log_sum(densities) - np.log(len(spreads)))


def _moments(points: FloatArray, log_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted mean and covariance, with weights flattened until enough points count."""
    weights = normalise(log_weights)
    power = 1.0
    while 1.0 / (weights @ weights) < LEAST_SIZE * points.shape[1] and power > 0.05:
        power *= 0.7
        weights = normalise(power * log_weights)
    mean = weights @ points
    centered = points - mean
    return mean, (centered * weights[:, None]).T @ centered


def normalise(log_weights: FloatArray) -> FloatArray:
    """Weights that add up to 1.

    >>> normalise(np.log(np.array([1.0, 3.0])))
    array([0.25, 0.75])
    """
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def log_sum(logs: FloatArray) -> FloatArray:
    """Log of the sum of what finite logs stand for, along the first axis.

    >>> np.exp(log_sum(np.log(np.array([1.0, 3.0])))).round(6)
    np.float64(4.0)
    """
    top = logs.max(axis=0)
    return np.asarray(top + np.log(np.exp(logs - top).sum(axis=0)))
