"""By how much the log-odds of each segment differ from those of all rows.

The log-odds of a row are those that the calibrator of all rows gives, plus an offset of its
segment. Offsets are drawn from a normal distribution around 0, whose standard deviation is
estimated from all segments. So segments that differ little are pulled together, and so is a
segment with few rows. Labels are as noisy as the calibrator of all rows says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.numerics.quantiles import weighted_quantiles
from lwcal.segments.evidence import Evidence

CONFIDENCE = 0.9
LARGEST = 6.0
"""Largest offset. Odds that differ more than 400 times are another task."""
GRID = LARGEST * np.sinh(5.0 * np.linspace(-1.0, 1.0, 121)) / np.sinh(5.0)
"""Possible offsets; dense around 0, where most segments are."""
WIDTHS = np.gradient(GRID)
SPREADS = np.geomspace(0.01, 3.0, 40)
"""Possible standard deviations of the offsets."""
SPREAD_SCALE = 0.5
"""Scale of the half-normal prior of the standard deviation."""
CHUNK = 2048
"""Segments that are evaluated at once, whose likelihoods stay in the cache."""
KEPT = 1 << 17
"""Segments whose likelihoods are kept: they take half as much memory as the counts."""
RESOLVED = 1.5
"""Steps of the grid that a standard error must have for the grid to describe it."""
STEPS = 25
"""Newton steps at most; two or three are usual."""
TINY = 1e-300


class Offsets(NamedTuple):
    """Offset of the log-odds of each segment, with credible intervals.

    Attributes
    ----------
    values, low, high : float64 arrays
    own_share : float64 array
        Share of a segment's own rows in its offset; the rest is the prior.
    spread : Estimate
        Standard deviation of the offsets between segments.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    own_share: FloatArray
    spread: Estimate


def fit_offsets(evidence: Evidence, noise: FloatArray) -> Offsets:
    """Estimate the offsets of all segments together.

    Parameters
    ----------
    evidence : Evidence
    noise : 2 x 2 array
        Probability of each label (column) for each true class (row).

    Examples
    --------
    Labels of the second segment are far more often positive. The third has hardly any rows.

    >>> counts = np.array([[800.0], [500.0], [1.0]]), np.array([[200.0], [500.0], [1.0]])
    >>> found = fit_offsets(Evidence(np.array([-1.0]), *counts), np.eye(2))
    >>> found.values.round(1), found.own_share.round(1)
    (array([-0.4,  1. ,  0.2]), array([1. , 1. , 0.2]))
    """
    priors = _priors()
    evidence = _where_rows_are(evidence)
    parts = list(_chunks(evidence))
    # those of very many segments would fill the memory, so they are computed twice
    is_kept = len(evidence.negatives) <= KEPT
    kept = [_likelihoods(part, noise) for part in parts] if is_kept else None

    def likelihoods() -> Iterable[FloatArray]:
        return kept or (_likelihoods(part, noise) for part in parts)

    evidences = sum(
        np.log(np.maximum(found @ priors.T, TINY)).sum(axis=0) for found in likelihoods()
    )
    # SPREADS are spaced evenly in their logarithm
    log_posterior = evidences - 0.5 * (SPREADS / SPREAD_SCALE) ** 2 + np.log(SPREADS)
    chance = _spread_weights(np.asarray(log_posterior))
    prior, variance = chance @ priors, float(chance @ SPREADS**2)
    found = [
        _chunk_offsets(part, noise, likelihood * prior, variance)
        for part, likelihood in zip(parts, likelihoods(), strict=True)
    ]
    values, low, high, own_share = map(np.concatenate, zip(*found, strict=True))
    return Offsets(values, low, high, own_share, _estimate(np.asarray(log_posterior)))


@cache
def _priors() -> FloatArray:
    """Probability of each possible offset (column), given each possible spread (row)."""
    priors = np.exp(-0.5 * (GRID / SPREADS[:, None]) ** 2) * WIDTHS
    return np.asarray(priors / priors.sum(axis=1, keepdims=True))


def _where_rows_are(evidence: Evidence) -> Evidence:
    """The same without nodes at which no segment has rows; at least one is left."""
    used = np.asarray(evidence.negatives.any(axis=0) | evidence.positives.any(axis=0))
    used[0] |= not used.any()
    if used.all():
        return evidence
    counts = (np.ascontiguousarray(each[:, used]) for each in evidence[1:])
    return Evidence(evidence.nodes[used], *counts)


def _chunk_offsets(
    evidence: Evidence, noise: FloatArray, posterior: FloatArray, variance: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Offsets of some segments with both ends of their intervals, and shares of their own rows."""
    posterior /= posterior.sum(axis=1, keepdims=True)
    values = posterior @ GRID
    errors = np.sqrt(np.maximum(posterior @ GRID**2 - values**2, 0.0))
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = _quantiles(posterior, (tail, 1.0 - tail))
    coarse = errors < RESOLVED * np.interp(values, GRID, WIDTHS)
    if coarse.any():
        part = Evidence(evidence.nodes, evidence.negatives[coarse], evidence.positives[coarse])
        values[coarse], errors[coarse] = _newton(part, noise, values[coarse], variance)
        reach = ndtri(1.0 - tail) * errors[coarse]
        low[coarse], high[coarse] = values[coarse] - reach, values[coarse] + reach
    _, information = _curvature(evidence, noise, values)
    known = variance * information
    return values, low, high, known / (known + 1.0)


def _chunks(evidence: Evidence) -> Iterator[Evidence]:
    for start in range(0, len(evidence.negatives), CHUNK):
        rows = slice(start, start + CHUNK)
        yield Evidence(evidence.nodes, evidence.negatives[rows], evidence.positives[rows])


def _likelihoods(evidence: Evidence, noise: FloatArray) -> FloatArray:
    """Likelihood of each segment (row) at each possible offset (column), the largest being 1."""
    truth = kernels.sigmoids(np.ones_like(GRID), GRID, evidence.nodes)
    label = _positive_label(truth, noise).T
    # next to the rounding of their sums, log1p would gain nothing
    found = evidence.positives @ np.log(label) + evidence.negatives @ np.log(1.0 - label)
    return np.asarray(np.exp(found - found.max(axis=1, keepdims=True)))


def _positive_label(truth: FloatArray, noise: FloatArray) -> FloatArray:
    """Probability of a positive label, given that of the positive class."""
    found = noise[0, 1] + (noise[1, 1] - noise[0, 1]) * truth
    return np.asarray(np.clip(found, TINY, 1.0 - np.finfo(float).eps))


def _spread_weights(evidences: FloatArray) -> FloatArray:
    """Posterior of the standard deviation of the offsets, from its log-likelihood."""
    weights = np.exp(evidences - evidences.max())
    return np.asarray(weights / weights.sum())


def _quantiles(posterior: FloatArray, shares: Sequence[float]) -> list[FloatArray]:
    """Quantiles of each row's distribution over the grid, between whose points it is linear."""
    below = np.cumsum(posterior, axis=1) - 0.5 * posterior
    rows = np.arange(len(posterior))
    found = []
    for share in shares:
        place = np.clip((below < share).sum(axis=1), 1, len(GRID) - 1)
        start, end = below[rows, place - 1], below[rows, place]
        part = np.clip((share - start) / np.maximum(end - start, TINY), 0.0, 1.0)
        found.append(GRID[place - 1] + part * (GRID[place] - GRID[place - 1]))
    return found


def _newton(
    evidence: Evidence, noise: FloatArray, start: FloatArray, variance: float
) -> tuple[FloatArray, FloatArray]:
    """Posterior mode and standard error of segments whose rows leave little doubt."""
    values = start.copy()
    for _ in range(STEPS):
        gradient, information = _curvature(evidence, noise, values)
        information = information + 1.0 / variance
        step = np.clip((gradient - values / variance) / information, -1.0, 1.0)
        values = np.clip(values + step, -LARGEST, LARGEST)
        if np.all(np.abs(step) <= 1e-3 / np.sqrt(information)):
            break
    return values, 1.0 / np.sqrt(information)


def _curvature(
    evidence: Evidence, noise: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slope of the log-likelihood of each segment, and Fisher's information."""
    return kernels.offset_curvature(  # type: ignore[no-any-return]
        *evidence, values, float(noise[0, 1]), float(noise[1, 1])
    )


def _estimate(log_posterior: FloatArray) -> Estimate:
    """Median and interval of the spread. Many segments leave less than a step of the grid open.

    >>> found = _estimate(-0.5 * (np.log(SPREADS / 0.5) / 0.02) ** 2)
    >>> f"{found:.2f}"
    '0.50 (0.48 to 0.52)'
    """
    from scipy.interpolate import CubicSpline  # takes long to import

    steps = np.linspace(0, len(SPREADS) - 1, 100 * len(SPREADS))
    between = CubicSpline(np.arange(len(SPREADS)), log_posterior)(steps)
    weights = _spread_weights(between)
    spreads = np.exp(np.interp(steps, np.arange(len(SPREADS)), np.log(SPREADS)))
    tail = (1.0 - CONFIDENCE) / 2.0
    low, middle, high = weighted_quantiles(spreads, weights, (tail, 0.5, 1.0 - tail))
    return Estimate(middle, low, high)
