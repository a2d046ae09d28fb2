"""A table for each segment, straight from columns of rows in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, IndexArray, LabelArray
from lwcal.numerics.tabulate import tabulate
from lwcal.rows import ArrayLike
from lwcal.rows.arrays import DROP_HINT, NAMES, Columns, as_columns
from lwcal.rows.checks import known_scale, valid_scores, valid_weights
from lwcal.rows.classes import MOST_CLASSES
from lwcal.rows.faults import DROP_SHARE, check_drop_share
from lwcal.rows.labels import plain_labels
from lwcal.rows.reducer import Reducer
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import check_same_length
from lwcal.segments.naming import names_of_rows
from lwcal.table import ScoreTable

NEITHER = 2
"""Code of a label of neither class."""
MOST_GAPS = 4
"""Whole numbers are looked up in a list if it has at most so many places for a row."""
MANY_ROWS = 64
"""Rows in a segment, on average, whose pooling takes far longer than to see that there are none."""


def segment_tables(
    scores: ArrayLike,
    y: ArrayLike,
    segments: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
) -> dict[Any, ScoreTable]:
    """Pool the rows of each segment: the tables that :func:`lwcal.fit_segments` takes.

    All rows are checked and divided at once, so a thousand segments take little longer than one.
    Segments that are whole numbers are divided fastest.

    Parameters
    ----------
    scores, y, sample_weight, pos_label, scale, drop_invalid, allow_drop_share
        As for :meth:`lwcal.ScoreTable.from_arrays`.
    segments : one-dimensional, or a frame or array of several columns
        The segment of each row; a tuple if there are several columns. Missing values, such as NaN,
        are the segment None.

    Returns
    -------
    dict of segment to ScoreTable

    Examples
    --------
    >>> tables = segment_tables([0.2, 0.7, 0.4], [0, 1, 1], ["NL", "NL", "BE"])
    >>> {name: table.n for name, table in tables.items()}
    {'NL': 2, 'BE': 1}
    """
    columns = as_columns(scores, y, sample_weight)
    known = known_scale(columns.scores, scale, "scores")
    check_drop_share(allow_drop_share)
    names, places = _numbered(segments)
    check_same_length(len(columns.scores), len(places), "segments")
    rows = _plain_rows(columns, pos_label, known)
    if rows is None:
        reducer = Reducer(
            NAMES,
            limit=None,
            drop_hint=DROP_HINT,
            pos_label=pos_label,
            scale=known,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
        )
        rows, kept = _checked_rows(reducer, columns)
        places = places[kept]
    pool = _pooled if rows.weights is None else _pooled_weighted
    return {names[place]: table for place, table in pool(rows, places, len(names), known)}


class ValidRows(NamedTuple):
    """Scores in [0, 1], labels 0 or 1, and weights."""

    scores: FloatArray
    labels: LabelArray
    weights: FloatArray | None


def _plain_rows(columns: Columns, pos_label: Any, scale: str) -> ValidRows | None:
    """Valid numbers, without a look at single rows; None if a row needs one."""
    scores, y, sample_weight = columns
    values = valid_scores(scores, scale)
    labels = None if values is None else plain_labels(y, pos_label)
    weights = None if sample_weight is None else valid_weights(sample_weight)
    if values is None or labels is None:
        return None
    if sample_weight is not None and (weights is None or not weights.any()):
        return None
    return ValidRows(values, labels, weights)


def _checked_rows(reducer: Reducer, columns: Columns) -> tuple[ValidRows, IndexArray]:
    """The valid rows, and their places. Invalid ones are dropped with a warning, or refused."""
    reducer.add(*columns)
    reducer.finish().dropped.warn()
    values, codes, weights, bad = reducer.check(*columns)
    label_of = np.full(MOST_CLASSES + 1, NEITHER, dtype=np.uint8)  # the last one is missing
    for code, label in reducer.understand_classes().items():
        label_of[code] = label
    labels = label_of[codes]
    kept = np.flatnonzero(labels != NEITHER if bad is None else (labels != NEITHER) & ~bad)
    given = None if weights is None else weights[kept]
    return ValidRows(values[kept], labels[kept], given), kept


def _numbered(segments: ArrayLike) -> tuple[Sequence[Any], IndexArray]:
    """The name of each segment, and the number of the segment of each row."""
    if isinstance(segments, np.ndarray) and segments.ndim == 1 and segments.dtype.kind in "iu":
        found = _numbered_integers(segments)
        if found is not None:
            return found
    numbers: dict[Any, int] = {}
    named = names_of_rows(segments)
    places = [numbers.setdefault(name, len(numbers)) for name in named]
    return list(numbers), np.array(places, dtype=np.intp)


def _numbered_integers(segments: IndexArray) -> tuple[Sequence[int], IndexArray] | None:
    """The same for whole numbers that lie close together; None if they do not."""
    low, high = (int(end) for end in (segments.min(initial=0), segments.max(initial=0)))
    if high - low > MOST_GAPS * len(segments):
        return None
    shifted = segments.astype(np.intp, copy=False)
    shifted = shifted - low if low else shifted
    if high - low < len(segments) // MANY_ROWS:  # names without rows cost less than a look-up
        return range(low, high + 1), shifted
    used = np.flatnonzero(np.bincount(shifted))
    names = (used + low).tolist()
    if len(names) == high - low + 1:
        return names, shifted
    numbers = np.empty(high - low + 1, dtype=np.intp)
    numbers[used] = np.arange(len(used))
    return names, numbers[shifted]


def _pooled(
    rows: ValidRows, places: IndexArray, count: int, scale: str
) -> Iterator[tuple[int, ScoreTable]]:
    """The table of each segment that has rows, and its place."""
    keys, ends = kernels.group_keys(rows.scores, rows.labels, places, count)
    listed = ends.tolist()
    for start, end in zip([0, *listed[:-1]], listed, strict=True):
        keys[start:end].sort()
    scores, labels, negatives, positives, sizes = kernels.pool_sorted_groups(keys, ends)
    make, start = ScoreTable.unchecked, 0
    for place, (end, size) in enumerate(zip(listed, sizes.tolist(), strict=True)):
        part = slice(start, start + size)
        if size == end - start > 0:
            yield place, make(scores[part], None, labels[part], scale=scale)
        elif size:
            yield place, make(scores[part], negatives[part], positives[part], scale=scale)
        start = end


def _pooled_weighted(
    rows: ValidRows, places: IndexArray, count: int, scale: str
) -> Iterator[tuple[int, ScoreTable]]:
    """The same for rows with weights. A segment whose weights are all 0 has no rows."""
    order = np.argsort(places, kind="stable")
    scores, labels, weights = rows.scores[order], rows.labels[order], rows.weights
    weights = None if weights is None else weights[order]
    ends = np.cumsum(np.bincount(places, minlength=count)).tolist()
    for place, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        part = slice(start, end)
        given = None if weights is None else weights[part]
        table = ScoreTable.unchecked(*tabulate(scores[part], labels[part], given), scale=scale)
        table.require_countable()
        if len(table):
            yield place, table
