"""Columns that are named: whether they exist, their scores, and the positive class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import pyarrow as pa

from lwcal.arrays import FloatArray
from lwcal.cli.console import note
from lwcal.engines import listed_columns
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows import as_scores, is_missing
from lwcal.rows.checks import known_scale
from lwcal.rows.classes import OBVIOUS_KEYS, class_key, obvious_pair
from lwcal.rows.values import as_column


def tell_of_opinions(columns: Mapping[str, str]) -> None:
    """Note that a table looks like one of opinions, if its columns are named so."""
    if {"item", "reviewer"} <= columns.keys():
        note(
            "every row counts as a row of its own, although there are the columns item and "
            "reviewer. lwcal fit and diagnose read several labels of an item with --item item "
            "--reviewer reviewer"
        )


def arrow_column(table: Any, name: str, source: str) -> Any:
    """One column of an Arrow table; refuse a name that does not exist."""
    if name not in table.column_names:
        raise InputError(message(f"a column {name!r} in {source}", listed_in(table)))
    return table.column(name)


def check_column(name: str, columns: Mapping[str, str], source: str) -> None:
    """Refuse a name that is none of these columns."""
    if name not in columns:
        raise InputError(message(f"a column {name!r} in {source}", listed_columns(columns)))


def check_segment_columns(names: list[str]) -> None:
    """Refuse a column that is named twice.

    >>> check_segment_columns(["land", "shop", "land"])
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected --segment with different columns, got 'land' twice.
    """
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ParameterError(message("--segment with different columns", f"{twice[0]!r} twice"))


def read_scores(table: Any, name: str, source: str, scale: str) -> tuple[FloatArray, str]:
    """One column as checked probabilities, also when it was read as text; and its scale."""
    found = as_column(arrow_column(table, name, source), f"column {name!r}")
    known = known_scale(found, scale, f"column {name!r}")
    return as_scores(found, name=f"column {name!r}", scale=known), known


def named_class(text: str | None, fitted: Any, labels: npt.NDArray[Any]) -> Any:
    """The positive class of the command line, or else that of the calibrator at hand.

    The class of the calibrator is ignored if these labels are coded in another way.

    >>> import numpy as np
    >>> named_class(None, "bad", np.array(["good", "bad"])), named_class("2", None, np.array([1]))
    ('bad', 2.0)
    >>> named_class(None, "bad", np.array([0, 1])) is None
    True
    """
    present = set(labels[~is_missing(labels)].tolist())
    if text is not None:
        return _parse_class(text, labels)
    # the first rows may lack the class, but then the one they have is no obvious word
    may_follow = len(present) == 1 and not {class_key(value) for value in present} & OBVIOUS_KEYS
    return fitted if fitted in present or may_follow else None


def refuse_other_class(text: str | None, fitted: Any, labels: npt.NDArray[Any]) -> None:
    """Refuse a positive class of the command line that is the negative one of the calibrator.

    A calibrator that names no class was fitted to labels such as 0 and 1, which explain themselves.
    Labels that are coded in another way than in the fit may have any positive class.

    >>> import numpy as np
    >>> refuse_other_class("1", None, np.array([0, 1])) is None
    True
    """
    if text is None:
        return
    known = {class_key(value): value for value in set(labels[~is_missing(labels)].tolist())}
    pair = obvious_pair(known)
    positive = class_key(fitted) if fitted is not None else pair and pair[1]
    named = class_key(_parse_class(text, labels))
    if positive in known and named in known and named != positive:
        expected = f"--pos-label to be {known[positive]!r}, the positive class of the calibrator"
        hint = "leave it out, or fit a calibrator of the other class to its scores"
        raise InputError(message(expected, repr(text), hint))


def _parse_class(text: str, labels: npt.NDArray[Any]) -> Any:
    """Read --pos-label in the type of the label column."""
    if labels.dtype.kind in "OUS":
        return text
    try:
        if labels.dtype.kind == "b":
            return {"true": True, "false": False}[text.lower()]
        return float(text)
    except (KeyError, ValueError):
        expected = f"--pos-label to be one of the labels ({labels.dtype})"
        raise InputError(message(expected, repr(text))) from None


def listed_in(table: Any) -> str:
    """List the columns of a table for a message."""
    return listed_columns({field.name: str(field.type) for field in table.schema})


def class_name(value: Any, table: Any, label: str) -> str | None:
    """Write a class as it stands in the data: 1 rather than 1.0, true rather than 1."""
    if value is None:
        return None
    if pa.types.is_boolean(table.schema.field(label).type):
        return str(bool(value)).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
