"""Bootstrap intervals for the difference of two sets of probabilities on the same rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, LabelArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.resampling import Resampling, Seed, resampled_counts
from lwcal.metrics.several_classes import judged_rows
from lwcal.multiclass.class_rows import refuse_classes
from lwcal.rows import ArrayLike, as_labels, as_scores, as_weights, check_same_length
from lwcal.rows.class_labels import NAME_THEM
from lwcal.rows.classes import class_key
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable


def bootstrap_difference(
    metric: Callable[..., float],
    y_true: ArrayLike | ScoreTable,
    prob_a: ArrayLike,
    prob_b: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.9,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate how much a metric differs between two sets of probabilities for the same rows.

    Rows are drawn with replacement, the same rows for both sets. Some metrics are biased in
    small samples, such as :func:`ece` near 0. They are more biased in resamples, so their
    interval can lie to one side of the estimate. Proper scores do not have this problem.

    Parameters
    ----------
    metric : callable
        Called as ``metric(y_true, y_prob, sample_weight=counts)``. Set other options with
        ``functools.partial``.
    y_true : one-dimensional; or ScoreTable
        Labels, or a :class:`lwcal.ScoreTable` of scores and labels.
    prob_a, prob_b : of shape (n,) or (n, K), in [0, 1]
        The two sets of probabilities: of the positive class, or of all classes. The latter take
        metrics such as :func:`class_nll`, which get labels as numbers of columns. For a table, one
        value for each of its ``scores``, such as
        ``calibrator.map_(table.scores)``; ``prob_b`` is then the score itself by default.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows. The number of rows drawn is the
        sum of the weights, rounded.
    pos_label : optional
        The positive class, where the labels do not make it obvious.
    classes : sequence, optional
        Class of each column of probabilities of shape (n, K); by default as in :func:`class_nll`.
    n_resamples : int, default 1000
        Number of resamples. If the data hold both of two classes, a resample with only one is left
        out.
    confidence, random_state
        As in :func:`lwcal.metrics.paired_bootstrap`.

    Returns
    -------
    Estimate
        The metric of ``prob_a`` minus that of ``prob_b``: ``value``, ``low`` and ``high``.

    Examples
    --------
    >>> from lwcal.metrics import brier
    >>> y = [0, 1] * 50
    >>> delta = bootstrap_difference(brier, y, [0.2, 0.8] * 50, [0.4, 0.6] * 50)
    >>> f"{delta:.3f}"
    '-0.120 (-0.120 to -0.120)'

    Of several classes:

    >>> from lwcal.metrics import class_brier
    >>> sharp, flat = [[0.8, 0.1, 0.1]] * 50, [[0.4, 0.3, 0.3]] * 50
    >>> delta = bootstrap_difference(class_brier, ["a"] * 50, sharp, flat, classes="abc")
    >>> f"{delta:.3f}"
    '-0.480 (-0.480 to -0.480)'
    """
    resampling = Resampling(confidence, n_resamples, random_state)
    if not isinstance(y_true, ScoreTable) and is_matrix(prob_a):
        given = y_true, prob_a, prob_b, sample_weight
        return _of_classes(metric, _class_rows(*given, classes, pos_label), resampling)
    refuse_classes(classes)
    if isinstance(y_true, ScoreTable):
        columns = _entries(y_true, prob_a, prob_b, sample_weight, pos_label)
    else:
        columns = _rows(y_true, prob_a, prob_b, sample_weight, pos_label)
    rows, counts = _distinct_rows(*columns)
    labels = rows[:, 0].astype(np.uint8)
    draws = resampled_counts(labels, counts, n_resamples, resampling.generator())
    return _resampled_difference(
        metric, _Distinct(labels, rows[:, 1], rows[:, 2], counts), draws, resampling
    )


class _Distinct(NamedTuple):
    """Labels, both sets of probabilities and weights; of one class or, in columns, of all."""

    labels: LabelArray | IndexArray
    a: FloatArray
    b: FloatArray
    weights: FloatArray


def _resampled_difference(
    metric: Callable[..., float],
    rows: _Distinct,
    draws: Iterable[FloatArray],
    resampling: Resampling,
) -> Estimate:
    """Difference of the data, between quantiles of that of the resamples."""

    def difference(weights: FloatArray) -> float:
        of_a = metric(rows.labels, rows.a, sample_weight=weights)
        return float(of_a - metric(rows.labels, rows.b, sample_weight=weights))

    resampled = np.fromiter((difference(draw) for draw in draws), dtype=np.float64)
    return resampling.estimate(difference(rows.weights), resampled)


def _of_classes(
    metric: Callable[..., float], columns: _Distinct, resampling: Resampling
) -> Estimate:
    k = columns.a.shape[1]
    stacked = np.column_stack([columns.labels.astype(np.float64), columns.a, columns.b])
    rows, counts = _pooled(stacked, columns.weights)
    labels = rows[:, 0].astype(np.intp)
    of_a, of_b = (np.ascontiguousarray(part) for part in (rows[:, 1 : k + 1], rows[:, k + 1 :]))
    # rare classes are missing in many resamples, and no metric of several classes needs them
    any_label = np.zeros(len(labels), dtype=np.uint8)
    draws = resampled_counts(any_label, counts, resampling.n_resamples, resampling.generator())
    return _resampled_difference(metric, _Distinct(labels, of_a, of_b, counts), draws, resampling)


def _class_rows(
    y_true: ArrayLike,
    prob_a: ArrayLike,
    prob_b: ArrayLike | None,
    sample_weight: ArrayLike | None,
    classes: Sequence[Any] | None,
    pos_label: Any,
) -> _Distinct:
    """Check the columns of rows of several classes."""
    _require_both(prob_b)
    if pos_label is not None:
        expected = "no pos_label with probabilities of all classes"
        raise ParameterError(message(expected, f"{pos_label!r}"))
    a, b = (
        judged_rows(y_true, side, classes, sample_weight, prob_name=name)
        for name, side in (("prob_a", prob_a), ("prob_b", prob_b))
    )
    place = {class_key(label): column for column, label in enumerate(b.classes)}
    keys = [class_key(label) for label in a.classes]
    if set(keys) != set(place):
        got = f"{len(a.classes):,} and {len(b.classes):,} classes that differ"
        raise InputError(message("the same classes in prob_a and prob_b", got, NAME_THEM))
    # frames may have the same columns in another order
    return _Distinct(
        a.labels, a.probabilities, b.probabilities[:, [place[k] for k in keys]], a.weights
    )


def _require_both(prob_b: ArrayLike | None) -> None:
    if prob_b is None:
        raise InputError("prob_b is missing. Pass two sets of probabilities for the same rows.")


Columns = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Labels, both sets of probabilities, and weights."""


def _rows(
    y_true: ArrayLike,
    prob_a: ArrayLike,
    prob_b: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
) -> Columns:
    """Check the columns of rows."""
    _require_both(prob_b)
    labels = as_labels(y_true, pos_label=pos_label, name="y_true")
    a, b = as_scores(prob_a, name="prob_a"), as_scores(prob_b, name="prob_b")
    check_same_length(len(a), len(labels), "y_true")
    check_same_length(len(a), len(b), "prob_b")
    weights = np.ones(len(a)) if sample_weight is None else as_weights(sample_weight, len(a))
    return labels.astype(np.float64), a, b, weights


def _entries(
    table: ScoreTable,
    prob_a: ArrayLike,
    prob_b: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
) -> Columns:
    """Return each entry of a table twice: once for its negative and once for its positive rows."""
    if sample_weight is not None or pos_label is not None:
        raise InputError(
            "sample_weight or pos_label was passed together with a ScoreTable, which already "
            "holds the labels and weights of its rows."
        )
    sides = {"prob_a": prob_a, "prob_b": table.scores if prob_b is None else prob_b}
    a, b = (as_scores(side, name=name) for name, side in sides.items())
    for name, side in (("prob_a", a), ("prob_b", b)):
        if len(side) != len(table):
            raise InputError(
                f"{name} has {len(side):,} values, but the table has {len(table):,} distinct "
                f"scores. Pass one probability for each of table.scores."
            )
    labels = np.repeat([0.0, 1.0], len(table))
    weights = np.concatenate((table.negatives, table.positives))
    return labels, np.tile(a, 2), np.tile(b, 2), weights


def _distinct_rows(
    labels: FloatArray, a: FloatArray, b: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Pool equal rows (label, a, b), so that resamples do not depend on the order of the rows."""
    return _pooled(np.stack((labels, a, b), axis=1), weights)


def _pooled(columns: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    kept = weights > 0
    columns = columns + 0.0  # turns -0.0 into 0.0
    rows, inverse = np.unique(columns[kept], axis=0, return_inverse=True)
    return rows, np.asarray(np.bincount(inverse.ravel(), weights[kept]), dtype=np.float64)
