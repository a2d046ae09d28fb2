"""Who said what about which row: opinions as users hand them over, in long form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, IndexArray
from lwcal.errors import InputError, message
from lwcal.reviews.name_keys import (
    TWO_ANSWERS,
    common_names,
    in_order_of_names,
    item_key,
    reviewer_key,
)
from lwcal.rows import ArrayLike, check_same_length, is_missing
from lwcal.rows.probabilities import columns_and_names
from lwcal.rows.values import Column, as_column, as_objects, without_mask

ObjectArray = npt.NDArray[Any]
EXACT = 2.0**53
"""Whole numbers below are exact as floats."""
ONE_HOT_ROWS = 20
"""Rows with exactly one 1 that are not taken for opinions."""


@dataclass(frozen=True, eq=False)
class Opinions:
    """Opinions in long form: one entry for each label that somebody gave.

    Attributes
    ----------
    rows : integer array of shape (m,)
        Row that the opinion is about.
    reviewers : integer array of shape (m,)
        Number of the reviewer in ``names``.
    labels : object array of shape (m,)
        What was said.
    names : tuple
        The reviewers.
    items : array of shape (n,)
        What each row is about; the numbers of the rows, if nothing else is known.

    Examples
    --------
    >>> found = opinions(["a", "b", "a"], ["Ann", "Ann", "Bob"], ["yes", "no", "no"])
    >>> found
    3 opinions of 2 reviewers on 2 rows; 1 row has several
    >>> found.wide()
    array([['yes', 'no'],
           ['no', None]], dtype=object)
    """

    rows: IndexArray
    reviewers: IndexArray
    labels: ObjectArray
    names: tuple[Any, ...]
    items: npt.NDArray[Any]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.items)

    @property
    def counts(self) -> IndexArray:
        """Number of opinions of each row."""
        return np.bincount(self.rows, minlength=self.n)

    def wide(self) -> ObjectArray:
        """One row an item, one column a reviewer; None where nobody was asked."""
        found = np.full((self.n, len(self.names)), None, dtype=object)
        found[self.rows, self.reviewers] = self.labels
        return found

    def __repr__(self) -> str:
        several = int((self.counts > 1).sum())
        return (
            f"{len(self.rows):,} opinions of {len(self.names):,} reviewers on {self.n:,} rows; "
            f"{several:,} {'row has' if several == 1 else 'rows have'} several"
        )


def opinions(
    item: ArrayLike, reviewer: ArrayLike, label: ArrayLike, *, items: ArrayLike | None = None
) -> Opinions:
    """Collect opinions from three columns: what it is about, who said it, and what was said.

    Parameters
    ----------
    item : one-dimensional
        The row that each opinion is about, by any name.
    reviewer : one-dimensional
        Who gave it.
    label : one-dimensional
        The label. Missing ones are left out.
    items : one-dimensional, optional
        All items in the order of the scores; default: those with an opinion, in sorted order.

    Returns
    -------
    Opinions
        Its ``items`` are in the order in which :meth:`lwcal.Reviewed.fit` expects the scores.

    Raises
    ------
    InputError
        If somebody gave two labels for one item, or an item is not among ``items``.

    Examples
    --------
    >>> found = opinions([7, 7, 9], ["Ann", "Bob", "Bob"], [1, 0, 0], items=[9, 7, 8])
    >>> found.wide().tolist()
    [[None, 0], [1, 0], [None, None]]
    """
    columns = {"item": item, "reviewer": reviewer, "label": label}
    about, who, said = (_objects(as_column(values, name)) for name, values in columns.items())
    for name, values in (("reviewer", who), ("label", said)):
        check_same_length(len(about), len(values), name, of="items")
    given = ~np.asarray(is_missing(said))
    about, who, said = about[given], who[given], said[given]
    for name, values in (("item", about), ("reviewer", who)):
        _refuse_missing(np.asarray(is_missing(values)), np.flatnonzero(given), name)
    known = _distinct_items(about) if items is None else _objects(as_column(items, "items"))
    rows = _places(about, known, "items", item_key)
    names = _distinct_reviewers(who)
    reviewers = _places(who, names, "reviewers", reviewer_key)
    order = np.lexsort((reviewers, rows))
    rows, reviewers, said = rows[order], reviewers[order], said[order]
    _refuse_two_of_one(rows, reviewers, known, names)
    return Opinions(rows, reviewers, said, tuple(names.tolist()), known)


def as_opinions(labels: Any, reviewers: Any = None) -> Opinions:
    """Read labels in any form: a column, a table with a column for each reviewer, or long.

    Parameters
    ----------
    labels : of shape (n,) or (n, R), or Opinions
        Missing where nobody was asked.
    reviewers : of shape (n,), (R,) or (n, R), optional
        Who gave each label, or the name of each column; default: the names of the columns.

    Examples
    --------
    >>> as_opinions([[1, None], [0, 1]])
    3 opinions of 2 reviewers on 2 rows; 1 row has several
    >>> as_opinions(["no", "yes"], reviewers=["Ann", "Bob"]).names
    ('Ann', 'Bob')
    """
    if isinstance(labels, Opinions):
        if reviewers is not None:
            raise InputError(message("reviewers in the opinions", "reviewers beside them"))
        return labels
    columns, names = _label_columns(labels)
    values = np.stack([_objects(column) for column in columns], axis=1)
    given = np.stack([~_missing(column) for column in columns], axis=1)
    if not given.any():
        raise InputError(message("labels", f"{len(values):,} rows without any"))
    _refuse_one_hot(values)
    rows, places = np.nonzero(given)
    if reviewers is None:
        known = as_objects(list(range(len(columns)) if names is None else names))
        codes = places
    else:
        known, codes = _who(np.asarray(reviewers, dtype=object), given)
    order = np.lexsort((codes, rows))
    rows, codes, said = rows[order], codes[order], values[rows, places][order]
    items = np.arange(len(values))
    _refuse_two_of_one(rows, codes, items, known)
    return Opinions(rows, codes, said, tuple(known.tolist()), items)


def _refuse_one_hot(values: ObjectArray) -> None:
    """Refuse columns of which exactly one is 1 in every row; no reviewers contradict each other so.

    >>> _refuse_one_hot(np.array([[0, 1], [1, 0]] * 10, dtype=object))
    Traceback (most recent call last):
    lwcal.errors.InputError: expected a column of labels for each reviewer, got exactly one 1 ...
    """
    if len(values) < ONE_HOT_ROWS or values.shape[1] < 2 or not np.isin(values, (0, 1)).all():
        return
    if (values.astype(np.float64).sum(axis=1) == 1.0).all():
        refuse_one_hot_columns(*values.shape)


def refuse_one_hot_columns(rows: int, columns: int) -> None:
    """Refuse columns of which exactly one is 1 in all of many rows."""
    if rows >= ONE_HOT_ROWS and columns > 1:
        got = f"exactly one 1 in each of {rows:,} rows, as if a class had a column"
        hint = "pass the labels as one column"
        raise InputError(message("a column of labels for each reviewer", got, hint))


def _who(reviewers: ObjectArray, given: BoolArray) -> tuple[ObjectArray, IndexArray]:
    """The reviewers, and the number of the one who gave each label, row by row."""
    n, width = given.shape
    rows, places = np.nonzero(given)
    if reviewers.shape == (width,):
        _places(reviewers, reviewers, "reviewers", reviewer_key)
        return reviewers, places
    cells = reviewers.reshape(-1, 1) if reviewers.ndim == 1 else reviewers
    if cells.shape != given.shape:
        expected = f"reviewers of shape {(n,)}, {(width,)} or {(n, width)}"
        raise InputError(message(expected, f"{reviewers.shape}"))
    who = cells[rows, places]
    _refuse_missing(np.asarray(is_missing(who)), rows, "reviewer")
    known = _distinct_reviewers(who)
    return known, _places(who, known, "reviewers", reviewer_key)


def _label_columns(labels: Any) -> tuple[list[Column], tuple[str, ...] | None]:
    labels = without_mask(labels)
    ndim = len(getattr(labels, "shape", ()))
    if not ndim and isinstance(labels, list | tuple) and labels:
        first = labels[0]
        ndim = 2 if isinstance(first, list | tuple | np.ndarray) else 1
    if ndim == 2:
        columns, names = columns_and_names(labels, "labels")
        if not columns:
            raise InputError(message("a column of labels for each reviewer", "none"))
        return [as_column(column, "labels") for column in columns], names
    return [as_column(labels, "labels")], None


def _missing(column: Column) -> BoolArray:
    if isinstance(column, np.ndarray):
        return np.asarray(is_missing(column))
    return np.asarray(is_missing(_objects(column)))


def _objects(found: Column) -> ObjectArray:
    """Python's own values; whole numbers that a missing one made floats are whole."""
    if isinstance(found, np.ndarray) and found.dtype.kind == "f":
        known = found[np.isfinite(found)]
        if ((known == np.round(known)) & (np.abs(known) < EXACT)).all():
            whole = np.full(len(found), None, dtype=object)
            whole[np.isfinite(found)] = known.astype(np.int64)
            whole[np.isinf(found)] = found[np.isinf(found)]
            return whole
    return as_objects(found.to_pylist() if hasattr(found, "to_pylist") else found.tolist())


def _distinct_items(values: ObjectArray) -> ObjectArray:
    """Distinct items in sorted order, so that no order of rows matters."""
    return as_objects(in_order_of_names({item_key(value): value for value in values}.values()))


def _distinct_reviewers(values: ObjectArray) -> ObjectArray:
    return as_objects(list(common_names([tuple(values), ()])))


def _places(
    values: ObjectArray, known: ObjectArray, of: str, key: Callable[[Any], str]
) -> IndexArray:
    """Place of each value among the known ones."""
    place = {key(value): number for number, value in enumerate(known)}
    if len(place) < len(known):
        raise InputError(message(f"{of} that differ", f"{len(known) - len(place):,} twice"))
    found = np.array([place.get(key(value), -1) for value in values], dtype=np.intp)
    unknown = np.flatnonzero(found < 0)
    if len(unknown):
        got = f"{len(unknown):,} others, the first {values[unknown[0]]!r}"
        raise InputError(message(f"every {of.removesuffix('s')} to be one of {of}", got))
    return found


def _refuse_missing(missing: BoolArray, rows: IndexArray, name: str) -> None:
    bad = np.flatnonzero(missing)
    if len(bad):
        got = f"{len(bad):,} without, the first in row {rows[bad[0]]}"
        raise InputError(message(f"a {name} for every label", got))


def _refuse_two_of_one(
    rows: IndexArray, reviewers: IndexArray, items: npt.NDArray[Any], names: ObjectArray
) -> None:
    twice = np.flatnonzero((np.diff(rows) == 0) & (np.diff(reviewers) == 0))
    if len(twice):
        first = twice[0]
        got = f"{len(twice):,} more, the first of {names[reviewers[first]]!r} on item "
        raise InputError(
            message(
                "one label of each reviewer for an item",
                f"{got}{items[rows[first]]!r}",
                TWO_ANSWERS,
            )
        )
