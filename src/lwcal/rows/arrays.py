"""Pool columns in memory: a source of one batch, under the rules of all others."""

from __future__ import annotations

from typing import Any

from lwcal.numerics.tabulate import tabulate
from lwcal.rows.columns import ArrayLike, Column, as_column, check_same_length
from lwcal.rows.counts import exact_counts
from lwcal.rows.faults import InvalidRows
from lwcal.rows.labels import plain_labels
from lwcal.rows.reducer import Names, Reducer, Reduction
from lwcal.rows.scores import ONE_COLUMN, valid_scores
from lwcal.rows.weights import valid_weights

NAMES = Names("scores", "y", "sample_weight")
DROP_HINT = "drop them with ScoreTable.from_arrays(..., drop_invalid=True)"


def reduce_arrays(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    *,
    drop_invalid: bool = False,
) -> Reduction:
    """Reduce columns to exact counts."""
    columns = _columns(scores, y, sample_weight)
    found = _reduce_plain(*columns, pos_label=pos_label)
    if found is not None:
        found.log()
        return found
    reducer = Reducer(
        NAMES, pos_label=pos_label, drop_invalid=drop_invalid, limit=None, drop_hint=DROP_HINT
    )
    reducer.add(*columns)
    return reducer.finish()


def _columns(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Column, Column, Column | None]:
    first = as_column(scores, NAMES.score, ONE_COLUMN)
    labels = as_column(y, NAMES.label)
    check_same_length(len(first), len(labels), NAMES.label)
    if sample_weight is None:
        return first, labels, None
    weights = as_column(sample_weight, "sample_weight")
    check_same_length(len(first), len(weights), "sample_weight")
    return first, labels, weights


def _reduce_plain(
    scores: Column, y: Column, sample_weight: Column | None, *, pos_label: Any
) -> Reduction | None:
    """Pool valid numbers without looking at single rows; None when something needs a look.

    A fit to a few hundred rows takes microseconds, which the general way would double.
    """
    values = valid_scores(scores)
    labels = None if values is None else plain_labels(y, pos_label)
    if values is None or labels is None:
        return None
    weights = None
    if sample_weight is not None:
        weights = valid_weights(sample_weight)
        if weights is None or not weights.any():
            return None
    counts = exact_counts(*tabulate(values, labels, weights))
    return Reduction(counts, InvalidRows(rows=len(values)))
