"""Names of segments: how they are read from rows, and how people read them.

Nothing here imports scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lwcal.errors import InputError, message
from lwcal.rows.values import ArrayLike, value_or_none

NO_VALUE = "(no value)"
EMPTY = "(empty text)"


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


def names_of_rows(segments: ArrayLike, columns: Sequence[str] | None = None) -> list[Any]:
    """The name of each row's segment; a tuple if there are several columns.

    Parameters
    ----------
    segments : one-dimensional, or a frame or array with one column or more
    columns : sequence of str, optional
        Columns of the fit. A frame must have just these, in any order.

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
    if expected is not None and sorted(map(str, names)) != sorted(expected):
        wanted = f"segments to have the columns {', '.join(expected)}"
        hint = "name the columns as in the fit, or pass their values as tuples"
        raise InputError(message(wanted, ", ".join(map(str, names)), hint))
    return [_listed(segments[name]) for name in (names if expected is None else expected)]


def _listed(column: Any) -> list[Any]:
    """The values of a column of any library."""
    for convert in ("to_pylist", "to_list", "tolist"):  # pyarrow, polars and pandas, numpy
        if hasattr(column, convert):
            return list(getattr(column, convert)())
    return list(column)
