"""Find the columns of scores and labels by their names, and check their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lwcal.arrays import FloatArray
from lwcal.cli.console import note
from lwcal.engines import listed_columns
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows import as_scores, is_missing
from lwcal.rows.checks import known_scale
from lwcal.rows.classes import MOST_CLASSES, OBVIOUS_KEYS, class_key, obvious_pair
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


def tell_of_opinions(columns: Mapping[str, str]) -> None:
    """Note that a table looks like one of opinions, if its columns are named so."""
    if {"item", "reviewer"} <= columns.keys():
        note(
            "every row counts as a row of its own, although there are the columns item and "
            "reviewer. lwcal fit and diagnose read several labels of an item with --item item "
            "--reviewer reviewer"
        )


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


def arrow_column(table: Any, name: str, source: str) -> Any:
    """One column of an Arrow table; refuse a name that does not exist."""
    if name not in table.column_names:
        raise InputError(message(f"a column {name!r} in {source}", _listed(table)))
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
    listed = _listed(table) if columns is None else listed_columns(columns)
    raise InputError(message(expected, f"{got} among {listed}", f"name it with {option}"))


def _listed(table: Any) -> str:
    return listed_columns({field.name: str(field.type) for field in table.schema})


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


def plain_name(name: str) -> str:
    """A name without the capitals and blanks that spreadsheets add."""
    return name.strip().casefold().replace(" ", "_")


def named_like_weight(name: str) -> bool:
    """Whether people give this name to a column of weights.

    >>> [named_like_weight(name) for name in ("Sample Weight", "w", "height")]
    [True, True, False]
    """
    return plain_name(name) in WEIGHTS


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
