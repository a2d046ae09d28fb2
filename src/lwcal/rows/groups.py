"""Reduce rows to one table for each group, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import IndexArray
from lwcal.errors import InputError
from lwcal.rows.frames import Frame, columns_of
from lwcal.rows.reducer import AnyReducer, AutoReducer, Names, Reduction, make_reducer
from lwcal.rows.scales import scale_of_all
from lwcal.rows.values import Column, is_arrow, no_rows, value_or_none

MOST_GROUPS = 1000
"""A column with more values is probably an id, and the tables would fill the memory."""
CHUNK = 1 << 17
"""Rows of a group that wait to be pooled; fewer than without groups, because all groups wait."""
AT_ONCE = 1 << 20
"""Rows that are divided into groups at once. Each group of each division costs some calls."""
Group = Any


def reduce_by_group(
    batches: Iterable[Frame], names: Names, by: str | Sequence[str], **options: Any
) -> dict[Group, Reduction]:
    """Reduce the rows of each group; with several columns, a group is a tuple of their values."""
    keys = [by] if isinstance(by, str) else list(by)
    reducers: dict[Group, AnyReducer] = {}
    first_row = 0
    frames = (columns_of(batch, [*names.used, *keys]) for batch in batches)
    for columns in _joined(part for parts in frames for part in parts):
        order, groups = _groups(columns[len(names.used) :])
        # sorted once: to look for the rows of each of many groups would take far longer
        used = [_take(column, order) for column in columns[: len(names.used)]]
        for values, rows in groups:
            group = values[0] if isinstance(by, str) else values
            reducer = _reducer_of(reducers, group, names, options)
            reducer.add(*(column[rows] for column in used), rows=first_row + order[rows])
        first_row += len(columns[0])
    return _finish_all(reducers, names)


def _joined(batches: Iterable[Sequence[Column]]) -> Iterator[Sequence[Column]]:
    """Join batches until they are long enough."""
    waiting: list[Sequence[Column]] = []
    rows = 0
    for columns in batches:
        waiting.append(columns)
        rows += len(columns[0])
        if rows >= AT_ONCE:
            yield _join(waiting)
            waiting, rows = [], 0
    if waiting:
        yield _join(waiting)


def _join(batches: list[Sequence[Column]]) -> Sequence[Column]:
    if len(batches) == 1:
        return batches[0]
    return [_concatenated(parts) for parts in zip(*batches, strict=True)]


def _concatenated(parts: Sequence[Column]) -> Column:
    if is_arrow(parts[0]):
        import pyarrow as pa

        return pa.concat_arrays(parts)
    return np.concatenate(parts)


def _reducer_of(
    reducers: dict[Group, AnyReducer], group: Group, names: Names, options: dict[str, Any]
) -> AnyReducer:
    if group not in reducers:
        if len(reducers) == MOST_GROUPS:
            raise too_many_groups()
        reducers[group] = make_reducer(names.shown(), chunk=CHUNK, **options)
    return reducers[group]


def too_many_groups() -> InputError:
    """Word the error about a column that has too many values for groups."""
    return InputError(
        f"There are more than {MOST_GROUPS:,} groups. Choose a column with fewer values."
    )


def _finish_all(reducers: dict[Group, AnyReducer], names: Names) -> dict[Group, Reduction]:
    """Finish all groups; an unknown scale is decided from the scores of all of them."""
    if not reducers:
        raise InputError(no_rows(names.shown().score))
    unsure = [reducer for reducer in reducers.values() if isinstance(reducer, AutoReducer)]
    scale = scale_of_all((one.seen for one in unsure), names.shown().score) if unsure else None
    return {group: _finish(group, reducer, scale) for group, reducer in reducers.items()}


def _finish(group: Group, reducer: AnyReducer, scale: str | None) -> Reduction:
    try:
        return reducer.finish(scale) if isinstance(reducer, AutoReducer) else reducer.finish()
    except InputError as error:
        raise InputError(f"group {group!r}: {error}") from None


def _groups(keys: Sequence[Column]) -> tuple[IndexArray, list[tuple[tuple[Any, ...], slice]]]:
    """An order of the rows of a batch by groups, and the groups with their places in it."""
    coded = [encode(column) for column in keys]
    together = np.zeros(len(coded[0][0]), dtype=np.int64)
    for codes, values in coded:  # several codes become the digits of one number
        together = together * len(values) + codes
    # numbers of two bytes or less are sorted far faster
    digits = together.astype(np.min_scalar_type(together.max(initial=0)))
    order = np.argsort(digits, kind="stable")
    ordered = together[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    numbers = ordered[starts]
    found = []
    for number, start, end in zip(
        numbers.tolist(), starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True
    ):
        key, rest = [], number
        for _, values in reversed(coded):
            rest, place = divmod(rest, len(values))
            key.append(values[place])
        found.append((tuple(reversed(key)), slice(start, end)))
    return order, found


def encode(column: Column) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Codes of the rows, and the values that they stand for; two codes may have the same value."""
    if is_arrow(column):
        import pyarrow as pa

        kind = column.type
        if isinstance(kind, pa.BaseExtensionType):  # Arrow encodes no booleans of a byte, no UUIDs
            column = column.storage
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        indices = column.indices.fill_null(len(column.dictionary))
        codes = np.asarray(indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        values = column.dictionary
        if isinstance(kind, pa.BaseExtensionType):
            values = pa.ExtensionArray.from_storage(kind, values)
        return codes, [*map(value_or_none, values.to_pylist()), None]
    places: dict[Any, int] = {}
    listed = map(value_or_none, column.tolist())
    codes = np.array([places.setdefault(value, len(places)) for value in listed], dtype=np.int64)
    return codes, list(places)


def _take(column: Column, order: IndexArray) -> Column:
    if is_arrow(column):
        import pyarrow as pa

        return column.take(pa.array(order))
    return column[order]
