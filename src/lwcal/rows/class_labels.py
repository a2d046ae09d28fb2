"""Read labels of any number of classes, and find the column of scores that belongs to each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import IndexArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.classes import Classes, class_key, find_missing
from lwcal.rows.column_classes import (
    SAME_CLASS,
    classes_by_name,
    has_other_order,
    listed_classes,
    one_class_twice,
)
from lwcal.rows.faults import InvalidRows
from lwcal.rows.values import ArrayLike, as_column, as_objects

NAME_THEM = "Name the class of every column, in their order, with classes=[...]"


class ClassLabels(NamedTuple):
    """Labels as numbers of columns.

    Attributes
    ----------
    codes : integer array of shape (n,)
        Number of the column of each label.
    classes : tuple
        The class of each column.
    """

    codes: IndexArray
    classes: tuple[Any, ...]


def as_class_labels(
    y: ArrayLike,
    n_columns: int,
    *,
    classes: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    name: str = "y",
) -> ClassLabels:
    """Find the column of each label.

    The classes of the columns are, in this order of preference: those that were named; the names
    of the columns, with or without what all of them begin or end with, if every label is one of
    them; the labels in sorted order, if there are as many as columns; the numbers from 0 to K - 1,
    if every label is one of them, and 0 is a label. Without a 0, more than two columns may be the
    classes from 1 to K as well, and are refused. So are names that are some of the labels and lack
    others.

    Parameters
    ----------
    y : one-dimensional
    n_columns : int
        Number of columns of scores.
    classes : sequence, optional
        The class of each column.
    names : sequence of str, optional
        Names of the columns.
    name : str
        The labels, as messages call them.

    Examples
    --------
    >>> as_class_labels(["b", "a", "c"], 3)
    ClassLabels(codes=array([1, 0, 2]), classes=('a', 'b', 'c'))
    >>> as_class_labels([2, 0], 4).classes
    (0, 1, 2, 3)
    >>> as_class_labels(["b", "a"], 2, names=["p_b", "p_a"])
    ClassLabels(codes=array([0, 1]), classes=('b', 'a'))
    """
    column = as_column(y, name)
    met, invalid = Classes(), InvalidRows(rows=len(column))
    places = met.encode(column, first_row=0)
    find_missing(places, 0, name, invalid)
    invalid.refuse(drop_hint=None)
    labels = {met.keys[place]: met.shown(place) for place in np.flatnonzero(met.counts).tolist()}
    known = _classes_of_columns(labels, n_columns, classes, names, name, _together(met))
    column_of = {class_key(label): place for place, label in enumerate(known)}
    _refuse_unknown(labels, column_of, known, name)
    codes = np.full(len(met.keys), -1, dtype=np.intp)
    for place in np.flatnonzero(met.counts).tolist():
        codes[place] = column_of[met.keys[place]]
    return ClassLabels(codes[places], known)


def class_array(classes: Sequence[Any]) -> npt.NDArray[Any]:
    """Classes as an array in which each keeps its type.

    >>> class_array(["a", "b"]), class_array([1, "x"])
    (array(['a', 'b'], dtype='<U1'), array([1, 'x'], dtype=object))
    """
    if len({type(label) for label in classes}) == 1 and isinstance(classes[0], str | int | float):
        return np.array(classes)
    return as_objects(list(classes))


def _classes_of_columns(
    labels: dict[str, Any],
    n_columns: int,
    classes: Sequence[Any] | None,
    names: Sequence[str] | None,
    name: str,
    together: str,
) -> tuple[Any, ...]:
    if classes is not None:
        return _named_classes(classes, n_columns, names)
    by_name = None if names is None else classes_by_name(labels, names, name)
    if by_name is not None:
        return by_name
    if len(labels) == n_columns:
        return tuple(_sorted(labels.values()))
    if set(labels) <= {str(number) for number in range(n_columns)}:
        # of two classes, 1 is the positive one, and 0 the other
        if "0" in labels or n_columns == 2:
            return tuple(range(n_columns))
        raise InputError(
            f"scores have {n_columns:,} columns, and {name} has the labels "
            f"{listed_classes(_sorted(labels.values()))}: the columns may be the classes 0 to "
            f"{n_columns - 1} or 1 to {n_columns}. {NAME_THEM}."
        )
    raise InputError(
        f"scores have {n_columns:,} columns, and {name} has {len(labels):,} classes "
        f"({listed_classes(_sorted(labels.values()))}).{together} {NAME_THEM}."
    )


def _together(met: Classes) -> str:
    """Say which labels count as one class, if some that differ do."""
    for place in np.flatnonzero(met.counts).tolist():
        written = sorted({str(label) for label in met.spellings(place)})
        if len(written) > 1:
            return f" {written[0]!r} and {written[1]!r} are one of them: {SAME_CLASS}."
    return ""


def _named_classes(
    classes: Sequence[Any], n_columns: int, names: Sequence[str] | None
) -> tuple[Any, ...]:
    known = tuple(value.item() if isinstance(value, np.generic) else value for value in classes)
    if len(known) != n_columns:
        expected = f"a class for each of the {n_columns:,} columns"
        raise ParameterError(message(expected, f"{len(known):,} classes"))
    twice = one_class_twice(known)
    if twice is not None:
        raise ParameterError(message("classes that differ", twice))
    if names is not None and has_other_order(names, known):
        expected = f"classes in the order of the columns ({listed_classes(names)})"
        hint = "change the order of one of them"
        raise ParameterError(message(expected, f"{listed_classes(known)}", hint))
    return known


def _refuse_unknown(
    labels: dict[str, Any], column_of: dict[str, int], known: tuple[Any, ...], name: str
) -> None:
    unknown = [label for key, label in labels.items() if key not in column_of]
    if unknown:
        raise InputError(
            f"{name} has the label {unknown[0]!r}, which is not among the classes of the columns "
            f"({listed_classes(known)})."
        )


def _sorted(labels: Any) -> list[Any]:
    """Labels in the order of scikit-learn: numbers by size, anything else as text."""
    listed = [label.item() if isinstance(label, np.generic) else label for label in labels]
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=str)
