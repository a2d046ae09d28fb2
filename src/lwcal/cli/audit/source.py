"""The rows that are audited, with what was found out about them before."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import LabelArray
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import to_text
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.sheet import ANSWER, CODE, ROW, Sheet
from lwcal.audit.source import AuditSource
from lwcal.cli.columns import (
    Asked,
    checked_labels,
    checked_scores,
    column,
    positive_class,
    say_found,
)
from lwcal.cli.finding import find_label, find_score
from lwcal.cli.sources import read_both, shown
from lwcal.errors import InputError, message


class Opened(NamedTuple):
    """A file of scores.

    Attributes
    ----------
    table : pyarrow.Table
        All columns, with types.
    text : pyarrow.Table
        The same as it is written, where it is text.
    source : AuditSource
        What sheets are checked against.
    earlier : list of SheetRow
        Rows that were audited before.
    asked : Asked
        Columns as they were named.
    given : str
        The file as it was named.
    """

    table: Any
    text: Any
    source: AuditSource
    earlier: list[SheetRow]
    asked: Asked
    given: str

    @property
    def positive(self) -> Any:
        """The positive class, when it was named: kept with the calibrator."""
        return positive_class(self.asked, column(self.table, self.source.label, self.source.name))

    def announce(self) -> None:
        """Tell which columns were taken, once nothing can be wrong with them any more."""
        say_found("score", self.asked.score, self.source.score)
        say_found("label", self.asked.label, self.source.label)

    def merge_command(self, sheet: Path) -> str:
        """What to run when the sheet is answered, with the columns that were named."""
        named = {
            "--score": self.asked.score,
            "--label": self.asked.label,
            "--pos-label": self.asked.pos_label,
            "--id": self.asked.id,
            "--format": self.asked.form,
        }
        options = [part for option, name in named.items() if name for part in (option, name)]
        files = [self.given, str(sheet), "--out", "calibrator.json"]
        return shlex.join(["lwcal", "audit", "merge", *files, *options])

    def cells(self, rows: Any, name: str) -> list[str]:
        """Some cells of a column, as text."""
        return [to_text(value) for value in self.text.column(name).take(rows).to_pylist()]


def open_source(source: str, asked: Asked) -> Opened:
    """Read scores and labels, and what merging has noted beside them before."""
    table, text = read_both(source, asked.form, id_column=asked.id)
    score = asked.score or find_score(table, source)
    label = asked.label or find_label(table, source)
    labels = checked_labels(table, label, asked, source)
    rows = AuditSource(
        name=shown(source),
        scores=checked_scores(table, score, source),
        labels=labels,
        class_names=_class_names(text.column(label).to_pylist(), labels),
        score=score,
        label=label,
        id=asked.id,
        ids=None if asked.id is None else text.column(asked.id).to_pylist(),
    )
    return Opened(table, text, rows, _earlier(text, rows), asked, source)


def _class_names(values: list[Any], labels: LabelArray) -> ClassNames:
    """Spell the classes as the column does; a class that does not occur has no name of its own."""
    first = {
        code: to_text(values[int(np.argmax(labels == code))])
        for code in (0, 1)
        if (labels == code).any()
    }
    return ClassNames(first.get(0, "no"), first.get(1, "yes"))


def _earlier(text: Any, source: AuditSource) -> list[SheetRow]:
    if ANSWER not in text.column_names:
        return []
    answers = [to_text(value) for value in text.column(ANSWER).to_pylist()]
    checked = [k for k, answer in enumerate(answers) if answer.strip()]
    if CODE not in text.column_names:
        expected = f"a column {CODE!r} beside {ANSWER!r} in {source.name}"
        hint = f"`lwcal audit merge --out-scores` writes both; rename {ANSWER!r} if it is other"
        raise InputError(message(expected, "none", hint))
    codes = text.column(CODE).to_pylist()
    rows = tuple((str(k + 1), to_text(codes[k]), answers[k]) for k in checked)
    noted = Sheet((ROW, CODE, ANSWER), rows, tuple(k + 1 for k in checked))
    by_row = AuditSource(source.name, source.scores, source.labels, source.class_names)
    return match_sheet(noted, by_row, source.name)
