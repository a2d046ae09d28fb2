"""Rows to one table for each group, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.errors import InputError, message
from lwcal.reduction.frames import Frame, columns_of
from lwcal.reduction.numbers import is_arrow
from lwcal.reduction.reducer import Names, Reduced, Reducer

MOST_GROUPS = 1000
"""With more groups than this a column is rather an id, and the tables would fill the memory."""
CHUNK = 1 << 17
"""Rows of a group that wait to be pooled: fewer than without groups, because all of them wait."""
Group = Any


def reduced_by(
    batches: Iterable[Frame], names: Names, by: str | Sequence[str], **options: Any
) -> dict[Group, Reduced]:
    """Reduce the rows of each group; of several columns the group is a tuple of their values."""
    columns = [by] if isinstance(by, str) else list(by)
    reducers: dict[Group, Reducer] = {}
    wanted = [*names.used, *columns]
    for batch in batches:
        for found in columns_of(batch, wanted):
            rows, keys = found[: len(names.used)], found[len(names.used) :]
            for key, mask in _groups(keys):
                group = key[0] if isinstance(by, str) else key
                reducer = _of_group(reducers, group, names, options)
                with_mask = [_filtered(column, mask) for column in rows]
                reducer.add(*with_mask)
    return {group: _finished(group, reducer) for group, reducer in reducers.items()}


def _of_group(
    reducers: dict[Group, Reducer], group: Group, names: Names, options: dict[str, Any]
) -> Reducer:
    if group not in reducers:
        if len(reducers) == MOST_GROUPS:
            hint = "choose a column with fewer values"
            got = f"more than {MOST_GROUPS:,}"
            raise InputError(message(f"at most {MOST_GROUPS:,} groups", got, hint))
        reducers[group] = Reducer(names, chunk=CHUNK, **options)
    return reducers[group]


def _finished(group: Group, reducer: Reducer) -> Reduced:
    try:
        return reducer.finish()
    except InputError as error:
        raise InputError(f"group {group!r}: {error}") from None


def _groups(
    keys: Sequence[Any],
) -> Iterator[tuple[tuple[Any, ...], npt.NDArray[np.bool_]]]:
    """Distinct combinations of values in a batch, each with its rows."""
    coded = [_coded(column) for column in keys]
    together = np.zeros(len(coded[0][0]), dtype=np.int64)
    for codes, values in coded:  # several numbers as the digits of one
        together = together * len(values) + codes
    for number in np.unique(together).tolist():
        key, rest = [], number
        for _, values in reversed(coded):
            rest, place = divmod(rest, len(values))
            key.append(values[place])
        yield tuple(reversed(key)), together == number


def _coded(column: Any) -> tuple[npt.NDArray[np.int64], list[Any]]:
    if is_arrow(column):
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        indices = column.indices.fill_null(len(column.dictionary))
        codes = np.asarray(indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        return codes, [*column.dictionary.to_pylist(), None]
    places: dict[Any, int] = {}
    listed = column.tolist()
    codes = np.array([places.setdefault(value, len(places)) for value in listed], dtype=np.int64)
    return codes, list(places)


def _filtered(column: Any, mask: npt.NDArray[np.bool_]) -> Any:
    if is_arrow(column):
        import pyarrow as pa

        return column.filter(pa.array(mask))
    return column[mask]
