"""Columns that need no naming, because only one can be meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lwcal.cli.sources import shown
from lwcal.errors import InputError, message

SCORES = (
    "score",
    "scores",
    "p",
    "prob",
    "probability",
    "y_score",
    "y_prob",
    "pred",
    "prediction",
)
LABELS = ("label", "labels", "y", "y_noisy", "target", "y_true", "class")


def find_score(table: Any, source: str) -> str:
    """Name of the one column that is called like a score and holds numbers in [0, 1].

    >>> find_score(pa.table({"id": [1, 2], "score": [0.1, 0.9]}), "scores.csv")
    'score'
    """
    return _find(table, source, SCORES, _is_score, "--score")


def find_label(table: Any, source: str, *, complete: bool = True) -> str:
    """Name of the one column that is called like a label and has two values.

    In the first rows of more, which need not hold both classes, one value is enough.

    >>> find_label(pa.table({"y": ["no", "yes"], "score": [0.1, 0.9]}), "scores.csv")
    'y'
    """
    fits = _is_label if complete else _may_be_label
    return _find(table, source, LABELS, fits, "--label")


def has_label(table: Any) -> bool:
    """Whether some column could be the labels; which one is another question."""
    return bool(_fitting(table, LABELS, _is_label))


def available(table: Any) -> str:
    """The columns with their types, for a message.

    >>> available(pa.table({"id": [1], "name": ["a"]}))
    'the columns id (int64), name (string)'
    """
    listed = ", ".join(f"{field.name} ({field.type})" for field in table.schema)
    return f"the columns {listed}"


def _find(
    table: Any, source: str, names: tuple[str, ...], fits: Callable[[Any], bool], option: str
) -> str:
    found = _fitting(table, names, fits)
    if len(found) == 1:
        return found[0]
    what = {0: "no column", 1: ""}.get(len(found), f"{' and '.join(map(repr, found))}")
    obvious = f"one obvious column for {option} in {shown(source)}"
    raise InputError(message(obvious, f"{what} among {available(table)}", f"name it with {option}"))


def _fitting(table: Any, names: tuple[str, ...], fits: Callable[[Any], bool]) -> list[str]:
    return [name for name in names if name in table.column_names and fits(table.column(name))]


def _is_score(column: Any) -> bool:
    if pa.types.is_string(column.type):  # a CSV column that was read as text
        try:
            column = pc.cast(column, pa.float64())
        except pa.ArrowInvalid:
            return False
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        return False
    ends = pc.min_max(column).as_py()
    return ends["min"] is not None and ends["min"] >= 0 and ends["max"] <= 1


def _is_label(column: Any) -> bool:
    return _distinct(column) == 2


def _may_be_label(column: Any) -> bool:
    return _distinct(column) in (1, 2)


def _distinct(column: Any) -> int:
    try:
        return int(pc.count_distinct(column, mode="only_valid").as_py())
    except pa.ArrowNotImplementedError:  # lists and the like
        return 0
