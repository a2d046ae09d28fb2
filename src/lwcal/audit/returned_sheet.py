"""A sheet that came back, against the rows that it was made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lwcal.arrays import FloatArray, LabelArray
from lwcal.audit.answers import Words
from lwcal.audit.cells import read_number, spell
from lwcal.audit.codes import Code, fingerprint
from lwcal.audit.sheet import ANSWER, CODE, PROBABILITY, ROW, Sheet
from lwcal.errors import InputError, message


@dataclass(frozen=True, eq=False)
class Source:
    """The rows that are audited.

    Attributes
    ----------
    name : str
        What to call them in messages.
    scores, labels : arrays
        Checked; labels as 0 and 1.
    words : Words
        The classes as the source spells them.
    score, label : str
        Names of the columns.
    id : str or None
        Name of the column of ids, when rows are to be known by them.
    ids : sequence or None
        Those ids.
    """

    name: str
    scores: FloatArray
    labels: LabelArray
    words: Words
    score: str = "score"
    label: str = "label"
    id: str | None = None
    ids: Sequence[Any] | None = None


class Entry(NamedTuple):
    """One row of a sheet: which of the source, what was answered, how it was picked."""

    position: int
    answer: int | None
    code: Code
    where: str


def check_sheet(sheet: Sheet, source: Source, name: str) -> list[Entry]:
    """Match a sheet's rows with the source's, and refuse it whole if any row is not right.

    Parameters
    ----------
    sheet : Sheet
        As it came back.
    source : Source
        What it was made from.
    name : str
        What to call the sheet in messages.
    """
    rows = _Rows(sheet, name)
    positions = _positions(rows, sheet, source)
    codes = [Code.parse(cell) for cell in sheet.column(CODE)]
    rows.refuse(
        [code is None for code in codes],
        sheet.column(CODE),
        f"the codes that the plan wrote in column {CODE!r} of {name}",
        "changed",
        "copy the column from the sheet as it was planned",
    )
    known = [code for code in codes if code is not None]
    found = list(zip(positions, known, strict=True))
    _check_origin(rows, sheet, source, found)
    _check_unchanged(rows, sheet, source, found)
    answers = _answers(rows, sheet, source.words)
    wheres = [f"row {line} of {name}" for line in sheet.lines]
    return [
        Entry(position, answer, code, where)
        for (position, code), answer, where in zip(found, answers, wheres, strict=True)
    ]


class _Rows(NamedTuple):
    """The rows of a sheet, by which a message names the first that is wrong."""

    sheet: Sheet
    name: str

    def refuse(
        self, bad: Sequence[bool], cells: Sequence[str], expected: str, what: str, hint: str
    ) -> None:
        if not any(bad):
            return
        first = list(bad).index(True)
        got = (
            f"{sum(bad):,} of {len(bad):,} rows {what}, the first in row "
            f"{self.sheet.lines[first]} ({cells[first]!r})"
        )
        raise InputError(message(expected, got, hint))


def _positions(rows: _Rows, sheet: Sheet, source: Source) -> list[int]:
    if source.id is None or source.ids is None:
        column, known = ROW, {str(k + 1): k for k in range(len(source.scores))}
    else:
        column, known = source.id, _by_id(source.ids)
        if column not in sheet.names:
            raise InputError(message(f"a column {column!r} in {rows.name}", "none of that name"))
    cells = sheet.column(column)
    spelled = [spell(cell) for cell in cells]
    expected = f"rows of {source.name} in column {column!r} of {rows.name}"
    rows.refuse(
        [cell not in known for cell in spelled],
        cells,
        expected,
        "that are not there",
        "give the file that it was planned from",
    )
    first = {cell: k for k, cell in reversed(list(enumerate(spelled)))}
    repeated = [first[cell] != k for k, cell in enumerate(spelled)]
    rows.refuse(repeated, cells, f"{expected}, each once", "repeated", "drop the repeats")
    return [known[cell] for cell in spelled]


def _by_id(ids: Sequence[Any]) -> dict[str, int]:
    known: dict[str, int] = {}
    for position, value in enumerate(ids):
        first = known.setdefault(spell(value), position)
        if first != position:
            got = f"rows {first + 1} and {position + 1} with {value!r}"
            hint = "a spreadsheet would not keep them apart"
            raise InputError(message("ids that differ by more than their format", got, hint))
    return known


def _check_origin(rows: _Rows, sheet: Sheet, source: Source, found: list[tuple[int, Code]]) -> None:
    rows.refuse(
        [
            fingerprint(source.scores[position], source.labels[position]) != code.check
            for position, code in found
        ],
        sheet.column(ROW),
        f"the scores and labels that {rows.name} was planned with in {source.name}",
        "that differ",
        "give the file, and the --score, --label, --pos-label and --id, that it was planned with",
    )


def _check_unchanged(
    rows: _Rows, sheet: Sheet, source: Source, found: list[tuple[int, Code]]
) -> None:
    """What people see beside the answers must be what was planned: a slip there hides others."""
    columns: dict[str, Callable[[str, int, Code], bool]] = {
        PROBABILITY: lambda cell, _, code: _fits(cell, code.probability),
        source.score: lambda cell, position, _: _fits(cell, float(source.scores[position])),
        source.label: lambda cell, position, _: (
            spell(cell) == spell(source.words.word(source.labels[position]))
        ),
    }
    for column, same in columns.items():
        if column not in sheet.names:  # a score that was hidden
            continue
        cells = sheet.column(column)
        rows.refuse(
            [not same(cell, *pair) for cell, pair in zip(cells, found, strict=True)],
            cells,
            f"column {column!r} of {rows.name} as it was planned",
            "changed",
            f"write answers into {ANSWER!r} only",
        )


def _fits(cell: str, value: float) -> bool:
    number = read_number(cell)
    return number is not None and number.fits(value)


def _answers(rows: _Rows, sheet: Sheet, words: Words) -> list[int | None]:
    cells = sheet.column(ANSWER)
    found: list[int | None] = []
    bad = []
    for cell in cells:
        try:
            found.append(words.meaning(cell))
            bad.append(False)
        except KeyError:
            found.append(None)
            bad.append(True)
    expected = f"answers in column {ANSWER!r} of {rows.name} ({words.accepted()})"
    rows.refuse(bad, cells, expected, "with something else", "correct them")
    return found
