"""Check weights, and probabilities with which rows were selected."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError
from lwcal.rows import faults
from lwcal.rows.columns import ArrayLike, Column, as_column, check_same_length
from lwcal.rows.faults import InvalidRows, Kind
from lwcal.rows.numbers import as_numbers

CHANCE = Kind(
    "not above 0 and up to 1", "A checked row needs the probability with which it was selected."
)


def as_weights(
    sample_weight: ArrayLike, n: int, *, name: str = "sample_weight", allow_zeros: bool = False
) -> FloatArray:
    """Return n weights as float64, or refuse them; all zeros only if that is allowed."""
    column = as_column(sample_weight, name)
    check_same_length(n, len(column), name, of="rows")
    values = valid_weights(column)
    if values is None:
        invalid = InvalidRows(rows=n)
        values, _ = check_weights(column, 0, name, invalid)
        invalid.refuse(drop_hint=None)
    if not allow_zeros and not values.any():
        raise InputError(only_zeros(name, n))
    return values


def only_zeros(name: str, n: int) -> str:
    """Word the error about weights that leave nothing to count."""
    hint = "At least one weight must be above 0."
    return f"{name}: all {n:,} weights are zero, so no row counts. {hint}"


def valid_weights(column: Column) -> FloatArray | None:
    """Return plain numbers that are all valid weights; None for anything else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        values = np.ascontiguousarray(column, dtype=np.float64)
        if values.min() >= 0.0 and values.max() < np.inf:
            return values
    return None


def check_weights(
    column: Column, first_row: int, name: str, invalid: InvalidRows, bad: BoolArray | None = None
) -> tuple[FloatArray, BoolArray | None]:
    """Return the weights of a batch, and which rows are invalid: those before, and these."""
    values, not_numeric, original = as_numbers(column)
    wrong = ~(np.isfinite(values) & (values >= 0.0))
    if not wrong.any():
        return values, bad
    shown = values if not_numeric is None else original
    # a row that was invalid before is not counted again
    new = wrong if bad is None else wrong & ~bad
    invalid.find(new, shown, first_row, name, faults.BAD_WEIGHT)
    return values, wrong if bad is None else wrong | bad


def as_chances(
    values: ArrayLike, rows: BoolArray, *, name: str = "audit_probability"
) -> FloatArray:
    """Return the probabilities with which these rows were selected: above 0, and at most 1.

    >>> as_chances([0.5, None, 0.1], np.array([True, False, True]))
    array([0.5, 0.1])
    """
    column = as_column(values, name)
    check_same_length(len(rows), len(column), name, of="rows")
    numbers = as_numbers(column)
    bad = rows & ~((numbers.values > 0.0) & (numbers.values <= 1.0))
    shown = numbers.values if numbers.not_numeric is None else numbers.original
    invalid = InvalidRows(rows=int(np.count_nonzero(rows)))
    invalid.find(bad, shown, 0, name, CHANCE)
    invalid.refuse(drop_hint=None)
    return np.asarray(numbers.values[rows])
