"""Check scores and weights: whole columns, and batches of them."""

from __future__ import annotations

import numpy as np

from lwcal import kernels
from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError
from lwcal.rows.fault_kinds import BAD_WEIGHT, HEAVIEST, KINDS, LIGHTEST, Kind
from lwcal.rows.faults import InvalidRows, RowNumbers
from lwcal.rows.scales import (
    AUTO,
    LOGIT,
    PERCENT,
    PROBABILITY,
    RANGES,
    SeenScores,
    check_scale,
    to_probabilities,
)
from lwcal.rows.values import (
    ArrayLike,
    Column,
    Numbers,
    as_column,
    as_numbers,
    as_score_numbers,
    check_same_length,
)

MOST_FINITE = float(np.finfo(np.float64).max)
ONE_COLUMN = "Pass one column; of the output of predict_proba that is [:, 1]."
CHANCE = Kind(
    "not above 0 and up to 1", "A checked row needs the probability with which it was selected."
)


def known_scale(column: Column, scale: str, name: str) -> str:
    """The scale itself, or the one that the whole column tells."""
    check_scale(scale)
    if scale != AUTO:
        return scale
    seen = SeenScores()
    seen.look_at(as_score_numbers(column))
    return seen.scale(name)


def as_scores(scores: ArrayLike, *, name: str = "scores", scale: str | None = None) -> FloatArray:
    """Return scores as probabilities in a contiguous float64 array, or refuse them.

    Parameters
    ----------
    scores : one-dimensional
    name : str
        The scores, as messages call them.
    scale : str, optional
        Their scale. None: they are probabilities, and the caller knows no other scale.

    Examples
    --------
    >>> as_scores(["0.5", 1])
    array([0.5, 1. ])
    >>> as_scores([-2.0, 0.0], scale="logit").round(2)
    array([0.12, 0.5 ])
    """
    column = as_column(scores, name, ONE_COLUMN)
    known = PROBABILITY if scale is None else known_scale(column, scale, name)
    values = valid_scores(column, known)
    return _checked(column, name, known, scalable=scale is not None) if values is None else values


def valid_scores(column: Column, scale: str = PROBABILITY) -> FloatArray | None:
    """Return plain numbers that are all valid, in few operations; None for anything else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        values = np.ascontiguousarray(column, dtype=np.float64)
        if _all_valid(values, scale):
            return to_probabilities(values, scale)
    return None


def _all_valid(values: FloatArray, scale: str) -> bool:
    lowest, highest = (-MOST_FINITE, MOST_FINITE) if scale == LOGIT else RANGES[scale]
    return kernels.within(values, lowest, highest)  # type: ignore[no-any-return]


def _checked(column: Column, name: str, scale: str, *, scalable: bool) -> FloatArray:
    invalid = InvalidRows(rows=len(column))
    values, _ = check_scores(column, 0, name, invalid, scale)
    invalid.refuse_mixture(name, scalable=scalable)
    invalid.refuse(drop_hint=None, scalable=scalable)
    return values


def check_scores(
    column: Column,
    first_row: RowNumbers,
    name: str,
    invalid: InvalidRows,
    scale: str = PROBABILITY,
    bad: BoolArray | None = None,
) -> tuple[FloatArray, BoolArray | None]:
    """Return the scores of a batch as probabilities, and which rows are invalid, if any.

    A row that was invalid before is not counted again.

    >>> invalid = InvalidRows(rows=2)
    >>> check_scores(np.array([50.0, 150.0]), 0, "scores", invalid, "percent")
    (array([0.5, 1.5]), array([False,  True]))
    >>> invalid.count
    1
    """
    numbers = _without_signs(as_score_numbers(column), first_row, invalid, scale)
    values = numbers.values
    if len(values) == 0 or _all_valid(values, scale):
        return to_probabilities(values, scale), bad
    none = np.zeros(len(values), dtype=np.bool_)
    bad = none if bad is None else bad
    not_numeric = none if numbers.not_numeric is None else numbers.not_numeric
    kinds, (low, high) = KINDS[scale], RANGES[scale]
    for kind, wrong, shown in (
        (kinds.not_numeric, not_numeric, numbers.original),
        (kinds.missing, np.isnan(values), values),
        (kinds.infinite, np.isinf(values), values),
        (kinds.outside, (values < low) | (values > high), values),
    ):
        invalid.find(wrong & ~bad, shown, first_row, name, kind)
        bad = bad | wrong
    return to_probabilities(values, scale), bad


def _without_signs(
    numbers: Numbers, first_row: RowNumbers, invalid: InvalidRows, scale: str
) -> Numbers:
    """Express texts with a percent sign on the scale of the other scores."""
    invalid.note_signs(numbers, first_row, also_plain=scale == PROBABILITY)
    signed = numbers.percent
    if signed is None or scale == PERCENT:
        return numbers
    if scale == PROBABILITY:
        return numbers._replace(values=np.where(signed, numbers.values / 100.0, numbers.values))
    not_numeric = signed if numbers.not_numeric is None else signed | numbers.not_numeric
    return numbers._replace(
        values=np.where(signed, np.nan, numbers.values), not_numeric=not_numeric
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
        lowest = values.min()  # a NaN makes all comparisons false
        if values.max() <= HEAVIEST and (
            lowest >= LIGHTEST or (lowest == 0.0 and is_weight(values).all())
        ):
            return values
    return None


def is_weight(values: FloatArray) -> BoolArray:
    """Whether each number is a valid weight.

    >>> is_weight(np.array([0.0, 2.5, -1.0, 1e-300, 1e300, np.nan]))
    array([ True,  True, False, False, False, False])
    """
    return np.asarray((values == 0.0) | ((values >= LIGHTEST) & (values <= HEAVIEST)))


def check_weights(
    column: Column,
    first_row: RowNumbers,
    name: str,
    invalid: InvalidRows,
    bad: BoolArray | None = None,
) -> tuple[FloatArray, BoolArray | None]:
    """Return the weights of a batch, and which rows are invalid: those before, and these."""
    values, not_numeric, original, _ = as_numbers(column)
    wrong = ~is_weight(values)
    if not wrong.any():
        return values, bad
    shown = values if not_numeric is None else original
    # a row that was invalid before is not counted again
    new = wrong if bad is None else wrong & ~bad
    invalid.find(new, shown, first_row, name, BAD_WEIGHT)
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
