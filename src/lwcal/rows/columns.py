"""Turn one column of any kind into an array of numpy or pyarrow."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.errors import InputError

ArrayLike: TypeAlias = Any
"""A one-dimensional numpy array, pandas or polars Series, pyarrow array, or list."""
Column: TypeAlias = Any
"""A one-dimensional array of numpy or pyarrow."""
NOUNS = {
    "y": "labels",
    "y_true": "labels",
    "y_audited": "audited labels",
    "sample_weight": "weights",
    "identities": "ids",
    "segments": "segments",
}
"""What the values of a parameter are called in messages."""


def as_column(
    values: ArrayLike,
    name: str,
    hint: str = "Pass a single column.",
    *,
    allow_empty: bool = False,
) -> Column:
    """Check that this is one column, with rows unless it may be empty; copy only if necessary."""
    if type(values) is np.ndarray and values.ndim == 1 and len(values):
        return values  # the usual case, first
    column = _converted(values, name)
    if not is_arrow(column):
        column = _one_dimensional(column, name, hint)
    if len(column) == 0 and not allow_empty:
        raise InputError(no_rows(name))
    return column


def no_rows(name: str) -> str:
    """Word the error about data without rows."""
    return f"{name} has no rows; at least one is needed. Check the source of the data."


def check_same_length(expected: int, got: int, name: str, *, of: str = "scores") -> None:
    """Refuse columns of different length.

    >>> check_same_length(12_210, 12_209, "y")
    Traceback (most recent call last):
    lwcal.errors.InputError: 12,210 scores but 12,209 labels. Both must come from the same rows.
    """
    if expected != got:
        noun = NOUNS.get(name, f"values of {name}")
        noun = noun.removesuffix("s") if got == 1 else noun
        hint = "Both must come from the same rows."
        raise InputError(f"{expected:,} {of} but {got:,} {noun}. {hint}")


def is_arrow(column: Any) -> bool:
    """Whether a column is of pyarrow; decided by name, because pyarrow is optional."""
    return type(column) is not np.ndarray and package_of(column) == "pyarrow"


def package_of(value: Any) -> str:
    """Name of the package that a value's type comes from."""
    return type(value).__module__.partition(".")[0]


def _converted(values: ArrayLike, name: str) -> Column:
    column = _arrow_column(values)
    if column is not None:
        return column
    try:
        return np.asarray(values)
    except ValueError:
        hint = "Pass a single column."
        raise InputError(f"{name} has rows of different length. {hint}") from None


def _one_dimensional(array: npt.NDArray[Any], name: str, hint: str) -> npt.NDArray[Any]:
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}, expected one column. {hint}")
    return array


def _arrow_column(values: ArrayLike) -> Column | None:
    """Convert what keeps its missing values best in Arrow; None for everything else."""
    package = package_of(values)
    if package == "pyarrow":
        return _one_chunk(values)
    is_extension = package == "pandas" and not isinstance(
        getattr(values, "dtype", np.dtype(object)), np.dtype
    )
    if not (is_extension or (package == "polars" and hasattr(values, "to_arrow"))):
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        column = values.to_arrow() if package == "polars" else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError):  # types that Arrow does not have
        return None
    return _one_chunk(column)


def _one_chunk(column: Column) -> Column:
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column
