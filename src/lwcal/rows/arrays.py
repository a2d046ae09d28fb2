"""Pool columns in memory: a source of one batch, under the rules of all others."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.arrays import Pooled
from lwcal.numerics.tabulate import tabulate
from lwcal.rows.checks import ONE_COLUMN, valid_scores, valid_weights
from lwcal.rows.labels import plain_labels
from lwcal.rows.reducer import Names, Reducer, Reduction, log_rows
from lwcal.rows.values import ArrayLike, Column, as_column, check_same_length

NAMES = Names("scores", "y", "sample_weight")
DROP_HINT = "drop them with ScoreTable.from_arrays(..., drop_invalid=True)"


class Columns(NamedTuple):
    """Columns of the same length, not yet checked otherwise."""

    scores: Column
    y: Column
    sample_weight: Column | None


def as_columns(scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Columns:
    """Convert columns, and compare their lengths."""
    first = as_column(scores, "scores", ONE_COLUMN)
    labels = as_column(y, "y")
    if len(labels) != len(first):
        check_same_length(len(first), len(labels), "y")
    if sample_weight is None:
        return Columns(first, labels, None)
    weights = as_column(sample_weight, "sample_weight")
    check_same_length(len(first), len(weights), "sample_weight", of="rows")
    return Columns(first, labels, weights)


def pool_plain(columns: Columns, pos_label: Any, scale: str) -> Pooled | None:
    """Pool valid numbers without a look at single rows; None if a row needs one.

    A fit to a few hundred rows takes microseconds, which the general way would double.
    """
    scores, y, sample_weight = columns
    values = valid_scores(scores, scale)
    labels = None if values is None else plain_labels(y, pos_label)
    if values is None or labels is None:
        return None
    weights = None
    if sample_weight is not None:
        weights = valid_weights(sample_weight)
        if weights is None or not weights.any():
            return None
    pooled = tabulate(values, labels, weights)
    log_rows(len(values), len(pooled[0]))
    return pooled


def reduce_columns(columns: Columns, **options: Any) -> Reduction:
    """Reduce columns to exact counts, row by row; the options are those of :class:`Reducer`."""
    reducer = Reducer(NAMES, limit=None, drop_hint=DROP_HINT, **options)
    reducer.add(*columns)
    return reducer.finish()
