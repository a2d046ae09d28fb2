"""The kernels in numpy: the reference for what the compiled ones compute."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from lwcal.arrays import FloatArray, KeyArray, Knots, LabelArray, Pooled
from lwcal.kernels.quantiles import weighted_median_and_mad

LOG_CLIP = 2.0**-40
"""Scores are moved this far from 0 and 1, inside logarithms only."""
CHUNK = 1 << 15
NEGLIGIBLE = 1e-300
"""A weight below this counts as zero, when the floor lets it: means of such weights underflow."""


def count_distinct(scores: FloatArray, labels: LabelArray, limit: int) -> Pooled | None:
    """Pool rows whose scores take few distinct values; None means: sort instead.

    numpy has nothing faster than sorting for this, so the answer is always None.
    """
    return None


def count_on_grid(
    scores: FloatArray, labels: LabelArray, weights: FloatArray | None, bins: FloatArray
) -> None:
    """Add rows to counts in equally wide bins, in place.

    A row of ``bins`` is one bin: the lowest and the highest score in it, and the weight of its
    negative and positive labels. There is one for every whole part of ``score * (len(bins) - 1)``.
    A row of weight 0 leaves no trace.
    """
    if weights is not None:
        counted = weights != 0
        scores, labels, weights = scores[counted], labels[counted], weights[counted]
    scores = scores + 0.0  # turns -0.0 into 0.0
    places = (scores * (len(bins) - 1)).astype(np.intp)
    np.minimum.at(bins[:, 0], places, scores)
    np.maximum.at(bins[:, 1], places, scores)
    for column, rows in ((2, labels == 0), (3, labels != 0)):
        np.add.at(bins[:, column], places[rows], 1.0 if weights is None else weights[rows])


def label_keys(scores: FloatArray, labels: LabelArray) -> tuple[KeyArray, int]:
    """Write score and label into one integer that sorts by score, then label.

    A score in [0, 1] has bits that, read as an integer, order like the score. The shift
    drops the sign, which makes -0.0 and 0.0 equal, and leaves the last bit to the label.

    Also returns a position such that no key before it is larger than a key after it, so that
    the two parts can be sorted on their own; here the first part is empty.
    """
    keys = scores.view(np.uint64) << np.uint64(1)
    keys |= labels
    return keys, 0


def pool_sorted_keys(keys: KeyArray) -> Pooled:
    """Pool rows given as sorted keys (see :func:`label_keys`); they may be overwritten."""
    positives = (keys & np.uint64(1)).astype(np.float64)
    keys >>= np.uint64(1)
    scores = keys.view(np.float64)
    first = np.concatenate(([True], keys[1:] != keys[:-1]))
    if first.all():
        return scores, 1.0 - positives, positives
    starts = np.flatnonzero(first)
    totals = np.diff(starts, append=len(keys)).astype(np.float64)
    positives = np.add.reduceat(positives, starts)
    return scores[starts], totals - positives, positives


def log_losses(agreement: FloatArray) -> FloatArray:
    """Losses of rows whose own label the score gives this probability (paper, Eq. 1)."""
    losses = np.clip(agreement, LOG_CLIP, 1.0 - LOG_CLIP)
    np.log(losses, out=losses)
    return np.negative(losses, out=losses)


def _chunks(n: int) -> Iterator[slice]:
    """Ranges of rows short enough that temporary arrays stay in the processor's cache."""
    return (slice(start, start + CHUNK) for start in range(0, n, CHUNK))


def _row_losses(scores: FloatArray, positives: FloatArray) -> FloatArray:
    """Losses of each row's labels: of the positive ones where there are any, else the negative."""
    losses = np.empty_like(scores)
    for rows in _chunks(len(scores)):
        # |0 - p| = p and |1 - p| = 1 - p: quicker than a choice that cannot be foreseen
        losses[rows] = log_losses(np.abs((positives[rows] == 0) - scores[rows]))
    return losses


def _rows_of_both_classes(negatives: FloatArray, positives: FloatArray) -> npt.NDArray[np.intp]:
    """Rows that also hold negative labels besides the positive ones they stand for."""
    if np.count_nonzero(negatives) + np.count_nonzero(positives) == len(negatives):
        return np.empty(0, dtype=np.intp)  # the usual case with continuous scores
    return np.flatnonzero((negatives > 0) & (positives > 0))


def median_and_mad(
    scores: FloatArray, negatives: FloatArray, positives: FloatArray
) -> tuple[float, float]:
    """Weighted median m of the losses, and their median absolute deviation s (paper, Eq. 2)."""
    both = _rows_of_both_classes(negatives, positives)
    losses = _row_losses(scores, positives)
    return _median_and_mad(losses, log_losses(1.0 - scores[both]), negatives, positives, both)


def _median_and_mad(
    losses: FloatArray,
    second_losses: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    both: npt.NDArray[np.intp],
) -> tuple[float, float]:
    """Put the losses of each row, and the second ones of rows with both classes, together."""
    if len(both) == 0:
        return weighted_median_and_mad(losses, negatives + positives)
    weights = np.where(positives > 0, positives, negatives)
    return weighted_median_and_mad(
        np.concatenate((losses, second_losses)), np.concatenate((weights, negatives[both]))
    )


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
    totals = negatives + positives
    return _pool_adjacent_violators(scores, positives, totals, positives / totals)


def _pool_adjacent_violators(
    scores: FloatArray, positives: FloatArray, totals: FloatArray, means: FloatArray
) -> Knots:
    blocks = isotonic_regression(means, weights=totals).blocks
    first, last = blocks[:-1], blocks[1:] - 1
    # scipy's running means carry rounding; one sum a block does not
    values = np.add.reduceat(positives, first) / np.add.reduceat(totals, first)
    ends = np.column_stack((first, last)).ravel()
    distinct = np.concatenate(([True], np.diff(ends) > 0))
    return scores[ends[distinct]], np.maximum.accumulate(np.repeat(values, 2)[distinct])


def loss_weighted_isotonic(
    scores: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    scale_of: Callable[[float], float],
    floor: float,
    ceiling: float,
) -> tuple[float, float, FloatArray, FloatArray]:
    """Isotonic regression with every label weighted by its reliability (paper, Eq. 2 and 5).

    ``scale_of(s)`` is the denominator of the weights. Returns m, s and the knots.
    """
    both = _rows_of_both_classes(negatives, positives)
    losses, second_losses = _row_losses(scores, positives), log_losses(1.0 - scores[both])
    m, s = _median_and_mad(losses, second_losses, negatives, positives, both)
    bounds = m, scale_of(s), floor, ceiling
    weighted, totals = np.empty_like(positives), np.empty_like(positives)
    for rows in _chunks(len(scores)):
        weights = reliability_weights(losses[rows], *bounds)
        np.multiply(weights, positives[rows], out=weighted[rows])
        weights *= negatives[rows]
        np.add(weights, weighted[rows], out=totals[rows])
    totals[both] = weighted[both] + reliability_weights(second_losses, *bounds) * negatives[both]
    if floor < NEGLIGIBLE and not totals.all():
        kept = totals > 0
        scores, weighted, totals = scores[kept], weighted[kept], totals[kept]
    means = np.divide(weighted, totals, out=losses[: len(totals)])  # the losses are done with
    return m, s, *_pool_adjacent_violators(scores, weighted, totals, means)


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


def average_sigmoid(
    slopes: FloatArray, intercepts: FloatArray, weights: FloatArray, z: FloatArray
) -> FloatArray:
    """Weighted sum of ``sigmoid(slope * z + intercept)`` over lines, at every z."""
    return np.asarray(weights @ _sigmoids(slopes[:, None], intercepts[:, None], z)[0])


def flipped_log_likelihood(
    slopes: FloatArray,
    intercepts: FloatArray,
    rates: FloatArray,
    clip: float,
    z: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
) -> FloatArray:
    """Log probability of counted labels that follow a sigmoid and were flipped, for every line.

    ``P(label = 1 | z) = r0 + (1 - r0 - r1) * sigmoid(slope * z + intercept)``, held ``clip`` away
    from 0 and 1; a row of ``rates`` is one line's pair (r0, r1).
    """
    clean = _sigmoids(slopes[:, None], intercepts[:, None], z)
    noisy, opposite = _flipped(clean, rates[:, :1], rates[:, 1:], clip)
    np.log(noisy, out=noisy)
    np.log(opposite, out=opposite)
    return np.asarray(noisy @ positives + opposite @ negatives)


def flipped_derivatives(
    slope: float,
    intercept: float,
    r0: float,
    r1: float,
    clip: float,
    z: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Gradient of :func:`flipped_log_likelihood` and its expected information, for one line.

    By (log slope, intercept, r0, r1): arrays of shape (4,) and (4, 4).
    """
    clean, dirty = _sigmoids(slope, intercept, z)
    noisy, opposite = _flipped((clean, dirty), r0, r1, clip)
    steepness = (1.0 - (r0 + r1)) * clean * dirty
    jacobian = np.stack([steepness * slope * z, steepness, dirty, -clean])
    gradient = jacobian @ (positives / noisy - negatives / opposite)
    weight = (negatives + positives) / (noisy * opposite)
    return np.asarray(gradient), np.asarray((jacobian * weight) @ jacobian.T)


def _sigmoids(
    slope: FloatArray | float, intercept: FloatArray | float, z: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sigmoid of a line and what it lacks to 1, both accurate however small they are."""
    odds = slope * z
    odds += intercept
    np.negative(odds, out=odds)
    np.minimum(odds, 700.0, out=odds)  # nothing overflows
    np.exp(odds, out=odds)
    sigmoid = 1.0 / (1.0 + odds)
    return sigmoid, np.multiply(odds, sigmoid, out=odds)


def _flipped(
    clean: tuple[FloatArray, FloatArray],
    r0: FloatArray | float,
    r1: FloatArray | float,
    clip: float,
) -> tuple[FloatArray, FloatArray]:
    """Probabilities of a positive and of a negative label after flips."""
    kept = 1.0 - (r0 + r1)
    noisy, opposite = kept * clean[0] + r0, kept * clean[1] + r1
    for probability in (noisy, opposite):
        np.clip(probability, clip, 1.0 - clip, out=probability)
    return noisy, opposite
