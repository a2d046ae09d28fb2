"""The columns that an auditor sees: those about the case, and none that tells the expected answer.

Who sees the label or the score of a row tends to agree with it. So both are hidden, and with them
whatever repeats them: copies of the label, other scores and labels, weights, and results of lwcal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from lwcal.arrays import LabelArray
from lwcal.audit.cell_text import to_text
from lwcal.audit.sheet import OWN
from lwcal.calibrators import LabelWeights
from lwcal.cli.audit.source import AuditedRows
from lwcal.cli.columns import (
    arrow_column,
    count_distinct,
    named_like_label,
    named_like_score,
    plain_name,
)
from lwcal.cli.console import note
from lwcal.errors import ParameterError, message

WEIGHTS = ("w", "weight", "weights", "sample_weight", "sample_weights")
COMPUTED = {field.name for field in fields(LabelWeights)} - {"summary"}
"""Columns that lwcal writes: label weights of a fit, and calibrated probabilities."""


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

    def announce(self, hints: Sequence[str] = ()) -> None:
        """Note what is shown and what is hidden, so that a wrong guess is noticed.

        Parameters
        ----------
        hints : sequence of str
            Hidden columns that are shown all the same: the label, and the score.
        """
        seen = [*self.names, *hints]
        hidden = [
            f"{name} ({why})" if why else name
            for name, why in self.hidden.items()
            if name not in (*hints, *OWN)
        ]
        note(f"shown to the auditor: {', '.join(seen) or 'only the number of the row'}")
        if hidden:
            note(f"hidden: {', '.join(hidden)}")


def find_case_columns(
    audited: AuditedRows, show: Iterable[str] | None = None, hide: Iterable[str] | None = None
) -> CaseColumns:
    """Separate the columns about the case from those that tell the expected answer.

    Parameters
    ----------
    audited : AuditedRows
        The rows of the audit.
    show, hide : iterables of str, optional
        Columns to show or to hide, whatever their names suggest.
    """
    source, text, table = audited.source, audited.rows.text, audited.rows.table
    shown, unseen = _checked(audited, show), _checked(audited, hide)
    _refuse(shown, {source.score, source.label, *OWN}, "--show-column", "use --show-label")
    _refuse(unseen, {source.id}, "--hide-column", "answers are merged by this id")
    _refuse(unseen, set(shown), "--hide-column", "it is named by --show-column too")
    hidden = {}
    for name in text.column_names:
        if name in unseen:
            hidden[name] = "as asked"
        elif name in (source.score, source.label, *OWN):
            hidden[name] = ""
        elif name not in (source.id, *shown):
            # a column that may be a score or a label was read as what it holds
            column = (table if name in table.column_names else text).column(name)
            why = _why_hidden(name, column, source.labels)
            if why:
                hidden[name] = why
    return CaseColumns([name for name in text.column_names if name not in hidden], hidden)


def _why_hidden(name: str, column: Any, labels: LabelArray) -> str:
    """Say why a column may tell the expected answer; empty if it seems to be about the case."""
    if plain_name(name) in WEIGHTS:
        return "named like a weight"
    if plain_name(name) in COMPUTED:
        return "named like a result of lwcal"
    if named_like_score(name, column):
        return "named like a score"
    if named_like_label(name, column):
        return "named like a label"
    return "the same as the label" if _repeats(column, labels) else ""


def _repeats(column: Any, labels: LabelArray) -> bool:
    """Whether the column has two values, one for each label, in every row."""
    if count_distinct(column) not in (1, 2):  # an empty cell can be one of the two
        return False
    pairs = set(zip(map(to_text, column.to_pylist()), labels.tolist(), strict=True))
    return len(pairs) == len({value for value, _ in pairs}) == len({y for _, y in pairs}) == 2


def _checked(audited: AuditedRows, names: Iterable[str] | None) -> list[str]:
    found = list(names or ())
    for name in found:
        arrow_column(audited.rows.text, name, audited.source.name)
    return found


def _refuse(names: list[str], refused: set[Any], option: str, hint: str) -> None:
    wrong = [name for name in names if name in refused]
    if wrong:
        raise ParameterError(message(f"another column for {option}", repr(wrong[0]), hint))
