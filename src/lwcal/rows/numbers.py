"""Read a column as numbers, whatever type it has."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.rows.columns import Column, is_arrow
from lwcal.rows.missing import is_missing_value

TRUTH = {"true": 1.0, "false": 0.0}
"""Text of booleans, in lower case: a CSV file holds them as words."""


class Numbers(NamedTuple):
    """A column read as numbers.

    Attributes
    ----------
    values : float64 array
        NaN where a value is missing or not numeric.
    not_numeric : bool array or None
        Rows that hold something else; None when there are none.
    original : array
        The values as they arrived, to be shown in messages.
    """

    values: FloatArray
    not_numeric: BoolArray | None
    original: npt.NDArray[Any]


def as_numbers(column: Column) -> Numbers:
    """Read a column as numbers; text that holds numbers is accepted.

    >>> as_numbers(np.array(["0.5", "NA", "high"], dtype=object))[:2]
    (array([0.5, nan, nan]), array([False, False,  True]))
    """
    array = _from_arrow(column) if is_arrow(column) else column
    if array.dtype.kind in "fiub":
        values = np.ascontiguousarray(array, dtype=np.float64)
        return Numbers(values, None, values)
    # dates become text, because numpy would count their nanoseconds
    return _one_by_one(array.astype(str) if array.dtype.kind in "mM" else array)


def parse_number(value: Any) -> float | None:
    """Read one value as a number; None when it is not numeric.

    >>> parse_number(" 0.5 "), parse_number("TRUE"), parse_number("1_0"), parse_number("high")
    (0.5, 1.0, None, None)
    """
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        if "_" in value:  # Python reads 1_0 as 10, and nothing else does
            return None
        value = TRUTH.get(value.strip().lower(), value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _one_by_one(column: npt.NDArray[Any]) -> Numbers:
    values = np.full(len(column), np.nan)
    bad = np.zeros(len(column), dtype=np.bool_)
    for row, value in enumerate(column.tolist()):
        if is_missing_value(value):
            continue
        number = parse_number(value)
        if number is None:
            bad[row] = True
        else:
            values[row] = number
    return Numbers(values, bad if bad.any() else None, column)


def _from_arrow(column: Column) -> npt.NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if is_text(kind) or pa.types.is_decimal(kind):
        return _cast_text(column)
    if pa.types.is_boolean(kind) and column.null_count:
        column = column.cast(pa.int8())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return as_objects(column.to_pylist())


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is text."""
    import pyarrow as pa

    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _cast_text(column: Column) -> npt.NDArray[Any]:
    """Cast all values at once; where that fails, they are read one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    try:
        return np.asarray(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return as_objects(column.to_pylist())


def as_objects(values: list[Any]) -> npt.NDArray[Any]:
    """Keep values as they are, lists among them too."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
