"""Noise matrices that are possible after a fit to several classes."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray
from lwcal.multiclass.class_noise import ClassNoiseEstimate

LEAST_SPREAD = 1e-6
"""Standard deviations below it are none."""


def drawn_matrices(noise: ClassNoiseEstimate, count: int, rng: np.random.Generator) -> FloatArray:
    """Draw noise matrices that agree with an estimate and its intervals.

    Rates have a beta distribution, and where wrong labels go has a Dirichlet distribution, with the
    means and spreads of the estimate. With the probability that every label is right, that is so.

    Returns
    -------
    float64 array of shape (count, K, K)
    """
    k = len(noise.matrix)
    spread = (noise.high - noise.low) / (2.0 * ndtri(0.5 + noise.confidence / 2.0))
    found = np.empty((count, k, k))
    for true in range(k):
        other = np.arange(k) != true
        rate = 1.0 - noise.matrix[true, true]
        rates = _beta(rate, spread[true, true], count, rng)
        goals = noise.matrix[true, other] / max(rate, 1e-300)
        found[:, true, true] = 1.0 - rates
        found[:, true, other] = rates[:, None] * _dirichlet(
            goals, spread[true, other] / max(rate, 1e-300), count, rng
        )
    # as many as the probability says, at any number of draws
    clean = (np.arange(count) + 0.5) / count < noise.probability_clean
    found[rng.permutation(clean)] = np.eye(k)
    return found


def _beta(mean: float, spread: float, count: int, rng: np.random.Generator) -> FloatArray:
    strength = _strength(mean * (1.0 - mean), spread**2)
    if strength is None:
        return np.full(count, mean)
    return rng.beta(strength * mean, strength * (1.0 - mean), count)


def _dirichlet(
    mean: FloatArray, spread: FloatArray, count: int, rng: np.random.Generator
) -> FloatArray:
    strength = _strength(float((mean * (1.0 - mean)).sum()), float((spread**2).sum()))
    if strength is None:
        return np.tile(mean, (count, 1))
    parts = rng.standard_gamma(np.maximum(strength * mean, 1e-3), (count, len(mean)))
    return np.asarray(parts / np.maximum(parts.sum(axis=1, keepdims=True), 1e-300))


def _strength(largest: float, variance: float) -> float | None:
    """How many labels a distribution with this variance is worth; None if it has none."""
    if variance < LEAST_SPREAD**2 or largest < LEAST_SPREAD**2:
        return None
    return max(largest / variance - 1.0, 1.0)
