"""Check tables of class probabilities: one column for each class, one row that sums to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError
from lwcal.rows.checks import check_scores, valid_scores
from lwcal.rows.fault_kinds import Kind
from lwcal.rows.faults import InvalidRows, RowNumbers
from lwcal.rows.values import ArrayLike, Column, no_rows, package_of, without_mask

MOST_COLUMNS = 1000
OFF_BY, LARGEST_OFF_BY = 0.01, 0.05
"""How far the sum of a row may be from 1: at least, and at most, whatever the number of classes."""
ROUNDING, ADDING_UP = 0.005, 5e-7
"""Error of a probability of two digits, and that of a sum: 0.33 + 0.33 + 0.33 misses 1 by a little
more than 0.01."""
SCORES = "the score columns"
"""All columns of scores, as messages call them."""
WRONG_SUM = Kind(
    "not near 1, by more than rounding explains",
    "The probabilities of a row must sum to 1. Pass the output of predict_proba, all columns.",
)
ALL_ZEROS = Kind("zero in every class", "The probabilities of a row must sum to 1.")


class ClassScores(NamedTuple):
    """Probabilities of every class.

    Attributes
    ----------
    values : float64 array of shape (n, K)
        Every row sums to 1.
    names : tuple of str or None
        Names of the columns, if they have any.
    """

    values: FloatArray
    names: tuple[str, ...] | None = None


def most_off_by(n_classes: int) -> float:
    """How far the sum of a row may be from 1: as far as probabilities of two digits, up to 0.05.

    Most classes of a row are improbable, so rounding takes something from each of them.

    >>> [round(most_off_by(k), 3) for k in (2, 5, 10, 100)]
    [0.01, 0.025, 0.05, 0.05]
    """
    return min(max(OFF_BY, n_classes * ROUNDING), LARGEST_OFF_BY) + ADDING_UP


def is_matrix(scores: Any) -> bool:
    """Whether scores have one column for each of several classes.

    >>> is_matrix(np.ones((5, 3))), is_matrix(np.ones((5, 1))), is_matrix([0.5, 0.2])
    (True, False, False)
    >>> is_matrix([[0.2, 0.8], [0.5, 0.5]])
    True
    """
    shape = getattr(scores, "shape", None)
    if isinstance(shape, tuple):
        return len(shape) == 2 and shape[1] > 1
    if isinstance(scores, list | tuple) and len(scores):
        first = scores[0]
        return isinstance(first, list | tuple | np.ndarray) and len(first) > 1
    return False


def as_class_scores(
    scores: ArrayLike, *, name: str = "scores", n_classes: int | None = None
) -> ClassScores:
    """Return class probabilities whose rows sum to exactly 1, or refuse them.

    Parameters
    ----------
    scores : two-dimensional
        A numpy array, a DataFrame of pandas or polars, a pyarrow Table, or a list of rows.
    name : str
        The scores, as messages call them.
    n_classes : int, optional
        Number of columns that is expected.

    Examples
    --------
    >>> as_class_scores([[0.2, 0.3, 0.5], [0.333, 0.333, 0.333]]).values.round(3)
    array([[0.2  , 0.3  , 0.5  ],
           [0.333, 0.333, 0.333]])
    """
    columns, names = columns_and_names(scores, name)
    _check_shape(len(columns), len(columns[0]) if columns else 0, name, n_classes)
    valid = _valid_rows(scores)
    if valid is not None:
        return ClassScores(valid, names)
    invalid = InvalidRows(rows=len(columns[0]))
    shown = [f"column {names[k] if names else k!r} of {name}" for k in range(len(columns))]
    values, _ = check_class_scores(columns, 0, shown, name, invalid)
    invalid.refuse(drop_hint=None, scalable=False)
    return ClassScores(summing_to_one(values), names)


def _valid_rows(scores: ArrayLike) -> FloatArray | None:
    """Return a plain matrix whose rows are all valid, in few operations; None for anything else."""
    if type(scores) is not np.ndarray:
        return None
    flat = valid_scores(scores.ravel())
    if flat is None:
        return None
    values = flat.reshape(scores.shape)
    totals = values.sum(axis=1)
    if not (np.abs(totals - 1.0) <= most_off_by(scores.shape[1])).all():
        return None
    return np.asarray(values / totals[:, None])


def check_class_scores(
    columns: Sequence[Column],
    first_row: RowNumbers,
    shown: Sequence[str],
    name: str,
    invalid: InvalidRows,
    bad: BoolArray | None = None,
) -> tuple[FloatArray, BoolArray | None]:
    """Return the scores of a batch as they came, and which rows are invalid, if any.

    Parameters
    ----------
    columns : sequence of arrays
        One for each class.
    first_row : int or int array
        Numbers of the rows in their source.
    shown : sequence of str
        The columns, as messages call them.
    name : str
        All of them, as messages call them.
    invalid : InvalidRows
        Counts what is found; a row counts once.
    bad : bool array, optional
        Rows that are invalid already.

    Examples
    --------
    >>> invalid = InvalidRows(rows=2)
    >>> columns = [np.array([0.2, 0.9]), np.array([0.8, 0.9])]
    >>> check_class_scores(columns, 0, ["column 'a'", "column 'b'"], "scores", invalid)[1]
    array([False,  True])
    """
    values = np.empty((len(columns[0]), len(columns)))
    for place, column in enumerate(columns):
        values[:, place], bad = check_scores(column, first_row, shown[place], invalid, bad=bad)
    totals = values.sum(axis=1)
    wrong = np.asarray(~(np.abs(totals - 1.0) <= most_off_by(len(columns))))
    if not wrong.any():
        return values, bad
    new = wrong if bad is None else wrong & ~bad
    zero = new & (totals == 0.0)
    invalid.find(zero, totals, first_row, f"the sum of a row of {name}", ALL_ZEROS)
    invalid.find(new & ~zero, totals, first_row, f"the sum of a row of {name}", WRONG_SUM)
    return values, wrong if bad is None else wrong | bad


def summing_to_one(values: FloatArray) -> FloatArray:
    """Divide valid rows by their sums, in place: rounded probabilities miss 1 by a little."""
    values /= values.sum(axis=1)[:, None]
    return values


def _check_shape(columns: int, rows: int, name: str, n_classes: int | None) -> None:
    if n_classes is not None and columns != n_classes:
        raise InputError(
            f"{name} have {columns:,} columns, and the calibrator was fitted to {n_classes:,} "
            "classes. Pass one column for each class, in the same order."
        )
    if not 2 <= columns <= MOST_COLUMNS:
        raise InputError(
            f"{name} have {columns:,} columns; expected one for each class, from 2 to "
            f"{MOST_COLUMNS:,}."
        )
    if rows == 0:
        raise InputError(no_rows(name))


def columns_and_names(scores: ArrayLike, name: str) -> tuple[list[Any], tuple[str, ...] | None]:
    """Columns, each with its own type, and their names if they have any."""
    package = package_of(scores)
    if package == "pyarrow" and hasattr(scores, "column_names"):
        table = scores.combine_chunks()
        columns = [table.column(place) for place in range(table.num_columns)]
        chunks = [c.combine_chunks() if hasattr(c, "combine_chunks") else c for c in columns]
        return chunks, tuple(table.column_names)
    if package == "polars" and hasattr(scores, "get_columns"):
        return [c.to_numpy() for c in scores.get_columns()], _given_names(scores.columns)
    if package == "pandas" and hasattr(scores, "columns"):
        listed = [scores.iloc[:, place].to_numpy() for place in range(scores.shape[1])]
        return listed, _given_names(scores.columns)
    try:
        array = np.asarray(without_mask(scores))
    except ValueError:
        raise InputError(f"{name} has rows of different length.") from None
    if array.ndim != 2:
        raise InputError(f"{name} has the shape {array.shape}, expected one column for each class.")
    if array.dtype.kind == "c":
        raise InputError(f"{name} must be real numbers, got {array.dtype}.")
    return list(array.T), None


def _given_names(columns: Any) -> tuple[str, ...] | None:
    """Names of columns; None if a library has only numbered the columns itself."""
    given = list(columns)
    numbers = range(len(given))
    if given == list(numbers) or given == [f"column_{number}" for number in numbers]:
        return None  # pandas and polars
    return tuple(str(name) for name in given)
