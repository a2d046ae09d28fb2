"""Columns that should hold numbers, whatever they arrive as."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.inputs import is_missing

MISSING_WORDS = frozenset(
    ["", "#N/A", "#NA", "N/A", "NA", "n/a", "na", "NULL", "null", "None", "NaN", "nan", "-nan"]
)
"""How people write nothing in a text file."""


def is_arrow(column: Any) -> bool:
    """Whether a column is pyarrow's; asked by name, because pyarrow need not be installed."""
    return type(column).__module__.partition(".")[0] == "pyarrow"


def as_numbers(column: Any) -> tuple[FloatArray, BoolArray | None, npt.NDArray[Any]]:
    """Values as float64, NaN where they are missing; which are not numbers; and as they came.

    >>> as_numbers(np.array(["0.5", "NA", "high"], dtype=object))[:2]
    (array([0.5, nan, nan]), array([False, False,  True]))
    """
    if is_arrow(column):
        column = _from_arrow(column)
    if column.dtype.kind in "fiub":
        values = np.ascontiguousarray(column, dtype=np.float64)
        return values, None, values
    # one by one, which is slow, but only where something is wrong or pandas holds objects
    values = np.full(len(column), np.nan)
    bad = np.zeros(len(column), dtype=np.bool_)
    missing = is_missing(column)
    for row in np.flatnonzero(~missing):
        value = column[row]
        if isinstance(value, str) and value.strip() in MISSING_WORDS:
            continue
        try:
            values[row] = float(value)
        except (TypeError, ValueError, OverflowError):
            bad[row] = True
    return values, bad if bad.any() else None, column


def _from_arrow(column: Any) -> npt.NDArray[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if pa.types.is_string_view(kind):
        column, text = column.cast(pa.string()), True
    if text or pa.types.is_decimal(kind):
        try:
            return np.asarray(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False))
        except pa.ArrowInvalid:
            return np.array(column.to_pylist(), dtype=object)
    if pa.types.is_boolean(kind) and column.null_count:
        column = column.cast(pa.int8())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return _objects(column.to_pylist())


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
