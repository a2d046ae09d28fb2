"""Find the columns of scores and labels by their usual names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from lwcal.cli.columns import listed_in
from lwcal.engines import listed_columns
from lwcal.errors import InputError, message
from lwcal.rows.classes import MOST_CLASSES
from lwcal.rows.scales import LOGIT, PROBABILITY, RANGES
from lwcal.rows.values import as_column, as_score_numbers

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
WEIGHTS = ("w", "weight", "weights", "sample_weight", "sample_weights")
LABELS = ("label", "labels", "y", "y_noisy", "target", "y_true", "class")
ENDINGS = {
    SCORES: ("_score", "_prob", "_probability"),
    LABELS: ("_label", "_target"),
}
"""Endings of names that are usual too; a name that is usual as a whole comes first."""
CALIBRATED = "p_"
"""Beginning of the names of calibrated probabilities, such as p_calibrated."""

Columns: TypeAlias = Mapping[str, str] | None
"""All columns of a source with their types, for messages; None: those of the table at hand."""


def is_usual(name: str) -> bool:
    """Whether a name is usual for scores, labels or probabilities; only such columns are guessed.

    >>> [name for name in ("Score", "y", "fraud_score", "p_audited", "age") if is_usual(name)]
    ['Score', 'y', 'fraud_score', 'p_audited']
    """
    plain = plain_name(name)
    endings = (*ENDINGS[SCORES], *ENDINGS[LABELS])
    return plain in (*SCORES, *LABELS) or plain.endswith(endings) or plain.startswith(CALIBRATED)


def find_score(
    table: Any, source: str, scale: str = PROBABILITY, *, columns: Columns = None
) -> str:
    """Name the only column that is named like a score and holds numbers of its scale.

    The only column with such a name is taken whatever it holds, because the check of its values
    gives a better message.

    >>> find_score(pa.table({"id": [1, 2], "score": [0.1, 0.9]}), "scores.csv")
    'score'
    >>> find_score(pa.table({"Fraud_Score": [0.1, 0.9], "credit_score": [300, 700]}), "a.csv")
    'Fraud_Score'
    """
    return _find(table, source, SCORES, partial(_is_score, scale=scale), "--score", columns)


def find_label(table: Any, source: str, *, complete: bool = True, columns: Columns = None) -> str:
    """Name the only column that is named like a label and has two values.

    If the table is not complete, one value is enough: the first rows may lack a class.

    >>> find_label(pa.table({"y": ["no", "yes"], "score": [0.1, 0.9]}), "scores.csv")
    'y'
    """
    fits = _is_label if complete else _may_be_label
    return _find(table, source, LABELS, fits, "--label", columns)


def find_class_label(table: Any, source: str, *, columns: Columns = None) -> str:
    """Name the only column that is named like a label and has few enough values for classes.

    >>> find_class_label(pa.table({"y": ["a", "b", "c"], "score": [0.1, 0.9, 0.5]}), "scores.csv")
    'y'
    """
    return _find(table, source, LABELS, _may_be_class, "--label", columns)


def has_label(table: Any, *, complete: bool = True) -> bool:
    """Whether at least one column could hold the labels."""
    return bool(_candidates(table, LABELS, _is_label if complete else _may_be_label))


def has_class_label(table: Any) -> bool:
    """Whether at least one column could hold labels of several classes."""
    return bool(_candidates(table, LABELS, _may_be_class))


def named_like_score(name: str, column: Any) -> bool:
    """Whether a column holds numbers in [0, 1] under a usual name of scores or probabilities.

    >>> shares = pa.chunked_array([[0.1, 0.9]])
    >>> [named_like_score(name, shares) for name in ("Fraud_Score", "p_audited", "discount")]
    [True, True, False]
    """
    plain = plain_name(name)
    usual = plain in SCORES or plain.endswith(ENDINGS[SCORES]) or plain.startswith(CALIBRATED)
    return usual and _is_score(column, PROBABILITY)


def named_like_label(name: str, column: Any, n_classes: int = 2) -> bool:
    """Whether a column has no more values than there are classes, under a usual name of labels.

    >>> named_like_label("y_true", pa.chunked_array([["no", "yes"]]))
    True
    """
    plain = plain_name(name)
    usual = plain in LABELS or plain.endswith(ENDINGS[LABELS])
    return usual and 1 <= count_distinct(column) <= n_classes


def _find(
    table: Any,
    source: str,
    names: tuple[str, ...],
    fits: Callable[[Any], bool],
    option: str,
    columns: Columns,
) -> str:
    found = _candidates(table, names, fits) or _named(table, names)
    if len(found) == 1:
        return found[0]
    got = " and ".join(map(repr, found)) or "no column"
    expected = f"one obvious column for {option} in {source}"
    listed = listed_in(table) if columns is None else listed_columns(columns)
    hint = f"name it with {option}"
    if all(map(_is_number, table.column_names if columns is None else columns)):
        hint = f"add a line of names if the first line holds values, or {hint}"
    raise InputError(message(expected, f"{got} among {listed}", hint))


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _candidates(table: Any, names: tuple[str, ...], fits: Callable[[Any], bool]) -> list[str]:
    for usual in (_named(table, names), _ending(table, ENDINGS[names])):
        found = [name for name in usual if fits(table.column(name))]
        if found:
            return found
    return []


def _named(table: Any, names: tuple[str, ...]) -> list[str]:
    return [name for name in table.column_names if plain_name(name) in names]


def _ending(table: Any, endings: tuple[str, ...]) -> list[str]:
    return [name for name in table.column_names if plain_name(name).endswith(endings)]


def named_like_weight(name: str) -> bool:
    """Whether people give this name to a column of weights.

    >>> [named_like_weight(name) for name in ("Sample Weight", "w", "height")]
    [True, True, False]
    """
    return plain_name(name) in WEIGHTS


def plain_name(name: str) -> str:
    """A name without the capitals and blanks that spreadsheets add."""
    return name.strip().casefold().replace(" ", "_")


def _is_score(column: Any, scale: str) -> bool:
    is_number = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
    if not (is_number or pa.types.is_string(column.type)):  # CSV columns may be text
        return False
    whole = as_column(column, "the column", allow_empty=True)
    values, not_numeric, _, percent = as_score_numbers(whole)
    values = values[~np.isnan(values)]
    if not len(values) or not_numeric is not None:
        return False
    if percent is not None:
        return scale != LOGIT
    low, high = RANGES.get(scale, RANGES[LOGIT])
    return bool(values.min() >= low and values.max() <= high)


def _is_label(column: Any) -> bool:
    return count_distinct(column) == 2


def _may_be_label(column: Any) -> bool:
    return count_distinct(column) in (1, 2)


def _may_be_class(column: Any) -> bool:
    return 1 <= count_distinct(column) <= MOST_CLASSES


def count_distinct(column: Any) -> int:
    """Count the values of a column that are not missing; 0 for lists and other nested types."""
    import pyarrow.compute as pc  # takes long, and few commands need it

    try:
        return int(pc.count_distinct(column, mode="only_valid").as_py())
    except pa.ArrowNotImplementedError:
        return 0
