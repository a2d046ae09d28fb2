"""Names of segments: how they are read from rows, and how people read them.

Nothing here imports scikit-learn.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from lwcal.errors import InputError, message
from lwcal.rows.values import ArrayLike, parse_number, value_or_none

NO_VALUE = "(no value)"
EMPTY = "(empty text)"
COMPARED = 1000
"""Names that are compared for a message."""
KINDS = ((bool, "boolean"), (str, "text"), (numbers.Number, "number"))
"""Types of names, in words."""


def segment_name(value: Any) -> Any:
    """The name of a segment as it came, or None for the missing values of numpy and pandas.

    >>> segment_name(float("nan")), segment_name("nan"), segment_name(("NL", float("nan")))
    (None, 'nan', ('NL', None))
    """
    if isinstance(value, tuple):
        return tuple(map(value_or_none, value))
    return value_or_none(value)


def shown_name(name: Any) -> str:
    """A name as people read it.

    >>> shown_name(("NL", 7)), shown_name(None), shown_name("None"), shown_name("")
    ('NL, 7', '(no value)', 'None', '(empty text)')
    """
    if isinstance(name, tuple):
        return ", ".join(map(shown_name, name))
    if isinstance(name, float) and name.is_integer():
        return str(int(name))  # numpy and pandas write 1 as 1.0 where other values are missing
    return NO_VALUE if name is None else str(name) or EMPTY


def names_of_rows(
    segments: ArrayLike, columns: Sequence[str] | None = None, width: int | None = None
) -> list[Any]:
    """The name of each row's segment; a tuple if there are several columns.

    Parameters
    ----------
    segments : one-dimensional, or a frame or array with one column or more
    columns : sequence of str, optional
        Columns of the fit. A frame must have just these, in any order.
    width : int, optional
        Number of columns that a frame or an array must have.

    Examples
    --------
    >>> import numpy as np
    >>> names_of_rows(np.array(["NL", None], dtype=object))
    ['NL', None]
    >>> names_of_rows(np.array([["NL", "card"], ["BE", "wire"]]))
    [('NL', 'card'), ('BE', 'wire')]
    """
    found = _columns_of(segments, columns)
    if found is None:
        raw = _listed(segments)
    elif width is not None and len(found) != width:
        raise InputError(message(f"segments of {_counted(width)}", _counted(len(found))))
    elif len(found) == 1:
        raw = found[0]
    else:
        raw = list(zip(*found, strict=True))
    raw = [tuple(one) if isinstance(one, list) else one for one in raw]
    known = {one: segment_name(one) for one in set(raw)}
    return [known[one] for one in raw]


def _columns_of(segments: ArrayLike, expected: Sequence[str] | None) -> list[list[Any]] | None:
    """The columns of a frame or of a two-dimensional array; None for everything else."""
    if getattr(segments, "ndim", None) == 2 and not hasattr(segments, "columns"):
        return [_listed(segments[:, place]) for place in range(segments.shape[1])]
    named = getattr(segments, "column_names", getattr(segments, "columns", None))
    if named is None:
        return None
    names = list(named)
    if len(set(names)) < len(names):
        raise InputError(message("columns of different names", ", ".join(map(str, names))))
    if expected is not None and sorted(map(str, names)) != sorted(expected):
        wanted = f"segments to have the columns {', '.join(expected)}"
        hint = "name the columns as in the fit, or pass their values as tuples"
        raise InputError(message(wanted, ", ".join(map(str, names)), hint))
    return [_listed(segments[name]) for name in (names if expected is None else expected)]


def _counted(columns: int) -> str:
    return "1 column" if columns == 1 else f"{columns} columns"


def _listed(column: Any) -> list[Any]:
    """The values of a column of any library."""
    for convert in ("to_pylist", "to_list", "tolist"):  # pyarrow, polars and pandas, numpy
        if hasattr(column, convert):
            return list(getattr(column, convert)())
    return list(column)


def has_value(name: Any) -> bool:
    """Whether a row names its segment: missing values are alike in the fit and in new rows.

    >>> has_value("NL"), has_value(None), has_value((None, 7)), has_value((None, None))
    (True, False, True, False)
    """
    return any(part is not None for part in (name if isinstance(name, tuple) else (name,)))


class NewNames(NamedTuple):
    """Names that were not in the fit.

    Attributes
    ----------
    names : list
    none_met : bool
        Whether no row is in a segment of the fit.
    """

    names: list[Any]
    none_met: bool


def new_names(new: Iterable[Any], met: Iterable[Any]) -> NewNames:
    """Names that were not in the fit, among distinct names of which others were met there.

    Missing values meet the segment None whatever the type of the others is, so they count only if
    no row has a value.

    >>> new_names(["1.0"], [None])
    NewNames(names=['1.0'], none_met=True)
    >>> new_names([None], ["1"])
    NewNames(names=[], none_met=False)
    """
    given, known = list(new), list(met)
    named = any(map(has_value, (*given, *known)))
    counted = [name for name in given if has_value(name) or not named]
    return NewNames(counted, not any(has_value(name) or not named for name in known))


def misspelled(unknown: Iterable[Any], known: Sequence[Any]) -> str | None:
    """Say which name looks like one of the fit and is another; None if there is no such name.

    >>> misspelled(["x", "4.0"], ["1", "4"])
    "expected names such as '4' (text), got '4.0' (text)"
    >>> misspelled(["x", "5"], ["1", "4"])
    """
    few = list(islice(unknown, COMPARED))
    alike = {_loosely(name) for name in known[:COMPARED]} & set(map(_loosely, few))
    return no_known_name(few, known) if alike else None


def no_known_name(given: Iterable[Any], known: Sequence[Any]) -> str:
    """Say how names that came differ from those of the fit, with the pair that is most alike.

    >>> no_known_name(["x", "4.0"], ["1", "4"])
    "expected names such as '4' (text), got '4.0' (text)"
    >>> no_known_name([7], ["NL", "BE"])
    "expected names such as 'NL' (text), got 7 (number)"
    """
    few, listed = list(islice(given, COMPARED)), list(known[:COMPARED])
    spelled = {_loosely(name): name for name in reversed(listed)}
    one = next((name for name in few if _loosely(name) in spelled), few[0])
    expected = spelled.get(_loosely(one), listed[0])
    return message(f"names such as {_described(expected)}", _described(one)).rstrip(".")


def _loosely(name: Any) -> Any:
    """A name without what people overlook: its type, its case, blanks, and zeros of a number.

    >>> _loosely("4.0") == _loosely(4) == _loosely(" 04 "), _loosely("NL ")
    (True, 'nl')
    """
    if isinstance(name, tuple):
        return tuple(map(_loosely, name))
    text = str(name).strip().lower()
    number = parse_number(text)
    return text if number is None or number != number else number


def _described(name: Any) -> str:
    """A name and its type.

    >>> _described(("NL", 7)), _described(None)
    ("('NL' (text), 7 (number))", 'no value')
    """
    if isinstance(name, tuple):
        return f"({', '.join(map(_described, name))})"
    if name is None:
        return "no value"
    words = (word for kind, word in KINDS if isinstance(name, kind))
    return f"{name!r} ({next(words, type(name).__name__)})"
