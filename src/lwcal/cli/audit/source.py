"""The rows of an audit, with the answers of earlier rounds."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, LabelArray
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import to_text
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.sheet import ANSWER, CODE, ROW, Sheet
from lwcal.audit.source import AuditSource
from lwcal.cli.class_reading import CheckedClassRows, read_class_rows
from lwcal.cli.class_request import refuse_two_columns
from lwcal.cli.console import note
from lwcal.cli.reading import CheckedRows, read_rows
from lwcal.cli.request import RowsRequest, as_arguments
from lwcal.cli.usual_columns import named_like_weight
from lwcal.errors import InputError, message
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column, as_score_numbers


class AuditedRows(NamedTuple):
    """Rows whose labels are checked.

    Attributes
    ----------
    request : RowsRequest
        Where the rows come from.
    rows : CheckedRows or CheckedClassRows
        All columns: of one column of scores, or of one for each of more than two classes.
    source : AuditSource
        Scores, labels and ids, against which sheets are checked.
    earlier : list of SheetRow
        Rows that were checked in earlier rounds.
    """

    request: RowsRequest
    rows: CheckedRows | CheckedClassRows
    source: AuditSource
    earlier: list[SheetRow]

    def announce(self) -> None:
        """Note which columns were found, once nothing can be wrong with them."""
        self.request.announce(", ".join(self.source.score_columns), self.source.label)
        weights = next(filter(named_like_weight, self.rows.text.column_names), None)
        if weights is not None:
            note(
                f"column {weights} is named like a weight, and audits count every row once. With "
                "weights, draw the rows to check at random yourself, and use lwcal fit with "
                f"--weight {weights} and --trusted"
            )

    def merge_command(self, sheet: Path, *, opinions: bool = False) -> str:
        """Write the command that merges the answered sheet, with the same options."""
        request = self.request
        target = ("--out-scores", "opinions.csv") if opinions else ("--out", "calibrator.json")
        files = [request.source, str(sheet), *target]
        return shlex.join(["lwcal", "audit", "merge", *files, *as_arguments(request.given())])

    def cells(self, rows: Any, name: str) -> list[str]:
        """Some cells of a column, as text."""
        return [to_text(value) for value in self.rows.text.column(name).take(rows).to_pylist()]


def read_audited(request: RowsRequest) -> AuditedRows:
    """Read the rows, and the answers that earlier merges wrote beside them."""
    if request.names_classes():
        of_classes = read_class_rows(request, whole=True)
        names = of_classes.names
        refuse_two_columns(names, "lwcal audit")
        source = _source(request, of_classes, names.scores, [str(k) for k in names.classes])
        return AuditedRows(request, of_classes, source, _earlier(of_classes.text, source))
    rows = read_rows(request, whole=True)
    source = _source(request, rows, (rows.names.score,), ["no", "yes"], _written(rows))
    return AuditedRows(request, rows, source, _earlier(rows.text, source))


def _source(
    request: RowsRequest,
    rows: CheckedRows | CheckedClassRows,
    score_columns: tuple[str, ...],
    classes: Sequence[str],
    written: FloatArray | None = None,
) -> AuditSource:
    text, label = rows.text, rows.names.label
    return AuditSource(
        name=request.name,
        scores=rows.scores,
        labels=rows.labels,
        class_names=_class_names(text.column(label).to_pylist(), rows.labels, classes),
        score_columns=score_columns,
        label=label,
        id=request.id,
        ids=None if request.id is None else text.column(request.id).to_pylist(),
        written=written,
    )


def _written(rows: CheckedRows) -> FloatArray | None:
    """Scores as they are in the sheet, unless they are probabilities there."""
    if rows.scale == PROBABILITY:
        return None
    return as_score_numbers(as_column(rows.table.column(rows.names.score), "scores")).values


def _class_names(
    values: list[Any], labels: LabelArray | IndexArray, classes: Sequence[str]
) -> ClassNames:
    """Spell the classes as the column of labels does, if they occur in it."""
    codes, rows = np.unique(labels, return_index=True)
    first = {code: to_text(values[row]) for code, row in zip(codes, rows.tolist(), strict=True)}
    return ClassNames(tuple(first.get(code, name) for code, name in enumerate(classes)))


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
