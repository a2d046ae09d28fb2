"""The kernels in numpy: the reference for what the compiled ones compute."""

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit

from lwcal.kernels.arrays import FloatArray, KeyArray, Knots, LabelArray, Pooled
from lwcal.kernels.runs import sorted_run, weighted_median

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
    return np.asarray(-np.log(np.clip(agreement, LOG_CLIP, 1.0 - LOG_CLIP)))


def median_and_mad(
    scores: FloatArray, negatives: FloatArray, positives: FloatArray
) -> tuple[float, float]:
    """Weighted median m of the losses, and their median absolute deviation s (paper, Eq. 2).

    Within a class the losses are ordered as the scores are, so nothing is sorted.
    """
    total = float(negatives.sum() + positives.sum())
    classes = [(log_losses(1.0 - scores), negatives), (log_losses(scores), positives)]
    m = weighted_median([sorted_run(losses, weights) for losses, weights in classes], total)

    deviations = []
    for losses, weights in classes:
        # |loss - m| falls towards the row whose loss is m and rises beyond it: two runs
        turn = int(np.argmax(losses > m)) if losses[0] <= m else int(np.argmax(losses <= m))
        turn = turn or len(losses)  # no turn at all
        deviation = np.abs(losses - m)
        deviations.append(sorted_run(deviation[:turn], weights[:turn]))
        deviations.append(sorted_run(deviation[turn:], weights[turn:]))
    return m, weighted_median(deviations, total)


def reliability_weights(
    losses: FloatArray, m: float, scale: float, floor: float, ceiling: float
) -> FloatArray:
    """Bounded reliability weight of every loss (paper, Eq. 2)."""
    sigmoid = expit((m - losses) / scale)
    return np.asarray(np.clip(np.where(sigmoid < NEGLIGIBLE, 0.0, sigmoid), floor, ceiling))


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
    """Isotonic regression with every row weighted by its reliability (paper, Eq. 5)."""
    return isotonic(
        scores,
        negatives * reliability_weights(log_losses(1.0 - scores), m, scale, floor, ceiling),
        positives * reliability_weights(log_losses(scores), m, scale, floor, ceiling),
    )


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
