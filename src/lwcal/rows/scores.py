"""Check scores: probabilities in [0, 1]."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.rows import faults
from lwcal.rows.columns import ArrayLike, Column, as_column
from lwcal.rows.faults import InvalidRows
from lwcal.rows.numbers import as_numbers

ONE_COLUMN = "Pass one column; of the output of predict_proba that is [:, 1]."


def as_scores(scores: ArrayLike, *, name: str = "scores") -> FloatArray:
    """Return scores as a contiguous float64 array, or refuse them.

    >>> as_scores(["0.5", 1])
    array([0.5, 1. ])
    """
    column = as_column(scores, name, ONE_COLUMN)
    values = valid_scores(column)
    return _checked(column, name) if values is None else values


def valid_scores(column: Column) -> FloatArray | None:
    """Return plain numbers that are all valid, in few operations; None for anything else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        values = np.ascontiguousarray(column, dtype=np.float64)
        # a NaN makes both comparisons false
        if values.min() >= 0.0 and values.max() <= 1.0:
            return values
    return None


def _checked(column: Column, name: str) -> FloatArray:
    invalid = InvalidRows(rows=len(column))
    values, _ = check_scores(column, 0, name, invalid)
    invalid.refuse(drop_hint=None)
    return values


def check_scores(
    column: Column, first_row: int, name: str, invalid: InvalidRows
) -> tuple[FloatArray, BoolArray | None]:
    """Return the scores of a batch as float64, and which rows are invalid, if any.

    >>> invalid = InvalidRows(rows=2)
    >>> check_scores(np.array([0.5, 1.5]), 0, "scores", invalid)
    (array([0.5, 1.5]), array([False,  True]))
    >>> invalid.count
    1
    """
    values, not_numeric, original = as_numbers(column)
    if len(values) == 0 or (values.min() >= 0.0 and values.max() <= 1.0):
        return values, None
    bad = np.zeros(len(values), dtype=np.bool_)
    for kind, wrong, shown in (
        (faults.NOT_NUMERIC, bad if not_numeric is None else not_numeric, original),
        (faults.MISSING_SCORE, np.isnan(values), values),
        (faults.INFINITE_SCORE, np.isinf(values), values),
        (faults.OUTSIDE, (values < 0.0) | (values > 1.0), values),
    ):
        invalid.find(wrong & ~bad, shown, first_row, name, kind)
        bad = bad | wrong
    return values, bad
