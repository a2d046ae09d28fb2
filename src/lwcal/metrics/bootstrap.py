"""Is the difference real: bootstrap intervals for differences of matched results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray, LabelArray
from lwcal.errors import InputError, message, offending_rows
from lwcal.parameters import CONFIDENCE, COUNT, check_parameter
from lwcal.rows import ArrayLike, as_labels, as_scores, as_weights, check_same_length

Seed: TypeAlias = int | np.random.Generator | None
DRAWS_AT_ONCE = 1 << 20
"""Cells drawn in one go, which bounds memory to some 16 MB."""


@dataclass(frozen=True)
class Difference:
    """A difference and its percentile interval.

    Attributes
    ----------
    estimate : float
        Difference on the data themselves.
    lower, upper : float
        Ends of the interval.
    confidence : float
        Its nominal level.
    """

    estimate: float
    lower: float
    upper: float
    confidence: float


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n_resamples: int = 2000,
    confidence: float = 0.95,
    random_state: Seed = 0,
) -> Difference:
    """Mean of ``a - b`` over matched cells, with a bootstrap interval.

    Parameters
    ----------
    a, b : one-dimensional
        A result of two methods in the same cells, such as datasets and seeds.
    n_resamples : int, default 2000
        Times that the cells are drawn anew, with replacement.
    confidence : float, default 0.95
        Level of the percentile interval.
    random_state : int, numpy Generator or None, default 0
        None draws fresh randomness.

    Examples
    --------
    >>> delta = paired_bootstrap([0.10, 0.12, 0.11, 0.14], [0.15, 0.16, 0.18, 0.17])
    >>> round(delta.estimate, 4), delta.upper < 0
    (-0.0475, True)
    """
    check_parameter("n_resamples", n_resamples, COUNT)
    check_parameter("confidence", confidence, CONFIDENCE)
    differences = _matched_differences(a, b)
    means = _resampled_means(differences, n_resamples, np.random.default_rng(random_state))
    return _interval(float(differences.mean()), means, confidence)


def bootstrap_difference(
    metric: Callable[..., float],
    y_true: ArrayLike,
    prob_a: ArrayLike,
    prob_b: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    random_state: Seed = 0,
) -> Difference:
    """Difference of a metric between two sets of probabilities for the same rows.

    Rows are drawn with replacement, the same for both sets. A metric that is biased in small
    samples, such as :func:`ece` near 0, is more so in resamples: its interval can lie to
    one side of the estimate. Proper scores do not have this problem.

    Parameters
    ----------
    metric : callable
        Called as ``metric(y_true, y_prob, sample_weight=counts)``; set other options with
        ``functools.partial``.
    y_true : one-dimensional, two classes
    prob_a, prob_b : one-dimensional, in [0, 1]
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice. As many rows are drawn as the
        weights add up to, rounded.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    n_resamples : int, default 1000
        Resamples; those that miss a class which the data have are left out.
    confidence, random_state
        As in :func:`paired_bootstrap`.

    Examples
    --------
    >>> from lwcal.metrics import brier
    >>> y = [0, 1] * 50
    >>> delta = bootstrap_difference(brier, y, [0.2, 0.8] * 50, [0.4, 0.6] * 50)
    >>> round(delta.estimate, 3), round(delta.lower, 3), round(delta.upper, 3)
    (-0.12, -0.12, -0.12)
    """
    check_parameter("n_resamples", n_resamples, COUNT)
    check_parameter("confidence", confidence, CONFIDENCE)
    rows, counts = _distinct_rows(y_true, prob_a, prob_b, sample_weight, pos_label)
    labels = rows[:, 0].astype(np.uint8)

    def difference(weights: FloatArray) -> float:
        of_a = metric(labels, rows[:, 1], sample_weight=weights)
        return float(of_a - metric(labels, rows[:, 2], sample_weight=weights))

    draws = resampled_counts(labels, counts, n_resamples, np.random.default_rng(random_state))
    resampled = np.fromiter((difference(draw) for draw in draws), dtype=np.float64)
    return _interval(difference(counts), resampled, confidence)


def _matched_differences(a: ArrayLike, b: ArrayLike) -> FloatArray:
    of_a, of_b = _as_cells(a, "a"), _as_cells(b, "b")
    if len(of_a) != len(of_b):
        raise InputError(
            message(
                f"as many values in b as in a ({len(of_a):,})",
                f"{len(of_b):,}",
                "keep only cells that both have",
            )
        )
    return np.asarray(of_a - of_b)


def _as_cells(values: ArrayLike, name: str) -> FloatArray:
    try:
        cells = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(message(f"{name} to be numbers", str(error))) from error
    if cells.ndim != 1 or cells.size == 0:
        got = f"an array of shape {cells.shape}"
        raise InputError(message(f"{name} to be one-dimensional and not empty", got))
    bad = ~np.isfinite(cells)
    if bad.any():
        raise InputError(
            message(
                f"{name} to be finite",
                offending_rows(bad, cells, "that are not"),
                "leave such cells out of both a and b",
            )
        )
    return cells


def _resampled_means(
    values: FloatArray, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    n = len(values)
    at_once = max(DRAWS_AT_ONCE // n, 1)
    blocks = (min(at_once, n_resamples - done) for done in range(0, n_resamples, at_once))
    means = [values[generator.integers(n, size=(block, n))].mean(axis=1) for block in blocks]
    return np.concatenate(means)


def _distinct_rows(
    y_true: ArrayLike,
    prob_a: ArrayLike,
    prob_b: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Any,
) -> tuple[FloatArray, FloatArray]:
    """Distinct (label, a, b) and their weights: draws then depend on nothing but these."""
    labels = as_labels(y_true, pos_label=pos_label, name="y_true")
    a, b = as_scores(prob_a, name="prob_a"), as_scores(prob_b, name="prob_b")
    check_same_length(len(a), len(labels), "y_true")
    check_same_length(len(a), len(b), "prob_b")
    weights = np.ones(len(a)) if sample_weight is None else as_weights(sample_weight, len(a))
    kept = weights > 0
    columns = np.stack((labels.astype(np.float64), a, b), axis=1) + 0.0  # turns -0.0 into 0.0
    rows, inverse = np.unique(columns[kept], axis=0, return_inverse=True)
    return rows, np.asarray(np.bincount(inverse.ravel(), weights[kept]), dtype=np.float64)


def resampled_counts(
    labels: LabelArray,
    counts: FloatArray,
    n_resamples: int,
    generator: np.random.Generator,
) -> Iterator[FloatArray]:
    """How often each distinct row is drawn, one resample after the other."""
    size = _n_draws(float(counts.sum()))
    shares = counts / counts.sum()
    n_classes = len(np.unique(labels))
    for _ in range(n_resamples):
        draw = generator.multinomial(size, shares).astype(np.float64)
        if len(np.unique(labels[draw > 0])) == n_classes:
            yield draw


def _n_draws(total: float) -> int:
    if round(total) < 1:
        raise InputError(
            message(
                "sample_weight to add up to at least one row",
                f"{total:g}",
                "weights are frequencies here; do not normalise them",
            )
        )
    return round(total)


def _interval(estimate: float, resampled: FloatArray, confidence: float) -> Difference:
    if len(resampled) == 0:
        raise InputError(
            message(
                "a resample that holds both classes",
                "none",
                "one class has too little weight; take more rows",
            )
        )
    tail = (1.0 - confidence) / 2
    lower, upper = np.quantile(resampled, [tail, 1.0 - tail])
    return Difference(estimate, float(lower), float(upper), confidence)
