"""The kernels in numpy. They define what the compiled kernels compute."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import Counted, FloatArray, IndexArray, KeyArray, Knots, LabelArray, Pooled
from lwcal.kernels.groups import class_totals as class_totals
from lwcal.kernels.groups import group_keys as group_keys
from lwcal.kernels.groups import pool_sorted_groups as pool_sorted_groups
from lwcal.kernels.lines import LOG_CLIP as LOG_CLIP
from lwcal.kernels.lines import average_entropy as average_entropy
from lwcal.kernels.lines import average_sigmoid as average_sigmoid
from lwcal.kernels.lines import sigmoid_sums as sigmoid_sums
from lwcal.kernels.lines import sigmoids as sigmoids
from lwcal.kernels.medians import weighted_median_and_mad

CHUNK = 1 << 15
"""Rows per chunk: temporary arrays of this length stay in the processor's cache."""
NEGLIGIBLE = 1e-300
"""Smaller weights become 0 if the floor allows it, because means of such weights underflow."""


def within(values: FloatArray, low: float, high: float) -> bool:
    """Whether all values lie in [low, high]; a NaN does not."""
    return len(values) == 0 or bool(values.min() >= low and values.max() <= high)


def count_distinct(scores: FloatArray, labels: LabelArray, limit: int) -> Counted | None:
    """Pool rows with few distinct scores; None if the caller should sort instead.

    numpy has nothing faster than sorting, so this twin always returns None.
    """
    return None


def count_on_grid(
    scores: FloatArray, labels: LabelArray, weights: FloatArray | None, bins: FloatArray
) -> None:
    """Add rows to counts in bins of equal width, in place.

    A row of ``bins`` describes one bin: its lowest score, its highest score, and the weight of its
    negative and positive labels. A score belongs to the bin at the integer part of
    ``score * (len(bins) - 1)``. Rows of weight 0 are skipped.
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
    """Combine score and label into one integer that sorts by score, then by label.

    The bits of scores in [0, 1], read as integers, order like the scores. The shift drops the
    sign, which makes -0.0 and 0.0 equal, and leaves the last bit to the label.

    Returns
    -------
    keys : uint64 array
    middle : int
        No key before this position is larger than a key after it, so the two parts can be
        sorted separately. In this twin the first part is empty.
    """
    keys = scores.view(np.uint64) << np.uint64(1)
    keys |= labels
    return keys, 0


def pool_sorted_keys(keys: KeyArray) -> Pooled:
    """Pool rows given as sorted keys of :func:`label_keys`. The keys may be overwritten."""
    labels = (keys & np.uint64(1)).astype(np.uint8)
    keys >>= np.uint64(1)
    scores = keys.view(np.float64)
    first = np.concatenate(([True], keys[1:] != keys[:-1]))
    if first.all():
        return scores, None, labels
    starts = np.flatnonzero(first)
    totals = np.diff(starts, append=len(keys)).astype(np.float64)
    positives = np.add.reduceat(labels, starts, dtype=np.float64)
    return scores[starts], totals - positives, positives


def label_counts(
    negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> tuple[FloatArray, FloatArray]:
    """Return the counts of both classes of a table, which may hold single rows.

    >>> label_counts(None, np.array([0, 1], dtype=np.uint8))
    (array([1., 0.]), array([0., 1.]))
    """
    ones = np.asarray(positives, dtype=np.float64)
    return 1.0 - ones if negatives is None else negatives, ones


def pool_rows(scores: FloatArray, negatives: FloatArray, positives: FloatArray) -> Counted:
    """Sort rows by score, add up rows with equal scores, and drop scores without weight."""
    order = np.argsort(scores, kind="stable")
    scores, negatives, positives = scores[order], negatives[order], positives[order]
    first = np.concatenate(([True], scores[1:] != scores[:-1]))
    if not first.all():
        starts = np.flatnonzero(first)
        scores = scores[starts]
        negatives, positives = (np.add.reduceat(one, starts) for one in (negatives, positives))
    kept = negatives + positives > 0
    if kept.all():
        return scores, negatives, positives
    return scores[kept], negatives[kept], positives[kept]


def add_tables(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    other_scores: FloatArray,
    other_negatives: FloatArray | None,
    other_positives: FloatArray | LabelArray,
) -> Counted:
    """Add two tables with increasing scores. Scores without weight are left out."""
    one, other = label_counts(negatives, positives), label_counts(other_negatives, other_positives)
    columns = zip((scores, *one), (other_scores, *other), strict=True)
    return pool_rows(*(np.concatenate(column) for column in columns))


def add_to_each(
    tables: Sequence[Pooled], scores: FloatArray, negatives: FloatArray, positives: FloatArray
) -> list[Counted]:
    """Add other counts to each of several tables, as :func:`add_tables` does.

    The other counts are a row of ``negatives`` and of ``positives`` for each table, at the same
    ``scores``.
    """
    return [
        add_tables(*table, scores, *counts)
        for table, *counts in zip(tables, negatives, positives, strict=True)
    ]


def block_sums(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    starts: IndexArray,
) -> Counted:
    """Sum the weight of both classes, and score times weight, over blocks of rows.

    A block begins at each of ``starts``, which increase, and ends before the next one.
    """
    negatives, positives = label_counts(negatives, positives)
    columns = negatives, positives, scores * (negatives + positives)
    sums = (np.add.reduceat(column, starts) for column in columns)
    return next(sums), next(sums), next(sums)


def log_losses(agreement: FloatArray) -> FloatArray:
    """Return the losses of labels to which the score gives these probabilities (paper, Eq. 1)."""
    losses = np.clip(agreement, LOG_CLIP, 1.0 - LOG_CLIP)
    np.log(losses, out=losses)
    return np.negative(losses, out=losses)


def _chunks(n: int) -> Iterator[slice]:
    """Split rows into chunks."""
    return (slice(start, start + CHUNK) for start in range(0, n, CHUNK))


def _row_losses(scores: FloatArray, positives: FloatArray) -> FloatArray:
    """Return one loss per row: of its positive labels if it has any, else of its negative ones."""
    losses = np.empty_like(scores)
    for rows in _chunks(len(scores)):
        # |0 - p| = p and |1 - p| = 1 - p: faster than an unpredictable branch
        losses[rows] = log_losses(np.abs((positives[rows] == 0) - scores[rows]))
    return losses


def _rows_of_both_classes(negatives: FloatArray, positives: FloatArray) -> npt.NDArray[np.intp]:
    """Find the rows that have labels of both classes."""
    if np.count_nonzero(negatives) + np.count_nonzero(positives) == len(negatives):
        return np.empty(0, dtype=np.intp)  # the usual case with continuous scores
    return np.flatnonzero((negatives > 0) & (positives > 0))


def median_and_mad(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> tuple[float, float]:
    """Return the weighted median m and median absolute deviation s of the losses (paper, Eq. 2)."""
    negatives, positives = label_counts(negatives, positives)
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
    """Combine one loss per row with the second loss of rows that have both classes."""
    if len(both) == 0:
        return weighted_median_and_mad(losses, negatives + positives)
    weights = np.where(positives > 0, positives, negatives)
    return weighted_median_and_mad(
        np.concatenate((losses, second_losses)), np.concatenate((weights, negatives[both]))
    )


def weight_scale(s: float, mad_factor: float, epsilon: float, scale_floor: float) -> float:
    """Return the denominator of the reliability weights (paper, Eq. 2).

    >>> weight_scale(2.0, mad_factor=1.5, epsilon=0.25, scale_floor=1e-12)
    3.25
    """
    return max(mad_factor * s + epsilon, scale_floor)


def reliability_weights(
    losses: FloatArray, m: float, scale: float, floor: float, ceiling: float
) -> FloatArray:
    """Return the bounded reliability weight of every loss (paper, Eq. 2)."""
    weights = (losses - m) / scale
    with np.errstate(over="ignore"):  # an infinite exponential is a weight of zero
        np.exp(weights, out=weights)
    weights += 1.0
    np.divide(1.0, weights, out=weights)
    if floor < NEGLIGIBLE:
        weights[weights < NEGLIGIBLE] = 0.0
    return np.clip(weights, floor, ceiling, out=weights)


def isotonic(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> Knots:
    """Fit an isotonic regression of the labels on the scores (paper, Eq. 4).

    Returns both ends of every block, so interpolation reproduces the fit.
    """
    negatives, positives = label_counts(negatives, positives)
    totals = negatives + positives
    return _pool_adjacent_violators(scores, positives, totals, positives / totals)


def _pool_adjacent_violators(
    scores: FloatArray, positives: FloatArray, totals: FloatArray, means: FloatArray
) -> Knots:
    from scipy.optimize import isotonic_regression  # slow to import, and compiled kernels need none

    blocks = isotonic_regression(means, weights=totals).blocks
    first, last = blocks[:-1], blocks[1:] - 1
    # scipy's running means accumulate rounding errors; one sum per block does not
    values = np.add.reduceat(positives, first) / np.add.reduceat(totals, first)
    ends = np.column_stack((first, last)).ravel()
    distinct = np.concatenate(([True], np.diff(ends) > 0))
    return scores[ends[distinct]], np.maximum.accumulate(np.repeat(values, 2)[distinct])


def loss_weighted_isotonic(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    mad_factor: float,
    epsilon: float,
    scale_floor: float,
    floor: float,
    ceiling: float,
) -> tuple[float, float, FloatArray, FloatArray]:
    """Fit an isotonic regression to labels weighted by their reliability (paper, Eq. 2 and 5).

    The scale of the weights is ``mad_factor * s + epsilon``, at least ``scale_floor``.
    Returns m, s and the knots.
    """
    negatives, positives = label_counts(negatives, positives)
    both = _rows_of_both_classes(negatives, positives)
    losses, second_losses = _row_losses(scores, positives), log_losses(1.0 - scores[both])
    m, s = _median_and_mad(losses, second_losses, negatives, positives, both)
    bounds = m, weight_scale(s, mad_factor, epsilon, scale_floor), floor, ceiling
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
    means = np.divide(weighted, totals, out=losses[: len(totals)])  # reuses the memory
    return m, s, *_pool_adjacent_violators(scores, weighted, totals, means)


def loss_weighted_isotonics(
    tables: Sequence[Pooled],
    mad_factor: float,
    epsilon: float,
    scale_floor: float,
    floor: float,
    ceiling: float,
) -> list[tuple[float, float, FloatArray, FloatArray]]:
    """Fit each of several tables with :func:`loss_weighted_isotonic`."""
    bounds = mad_factor, epsilon, scale_floor, floor, ceiling
    return [loss_weighted_isotonic(*table, *bounds) for table in tables]


def class_errors(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> tuple[float, float, float, float]:
    """Sum the error of both classes, and its square.

    The error is the score for negative labels, and 1 minus the score for positive ones.
    """
    negatives, positives = label_counts(negatives, positives)
    opposite = 1.0 - scores
    return (
        float((negatives * scores).sum()),
        float((positives * opposite).sum()),
        float((negatives * scores**2).sum()),
        float((positives * opposite**2).sum()),
    )


def log_loss(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    clip: float,
) -> float:
    """Sum ``-log`` of each label's probability, moved into [clip, 1 - clip]."""
    negatives, positives = label_counts(negatives, positives)
    p = np.clip(scores, clip, 1.0 - clip)
    return -float((negatives * np.log1p(-p) + positives * np.log(p)).sum())


def ranked_pairs(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> float:
    """Count pairs of a negative and a positive label with the higher score; equal ones half."""
    negatives, positives = label_counts(negatives, positives)
    return float((positives * (np.cumsum(negatives) - negatives / 2)).sum())


def spread_residuals(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    cells: int,
) -> FloatArray:
    """Split residuals, label minus score, between the two nearest of the cells of [0, 1].

    That keeps their mean position. Beyond the outermost centre, a residual goes to the outermost
    cell.
    """
    negatives, positives = label_counts(negatives, positives)
    residuals = positives - (negatives + positives) * scores
    place = scores * cells - 0.5
    left = np.floor(place)
    share = place - left
    found = np.zeros(cells)
    for cell, part in ((left, 1.0 - share), (left + 1.0, share)):
        inside = np.clip(cell, 0, cells - 1).astype(np.intp)
        found += np.bincount(inside, residuals * part, minlength=cells)
    return found


def spread_labels(
    probabilities: FloatArray,
    tables: Sequence[Pooled],
    clip: float,
    first: float,
    step: float,
    nodes: int,
) -> tuple[FloatArray, FloatArray]:
    """Count the labels of several tables at nodes of the log-odds, ``first + k * step``.

    Probabilities are those of all rows, table after table. They are moved into [clip, 1 - clip].
    Each label is split between the two nodes around it, which keeps the mean of the log-odds.
    Beyond the last node, the shares of the last two continue. A row of the results is a table.
    """
    below, share = _around(probabilities, clip, first, step, nodes)
    cells = below + nodes * np.repeat(np.arange(len(tables)), [len(one) for one, _, _ in tables])
    counted = [label_counts(negatives, positives) for _, negatives, positives in tables]
    found = np.zeros((2, len(tables) * nodes))
    for counts, weights in zip(found, zip(*counted, strict=True), strict=bool(tables)):
        weight = np.concatenate(weights)
        for cell, part in ((cells, 1.0 - share), (cells + 1, share)):
            counts += np.bincount(cell, weight * part, minlength=len(counts))
    return found[0].reshape(-1, nodes), found[1].reshape(-1, nodes)


def _around(
    probabilities: FloatArray, clip: float, first: float, step: float, nodes: int
) -> tuple[IndexArray, FloatArray]:
    """Return the node below each log-odds, and the share that counts at the node above."""
    p = np.clip(probabilities, clip, 1.0 - clip)
    places = (np.log(p / (1.0 - p)) - first) / step
    below = np.clip(places.astype(np.intp), 0, nodes - 2)
    return below, places - below


def count_at_nodes(
    probabilities: FloatArray,
    weights: FloatArray | None,
    segments: IndexArray,
    clip: float,
    first: float,
    step: float,
    counts: FloatArray,
) -> None:
    """Add rows to the counts of their segments at nodes of the log-odds, in place.

    A row of ``counts`` is a segment, a column a node. Rows are shared out as in
    :func:`spread_labels`.
    """
    below, share = _around(probabilities, clip, first, step, counts.shape[1])
    weight = np.ones_like(share) if weights is None else weights
    np.add.at(counts, (segments, below), weight * (1.0 - share))
    np.add.at(counts, (segments, below + 1), weight * share)


def offset_curvature(
    log_odds: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    offsets: FloatArray,
    flipped: float,
    right: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the slope of each segment's log-likelihood by its offset, and Fisher's information.

    A segment is a row of both matrices, which count its labels at the log-odds of the columns. The
    probability of a positive label is ``right`` in the positive class, and ``flipped`` in the
    negative one.
    """
    truth = 1.0 / (1.0 + np.exp(-(log_odds + offsets[:, None])))
    label = np.clip(flipped + (right - flipped) * truth, NEGLIGIBLE, 1.0 - np.finfo(float).eps)
    slope = (right - flipped) * truth * (1.0 - truth)
    change = slope / (label * (1.0 - label))
    total = negatives + positives
    gradient = (change * (positives - total * label)).sum(axis=1)
    return gradient, (total * change * slope).sum(axis=1)


def logistic_loss(
    scores: FloatArray,
    negatives: FloatArray | None,
    positives: FloatArray | LabelArray,
    if_positive: float,
    if_negative: float,
    a: float,
    b: float,
    c: float,
    of_logs: bool,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the loss of a logistic regression, its gradient and its Hessian, by (a, b, c).

    The probability of a positive target is ``sigmoid(a * log(p) - b * log(1 - p) + c)``, or
    ``sigmoid(a * p + c)`` unless ``of_logs``. A positive label is a positive target with the
    probability ``if_positive``, a negative one with ``if_negative``.
    """
    negatives, positives = label_counts(negatives, positives)
    loss, gradient, hessian = 0.0, np.zeros(3), np.zeros((3, 3))
    for rows in _chunks(len(scores)):
        design = np.stack(_features(scores[rows], of_logs))
        linear = np.array([a, b, c]) @ design
        total = negatives[rows] + positives[rows]
        target = positives[rows] * if_positive + negatives[rows] * if_negative
        small = np.exp(-np.abs(linear))
        share = 1.0 / (1.0 + small)
        probability = np.where(linear < 0.0, small * share, share)
        loss += float(total @ (np.maximum(linear, 0.0) + np.log1p(small)) - target @ linear)
        gradient += design @ (total * probability - target)
        hessian += (design * (total * small * share**2)) @ design.T
    return loss, gradient, hessian


def _features(scores: FloatArray, of_logs: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    one = np.ones_like(scores)
    if not of_logs:
        return scores, np.zeros_like(scores), one
    clipped = np.clip(scores, LOG_CLIP, 1.0 - LOG_CLIP)
    return np.log(clipped), -np.log1p(-clipped), one


class LinearSegments(NamedTuple):
    """A piecewise linear map as ``min(base + (p - start) * slope, top)`` in each segment.

    A point with k knots at or below it lies in segment k, so there is one segment more than
    knots. The minimum keeps rounding from breaking monotonicity.
    """

    starts: FloatArray
    bases: FloatArray
    slopes: FloatArray
    tops: FloatArray


def linear_segments(x: FloatArray, y: FloatArray) -> LinearSegments:
    """Compute the segments of the map through these knots; it is constant beyond them.

    >>> linear_segments(np.array([0.25, 0.75]), np.array([0.0, 1.0])).slopes
    array([0., 2., 0.])
    """
    with np.errstate(over="ignore"):
        slopes = np.diff(y) / np.diff(x)
    # The slope overflows if knots are a denormal apart. The map then steps at the next knot.
    slopes[~np.isfinite(slopes)] = 0.0
    return LinearSegments(
        starts=np.concatenate(([0.0], x)),
        bases=np.concatenate((y[:1], y)),
        slopes=np.concatenate(([0.0], slopes, [0.0])),
        tops=np.concatenate((y[:1], y[1:], y[-1:])),
    )


def interpolate(points: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Evaluate the piecewise linear map through these knots."""
    segment = np.searchsorted(x, points, side="right")
    start, base, slope, top = (column[segment] for column in linear_segments(x, y))
    return np.asarray(np.minimum(base + (points - start) * slope, top))


def class_likelihood(
    features: FloatArray,
    labels: IndexArray,
    weights: FloatArray,
    matrix: FloatArray,
    intercepts: FloatArray,
    chances: FloatArray,
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Return the log likelihood of noisy labels of several classes, and what it depends on.

    The clean probabilities of a row x, a column of ``features``, are ``softmax(matrix @ x +
    intercepts)``; a matrix of one dimension is a diagonal. A true class k has the label j with
    probability ``chances[k, j]``.

    Returns
    -------
    log_likelihood : float
    by_matrix, by_intercepts : float64 arrays
        Its gradients, the first one in one dimension.
    counts : float64 array of shape (K, K)
        Expected weight of each label (row) and true class (column).
    """
    z = features * matrix[:, None] if matrix.ndim == 1 else matrix @ features
    z += intercepts[:, None]
    z -= z.max(axis=0)
    np.exp(np.maximum(z, -700.0, out=z), out=z)
    totals = z.sum(axis=0)
    joint = z * chances[:, labels]
    explained = joint.sum(axis=0)
    log_likelihood = float(weights @ (np.log(explained) - np.log(totals)))
    joint *= weights / explained
    counts = np.zeros_like(chances)
    np.add.at(counts, labels, joint.T)
    joint -= z * (weights / totals)  # now the residual of each class
    by_matrix = np.einsum("kn,kn->k", joint, features) if matrix.ndim == 1 else joint @ features.T
    return log_likelihood, by_matrix.ravel(), joint.sum(axis=1), counts


def set_thread_limit(threads: int, for_process: bool) -> None:
    """Limit the threads of the compiled kernels. These start none."""


def noise_mode(
    prior: FloatArray, clip: float, *evidence: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the most probable parameters of the noise of two classes, and the information."""
    from lwcal.kernels import noise_model  # scipy is slow to import, and compiled kernels need none

    return noise_model.noise_mode(prior, clip, *evidence)


def noise_draws(
    tasks: Sequence[tuple[Any, ...]],
) -> list[tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """Return slopes, intercepts, flip rates and log weights of draws from several posteriors.

    Each is given by the arguments of :func:`lwcal.kernels.noise_model.noise_draws`.
    """
    from lwcal.kernels import noise_model

    return [noise_model.noise_draws(*task) for task in tasks]


def regression_mode(
    features: FloatArray,
    offset: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    prior: FloatArray,
    start: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the highest log posterior of a regression, the parameters and the information."""
    from lwcal.kernels import regression

    return regression.regression_mode(features, offset, negatives, positives, prior, start)


def regression_draws(
    features: FloatArray,
    offset: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    prior: FloatArray,
    mode: FloatArray,
    information: FloatArray,
    standard: FloatArray,
    log_constant: float,
) -> tuple[FloatArray, FloatArray]:
    """Return draws from that posterior, one in a column, and their log weights."""
    from lwcal.kernels import regression

    return regression.regression_draws(
        features,
        offset,
        negatives,
        positives,
        prior,
        mode,
        information,
        standard,
        log_constant,
    )
