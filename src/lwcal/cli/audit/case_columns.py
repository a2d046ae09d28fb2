"""The columns that an auditor sees: those about the case, and none that tells the expected answer.

Who sees the label or the score of a row tends to agree with it. So both are hidden, and with them
whatever repeats them: copies of the label, other scores and labels, weights, and results of lwcal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import IndexArray, LabelArray
from lwcal.audit.answers import COMMON_ANSWERS
from lwcal.audit.cell_text import normalise, to_text
from lwcal.audit.sheet import OPINION, OWN
from lwcal.audit.sheet_reviewers import MERGED, is_reviewer_column
from lwcal.audit.source import AuditSource
from lwcal.calibrators import LabelWeights
from lwcal.cli.audit.source import AuditedRows
from lwcal.cli.columns import arrow_column
from lwcal.cli.console import note
from lwcal.cli.usual_columns import (
    count_distinct,
    named_like_label,
    named_like_score,
    named_like_weight,
    plain_name,
)
from lwcal.errors import ParameterError, message

COMPUTED = {field.name for field in fields(LabelWeights)} - {"summary", "id"}
"""Columns that lwcal writes: label weights of a fit, and calibrated probabilities."""

MOSTLY = 0.5
"""Share of the rows from which on a column repeats the labels of more than two classes."""


class CaseColumns(NamedTuple):
    """Which columns of the source the auditor sees.

    Attributes
    ----------
    names : list of str
        Columns about the case, in the order of the source.
    hidden : dict
        The other columns of the source, with the reason where it is not obvious.
    """

    names: list[str]
    hidden: dict[str, str]

    def announce(self, hints: Sequence[str] = (), *, to: str = "auditor") -> None:
        """Note what is shown and what is hidden, so that a wrong guess is noticed.

        Parameters
        ----------
        hints : sequence of str
            Hidden columns that are shown all the same: the label, and the score.
        to : str
            Who sees them.
        """
        seen = [*self.names, *hints]
        hidden = [
            f"{name} ({why})" if why else name
            for name, why in self.hidden.items()
            if name not in (*hints, *OWN, *OPINION)
        ]
        note(f"shown to the {to}: {', '.join(seen) or 'only the number of the row'}")
        if hidden:
            note(f"hidden: {', '.join(hidden)}")


def find_case_columns(
    audited: AuditedRows, show: Iterable[str] | None = None, hide: Iterable[str] | None = None
) -> CaseColumns:
    """Separate the columns about the case of an audit; see :func:`case_columns`."""
    return case_columns(audited.source, audited.rows.text, audited.rows.table, show, hide)


def case_columns(
    source: AuditSource,
    text: Any,
    table: Any,
    show: Iterable[str] | None = None,
    hide: Iterable[str] | None = None,
    instead: str = "use --show-label",
) -> CaseColumns:
    """Separate the columns about the case from those that tell the expected answer.

    Parameters
    ----------
    source : AuditSource
    text, table : pyarrow.Table
        All columns as written; those that are computed with, with types.
    show, hide : iterables of str, optional
        Columns to show or to hide, whatever their names suggest.
    instead : str
        What to do instead of showing a column that tells the answer.
    """
    shown, unseen = (_checked(text, names, source.name) for names in (show, hide))
    answers = set(filter(is_reviewer_column, text.column_names))
    _refuse(shown, {*source.told, *OWN, *OPINION}, "--show-column", instead)
    _refuse(shown, answers, "--show-column", "it tells what a reviewer answered")
    _refuse(unseen, {source.id}, "--hide-column", "answers are merged by this id")
    _refuse(unseen, set(shown), "--hide-column", "it is named by --show-column too")
    hidden = {}
    for name in text.column_names:
        if name in unseen:
            hidden[name] = "as asked"
        elif name in (*source.told, *OWN, *OPINION) or is_reviewer_column(name):
            hidden[name] = ""
        elif name not in (source.id, *shown):
            # a column that may be a score or a label was read as what it holds
            column = (table if name in table.column_names else text).column(name)
            why = _why_hidden(name, column, source)
            if why:
                hidden[name] = why
    return CaseColumns([name for name in text.column_names if name not in hidden], hidden)


def _why_hidden(name: str, column: Any, source: AuditSource) -> str:
    """Say why a column may tell the expected answer; empty if it seems to be about the case."""
    if named_like_weight(name):
        return "named like a weight"
    if plain_name(name) in COMPUTED:
        return "named like a result of lwcal"
    if named_like_score(name, column):
        return "named like a score"
    if named_like_label(name, column, len(source.class_names.names)):
        return "named like a label"
    if plain_name(name).startswith(MERGED) and _has_only_classes(column, source):
        return "named like an opinion"
    if _repeats(column, source.labels):
        return "the same as the label"
    repeated = _mostly_repeats(column, source)
    if not repeated and _holds_classes(column, source):
        return "has the classes as values"
    return repeated


def _repeats(column: Any, labels: LabelArray | IndexArray) -> bool:
    """Whether the column has one value for each label, in every row."""
    distinct = len(np.unique(labels))
    if count_distinct(column) not in (distinct - 1, distinct):  # an empty cell can be one of them
        return False
    pairs = set(zip(map(to_text, column.to_pylist()), labels.tolist(), strict=True))
    return len(pairs) == len({value for value, _ in pairs}) == distinct > 1


def _holds_classes(column: Any, source: AuditSource) -> bool:
    """Whether all values are words for the classes; 0, 1, no and yes answer other questions too."""
    known = set(map(normalise, source.class_names.names))
    if known & set(chain.from_iterable(COMMON_ANSWERS)):
        return False
    if not 1 <= count_distinct(column) <= len(known) + 1:  # an empty word is a value
        return False
    found = {normalise(value) for value in column.unique().to_pylist()} - {""}
    return bool(found) and found <= known and not all(map(str.isdigit, found))


def _has_only_classes(column: Any, source: AuditSource) -> bool:
    """Whether every value is the name of a class, or missing."""
    known = {"", *map(normalise, source.class_names.names)}
    return all(normalise(value) in known for value in column.unique().to_pylist())


def _mostly_repeats(column: Any, source: AuditSource) -> str:
    """Find a column of predicted or other labels: of more than two classes, chance makes none."""
    if source.codes is None or not 2 <= count_distinct(column) <= len(source.codes):
        return ""
    place_of = {normalise(name): code for code, name in enumerate(source.class_names.names)}
    found = np.array([place_of.get(normalise(value), -1) for value in column.to_pylist()])
    if np.mean(found == source.labels) > MOSTLY:
        return "mostly the same as the label"
    is_top = np.mean(found == source.scores.argmax(axis=1)) > MOSTLY
    return "mostly the class with the highest score" if is_top else ""


def _checked(text: Any, names: Iterable[str] | None, source: str) -> list[str]:
    found = list(names or ())
    for name in found:
        arrow_column(text, name, source)
    return found


def _refuse(names: list[str], refused: set[Any], option: str, hint: str) -> None:
    wrong = [name for name in names if name in refused]
    if wrong:
        raise ParameterError(message(f"another column for {option}", repr(wrong[0]), hint))
