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
ENDINGS = {
    SCORES: ("_score", "_prob", "_probability"),
    LABELS: ("_label", "_target"),
}
"""A name that ends so is usual as well, but yields to one that is usual as a whole."""


def find_score(table: Any, source: str) -> str:
    """Name of the one column that is called like a score and holds numbers in [0, 1].

    A column that is the only one called so is taken whatever it holds: what is wrong with it is
    better told by the check of its values.

    >>> find_score(pa.table({"id": [1, 2], "score": [0.1, 0.9]}), "scores.csv")
    'score'
    >>> find_score(pa.table({"Fraud_Score": [0.1, 0.9], "credit_score": [300, 700]}), "a.csv")
    'Fraud_Score'
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
    return bool(_candidates(table, LABELS, _is_label))


def available(table: Any) -> str:
    """The columns with their types, for a message; if all are text, types tell nothing.

    >>> available(pa.table({"id": [1], " name": ["a"]}))
    "the columns id (int64), ' name' (string)"
    """
    names = [n if n == n.strip() else repr(n) for n in table.column_names]
    if not all(pa.types.is_string(field.type) for field in table.schema):
        names = [f"{n} ({field.type})" for n, field in zip(names, table.schema, strict=True)]
    return f"the columns {', '.join(names)}"


def _find(
    table: Any, source: str, names: tuple[str, ...], fits: Callable[[Any], bool], option: str
) -> str:
    found = _candidates(table, names, fits) or _called(table, names)
    if len(found) == 1:
        return found[0]
    what = " and ".join(map(repr, found)) or "no column"
    obvious = f"one obvious column for {option} in {shown(source)}"
    raise InputError(message(obvious, f"{what} among {available(table)}", f"name it with {option}"))


def _candidates(table: Any, names: tuple[str, ...], fits: Callable[[Any], bool]) -> list[str]:
    for called in (_called(table, names), _ending(table, ENDINGS[names])):
        found = [name for name in called if fits(table.column(name))]
        if found:
            return found
    return []


def _called(table: Any, names: tuple[str, ...]) -> list[str]:
    return [name for name in table.column_names if _plain(name) in names]


def _ending(table: Any, endings: tuple[str, ...]) -> list[str]:
    return [name for name in table.column_names if _plain(name).endswith(endings)]


def _plain(name: str) -> str:
    """Spreadsheets like capitals, and leave blanks around names."""
    return name.strip().casefold().replace(" ", "_")


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
