"""One column of any kind, and columns of numbers: weights and chances."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError, message, offending_rows

ArrayLike: TypeAlias = Any
"""A one-dimensional numpy array, pandas or polars Series, pyarrow array, or list."""


def as_weights(
    sample_weight: ArrayLike, n: int, *, name: str = "sample_weight", allow_zeros: bool = False
) -> FloatArray:
    """Frequencies: finite, not negative, one a row, and not all zero unless that is allowed."""
    values = as_floats(as_column(sample_weight, name), name)
    check_same_length(n, len(values), name)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise InputError(
            message(
                f"{name} to be finite and at least 0",
                offending_rows(bad, values, "that are not"),
                "a weight is how often a row counts; use 0 to leave a row out",
            )
        )
    if not allow_zeros and not values.any():
        raise InputError(
            message(
                f"a positive {name} in some row", f"{len(values):,} zeros", "nothing would count"
            )
        )
    return values


def as_chances(
    values: ArrayLike, rows: BoolArray, *, name: str = "audit_probability"
) -> FloatArray:
    """Probabilities with which these rows were chosen: above 0, and at most 1.

    >>> as_chances([0.5, None, 0.1], np.array([True, False, True]))
    array([0.5, 0.1])
    """
    column = as_floats(as_column(values, name), name)
    check_same_length(len(rows), len(column), name)
    bad = rows & ~((column > 0.0) & (column <= 1.0))
    if bad.any():
        got = offending_rows(bad, column, "that are not, of the checked rows")
        raise InputError(message(f"{name} above 0, up to 1", got))
    return np.asarray(column[rows])


def check_same_length(expected: int, got: int, name: str) -> None:
    """Refuse columns of different length."""
    if expected != got:
        raise InputError(
            message(
                f"{name} with one value a score ({expected:,})",
                f"{got:,}",
                "check that both columns come from the same rows",
            )
        )


def as_column(values: ArrayLike, name: str, hint: str = "pass a single column") -> npt.NDArray[Any]:
    """One column as an array, or what came instead in a sentence."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            message(f"{name} to be one column", "rows of different length", "pass a single column")
        ) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(
            message(f"{name} to be one-dimensional", f"an array of shape {array.shape}", hint)
        )
    if array.size == 0:
        raise InputError(
            message(f"at least one row in {name}", "none", "check the source of the data")
        )
    return array


def as_floats(array: npt.NDArray[Any], name: str) -> FloatArray:
    """Numbers as contiguous float64, with NaN where there is none."""
    if array.dtype.kind in "fiub":
        return np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind == "O":
        missing = is_missing(array)
        try:
            return np.where(missing, np.nan, array).astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass  # the rows that are not numbers are named below
    bad = np.fromiter((not _is_number(value) for value in array), dtype=bool, count=len(array))
    if not bad.any():
        got, hint = f"{array.dtype}", f"convert them, for example with {name}.astype(float)"
    else:
        got, hint = offending_rows(bad, array, "that are not"), "check the column's name and type"
    raise InputError(message(f"{name} to be numbers", got, hint))


def _is_number(value: Any) -> bool:
    if isinstance(value, complex):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def is_missing(values: npt.NDArray[Any]) -> BoolArray:
    """Rows that hold NaN, None, NaT or pandas' NA."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "iubUS":
        return np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    return np.fromiter((_is_missing_value(v) for v in values), dtype=np.bool_, count=len(values))


def _is_missing_value(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":  # pandas.NA compares to nothing
        return True
    return isinstance(value, (float, np.floating)) and value != value
