"""Match a returned sheet with the rows it was planned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise, parse_number
from lwcal.audit.row_codes import RowCode, fingerprint
from lwcal.audit.sheet import Sheet
from lwcal.audit.source import AuditSource
from lwcal.errors import InputError, message


class SheetRow(NamedTuple):
    """One row of a sheet, matched with the source.

    Attributes
    ----------
    position : int
        Position in the source, from 0.
    answer : int or None
        Number of the true class, or None if there is no answer.
    code : RowCode
        How the row was picked.
    location : str
        Where the row stands, for messages.
    """

    position: int
    answer: int | None
    code: RowCode
    location: str


def match_sheet(
    sheet: Sheet, source: AuditSource, name: str, column: str | None = None
) -> list[SheetRow]:
    """Match the rows of a sheet with the source. Refuse the whole sheet if any row is wrong.

    Parameters
    ----------
    sheet : Sheet
        The returned sheet.
    source : AuditSource
        The rows that it was planned from.
    name : str
        Name of the sheet in messages.
    column : str, optional
        Column of the answers; default: that of this kind of sheet.
    """
    checks = _RowChecks(sheet, name)
    positions = _positions(checks, sheet, source)
    codes = _codes(checks, sheet)
    found = list(zip(positions, codes, strict=True))
    _check_origin(checks, sheet, source, found)
    _check_unchanged(checks, sheet, source, found)
    answers = _answers(checks, sheet, source.class_names, column or sheet.own.answer)
    locations = [f"row {line} of {name}" for line in sheet.lines]
    return [
        SheetRow(position, answer, code, location)
        for (position, code), answer, location in zip(found, answers, locations, strict=True)
    ]


def check_cases(sheet: Sheet, columns: Mapping[str, Sequence[str]], name: str) -> None:
    """Refuse a sheet in which columns about the case were sorted apart from the other columns.

    The answers would then belong to other rows. A program that saved the sheet may have written a
    cell in another way. So only cells that changed places are refused.

    Parameters
    ----------
    sheet : Sheet
        The returned sheet.
    columns : mapping
        Cells of the source, by the name of the column, in the order of the rows of the sheet.
    name : str
        Name of the sheet in messages.
    """
    checks = _RowChecks(sheet, name)
    for column, cells in columns.items():
        found = [normalise(cell) for cell in sheet.column(column)]
        expected = [normalise(cell) for cell in cells]
        if sorted(found) == sorted(expected):
            checks.refuse(
                [cell != planned for cell, planned in zip(found, expected, strict=True)],
                sheet.column(column),
                f"cells of column {column!r} are in other rows than they were",
                "The answers may belong to other rows. Answer in the original sheet, and sort "
                "whole rows only.",
            )


class _RowChecks(NamedTuple):
    """Refuses a sheet with the number of wrong rows and the first of them."""

    sheet: Sheet
    name: str

    def refuse(self, bad: Sequence[bool], cells: Sequence[str], problem: str, remedy: str) -> None:
        if not any(bad):
            return
        first = list(bad).index(True)
        raise InputError(
            f"{self.name}: {problem} ({sum(bad):,} of {len(bad):,} rows, first in row "
            f"{self.sheet.lines[first]}: {cells[first]!r}). {remedy}"
        )


def _positions(checks: _RowChecks, sheet: Sheet, source: AuditSource) -> list[int]:
    known = source.positions
    column = sheet.own.row if source.id is None else source.id
    if column not in sheet.names:
        raise InputError(message(f"a column {column!r} in {checks.name}", "no such column"))
    cells = sheet.column(column)
    keys = [normalise(cell) for cell in cells]
    checks.refuse(
        [key not in known for key in keys],
        cells,
        f"the value in column {column!r} does not occur in {source.name}",
        "Use the file that the sheet was planned from.",
    )
    first = {key: k for k, key in reversed(list(enumerate(keys)))}
    checks.refuse(
        [first[key] != k for k, key in enumerate(keys)],
        cells,
        f"the value in column {column!r} is repeated",
        "Delete the repeated rows.",
    )
    return [known[key] for key in keys]


def _codes(checks: _RowChecks, sheet: Sheet) -> list[RowCode]:
    column = sheet.own.code
    cells = sheet.column(column)
    codes = [RowCode.parse(cell) for cell in cells]
    checks.refuse(
        [code is None for code in codes],
        cells,
        f"the code in column {column!r} was changed",
        "Copy that column from the original sheet.",
    )
    return [code for code in codes if code is not None]


def _check_origin(
    checks: _RowChecks, sheet: Sheet, source: AuditSource, found: list[tuple[int, RowCode]]
) -> None:
    checks.refuse(
        [
            fingerprint(source.scores[position], int(source.labels[position])) != code.check
            for position, code in found
        ],
        sheet.column(sheet.own.row),
        f"{'score' if source.codes is None else 'scores'} or label differ from {source.name}",
        "Use the file, and the options --score, --score-scale, --label, --pos-label and --id, that "
        "the sheet was planned with.",
    )


def _check_unchanged(
    checks: _RowChecks, sheet: Sheet, source: AuditSource, found: list[tuple[int, RowCode]]
) -> None:
    """Compare the other columns with the source: a shifted column would also shift answers."""
    columns: dict[str, Callable[[str, int, RowCode], bool]] = {
        sheet.own.probability: lambda cell, _, code: _matches(cell, code.probability),
        **{name: _score_check(source, place) for place, name in enumerate(source.score_columns)},
        source.label: lambda cell, position, _: (
            normalise(cell) == normalise(source.class_names.name(int(source.labels[position])))
        ),
    }
    for column, same in columns.items():
        if column not in sheet.names:  # scores may be hidden
            continue
        cells = sheet.column(column)
        checks.refuse(
            [not same(cell, *pair) for cell, pair in zip(cells, found, strict=True)],
            cells,
            f"column {column!r} was changed",
            f"Restore it, and write answers into column {sheet.own.answer!r} only.",
        )


def _score_check(source: AuditSource, place: int) -> Callable[[str, int, RowCode], bool]:
    return lambda cell, position, _: source.has_score(position, place, parse_number(cell))


def _matches(cell: str, value: float) -> bool:
    number = parse_number(cell)
    return number is not None and number.matches(value)


def _answers(checks: _RowChecks, sheet: Sheet, names: ClassNames, column: str) -> list[int | None]:
    cells = sheet.column(column)
    found: list[int | None] = []
    bad = []
    for cell in cells:
        try:
            found.append(names.parse(cell))
            bad.append(False)
        except KeyError:
            found.append(None)
            bad.append(True)
    problem = f"the answer in column {column!r} is not understood"
    checks.refuse(bad, cells, problem, f"Write {names.accepted()}.")
    return found
