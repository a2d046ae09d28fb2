"""The rows of an audit, with the answers of earlier rounds."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, LabelArray
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import to_text
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.sheet import ANSWER, CODE, ROW, Sheet
from lwcal.audit.source import AuditSource
from lwcal.cli.reading import CheckedRows, read_rows
from lwcal.cli.request import RowsRequest, as_arguments
from lwcal.errors import InputError, message
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column, as_score_numbers


class AuditedRows(NamedTuple):
    """Rows whose labels are checked.

    Attributes
    ----------
    request : RowsRequest
        Where the rows come from.
    rows : CheckedRows
        All columns.
    source : AuditSource
        Scores, labels and ids, against which sheets are checked.
    earlier : list of SheetRow
        Rows that were checked in earlier rounds.
    """

    request: RowsRequest
    rows: CheckedRows
    source: AuditSource
    earlier: list[SheetRow]

    def announce(self) -> None:
        """Note which columns were found, once nothing can be wrong with them."""
        self.request.announce(self.source.score, self.source.label)

    def merge_command(self, sheet: Path) -> str:
        """Write the command that merges the answered sheet, with the same options."""
        request = self.request
        files = [request.source, str(sheet), "--out", "calibrator.json"]
        return shlex.join(["lwcal", "audit", "merge", *files, *as_arguments(request.given())])

    def cells(self, rows: Any, name: str) -> list[str]:
        """Some cells of a column, as text."""
        return [to_text(value) for value in self.rows.text.column(name).take(rows).to_pylist()]


def read_audited(request: RowsRequest) -> AuditedRows:
    """Read the rows, and the answers that earlier merges wrote beside them."""
    rows = read_rows(request, whole=True)
    text, label = rows.text, rows.names.label
    source = AuditSource(
        name=request.name,
        scores=rows.scores,
        labels=rows.labels,
        class_names=_class_names(text.column(label).to_pylist(), rows.labels),
        score=rows.names.score,
        label=label,
        id=request.id,
        ids=None if request.id is None else text.column(request.id).to_pylist(),
        written=_written(rows),
    )
    return AuditedRows(request, rows, source, _earlier(text, source))


def _written(rows: CheckedRows) -> FloatArray | None:
    """Scores as they are in the sheet, unless they are probabilities there."""
    if rows.scale == PROBABILITY:
        return None
    return as_score_numbers(as_column(rows.table.column(rows.names.score), "scores")).values


def _class_names(values: list[Any], labels: LabelArray) -> ClassNames:
    """Spell the classes as the column does; a class that does not occur is no or yes."""
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
        hint = f"`lwcal audit merge --out-scores` writes both; otherwise rename {ANSWER!r}"
        raise InputError(message(expected, "none", hint))
    codes = text.column(CODE).to_pylist()
    rows = tuple((str(k + 1), to_text(codes[k]), answers[k]) for k in checked)
    sheet = Sheet((ROW, CODE, ANSWER), rows, tuple(k + 1 for k in checked))
    by_row = AuditSource(source.name, source.scores, source.labels, source.class_names)
    return match_sheet(sheet, by_row, source.name)
