"""The kernels in numpy: the reference for what the compiled ones compute."""

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from lwcal.kernels.arrays import FloatArray, KeyArray, Knots, LabelArray, Pooled
from lwcal.kernels.quantiles import weighted_median

LOG_CLIP = 2.0**-40
"""Scores are moved this far from 0 and 1, inside logarithms only."""
NEGLIGIBLE = 1e-300
"""A weight below this counts as zero, when the floor lets it: means of such weights underflow."""


def count_distinct(scores: FloatArray, labels: LabelArray, limit: int) -> Pooled | None:
    """Pool rows whose scores take few distinct values; None means: sort instead.

    numpy has nothing faster than sorting for this, so the answer is always None.
    """
    return None


def label_keys(scores: FloatArray, labels: LabelArray) -> KeyArray:
    """Write score and label into one integer that sorts by score, then label.

    A score in [0, 1] has bits that, read as an integer, order like the score. The shift
    drops the sign, which makes -0.0 and 0.0 equal, and leaves the last bit to the label.
    """
    keys = scores.view(np.uint64) << np.uint64(1)
    keys |= labels
    return keys


def pool_sorted_keys(keys: KeyArray) -> Pooled:
    """Pool rows given as sorted keys (see :func:`label_keys`); they may be overwritten."""
    bits = keys >> np.uint64(1)
    starts = np.flatnonzero(np.concatenate(([True], bits[1:] != bits[:-1])))
    scores = bits[starts].view(np.float64)
    if len(starts) == len(keys):
        positives = (keys & np.uint64(1)).astype(np.float64)
        return scores, 1.0 - positives, positives
    totals = np.diff(starts, append=len(keys)).astype(np.float64)
    positives = np.add.reduceat((keys & np.uint64(1)).astype(np.float64), starts)
    return scores, totals - positives, positives


def log_losses(agreement: FloatArray) -> FloatArray:
    """Losses of rows whose own label the score gives this probability (paper, Eq. 1)."""
    losses = np.clip(agreement, LOG_CLIP, 1.0 - LOG_CLIP)
    np.log(losses, out=losses)
    return np.negative(losses, out=losses)


def _agreements(
    scores: FloatArray, negatives: FloatArray, positives: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Agreement of every group of labels: one a row of the table, then the second of some rows.

    Most scores carry labels of one class only. Where there are both, the row stands for the
    positive ones and the negative ones are added at the end; their rows are returned too.
    """
    both = np.flatnonzero((negatives > 0) & (positives > 0))
    own = np.where(positives > 0, scores, 1.0 - scores)
    return np.concatenate((own, 1.0 - scores[both])) if len(both) else own, both


def median_and_mad(
    scores: FloatArray, negatives: FloatArray, positives: FloatArray
) -> tuple[float, float]:
    """Weighted median m of the losses, and their median absolute deviation s (paper, Eq. 2)."""
    agreement, both = _agreements(scores, negatives, positives)
    weights = np.where(positives > 0, positives, negatives)
    weights = np.concatenate((weights, negatives[both])) if len(both) else weights
    losses = log_losses(agreement)
    m = weighted_median(losses, weights)
    losses -= m
    return m, weighted_median(np.abs(losses, out=losses), weights)


def reliability_weights(
    losses: FloatArray, m: float, scale: float, floor: float, ceiling: float
) -> FloatArray:
    """Bounded reliability weight of every loss (paper, Eq. 2)."""
    weights = (losses - m) / scale
    with np.errstate(over="ignore"):  # an infinite exponential is a weight of zero
        np.exp(weights, out=weights)
    weights += 1.0
    np.divide(1.0, weights, out=weights)
    if floor < NEGLIGIBLE:
        weights[weights < NEGLIGIBLE] = 0.0
    return np.clip(weights, floor, ceiling, out=weights)


def isotonic(scores: FloatArray, negatives: FloatArray, positives: FloatArray) -> Knots:
    """Isotonic regression of the labels on the scores (paper, Eq. 4).

    Returns both ends of every block, so that interpolating reproduces the fit.
    """
    weights = negatives + positives
    kept = weights > 0
    if not kept.all():
        scores, positives, weights = scores[kept], positives[kept], weights[kept]
    fit = isotonic_regression(positives / weights, weights=weights)
    first, last = fit.blocks[:-1], fit.blocks[1:] - 1
    # scipy's running means carry rounding; one sum a block does not
    values = np.add.reduceat(positives, first) / np.add.reduceat(weights, first)
    ends = np.column_stack((first, last)).ravel()
    distinct = np.concatenate(([True], np.diff(ends) > 0))
    return scores[ends[distinct]], np.maximum.accumulate(np.repeat(values, 2)[distinct])


def loss_weighted_isotonic(
    scores: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    m: float,
    scale: float,
    floor: float,
    ceiling: float,
) -> Knots:
    """Isotonic regression with every label weighted by its reliability (paper, Eq. 5)."""
    agreement, both = _agreements(scores, negatives, positives)
    weights = reliability_weights(log_losses(agreement), m, scale, floor, ceiling)
    of_row, of_second = weights[: len(scores)], weights[len(scores) :]
    weighted_negatives = of_row * negatives
    weighted_negatives[both] = of_second * negatives[both]
    return isotonic(scores, weighted_negatives, np.multiply(of_row, positives, out=of_row))


def interpolate(points: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Evaluate ``y + (p - x) * slope`` between knots, constant beyond the ends."""
    with np.errstate(over="ignore"):
        slopes = np.diff(y) / np.diff(x)
    # Knots a denormal apart overflow the slope; the map is then a step at the next knot.
    slopes[~np.isfinite(slopes)] = 0.0
    starts = np.concatenate(([0.0], x))
    bases = np.concatenate((y[:1], y))
    slopes = np.concatenate(([0.0], slopes, [0.0]))
    tops = np.concatenate((y[:1], y[1:], y[-1:]))
    segment = np.searchsorted(x, points, side="right")
    values = bases[segment] + (points - starts[segment]) * slopes[segment]
    return np.asarray(np.minimum(values, tops[segment]))  # rounding must not break monotonicity
