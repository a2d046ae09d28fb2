"""The sheet of rows to check: a table of text that people open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from lwcal.audit.cell_text import escape_formula, unescape_formula
from lwcal.errors import InputError, message
from lwcal.files import LONGEST_CELL


class SheetColumns(NamedTuple):
    """The columns that every sheet of a kind has besides those of the source.

    Attributes
    ----------
    row : str
        Row of the source, counted from 1.
    probability : str
        Probability with which the row was picked.
    code : str
        How the row was picked, and which row it was.
    answer : str
        What a person writes.
    """

    row: str
    probability: str
    code: str
    answer: str


AUDIT = SheetColumns("audit_row", "audit_probability", "audit_code", "audited_label")
ROW, PROBABILITY, CODE, ANSWER = OWN = AUDIT
OPINION = SheetColumns("opinion_row", "opinion_probability", "opinion_code", "opinion")
"""A sheet of second opinions. They are no checked labels, so their columns have other names."""
PLANNED_BY = {AUDIT: "lwcal audit plan", OPINION: "lwcal opinions plan"}
"""Command that writes sheets of each kind."""
SKIP = "skip"
BOM = "\ufeff"
"""Byte order mark: lets a spreadsheet recognise UTF-8."""
DELIMITERS = (",", ";", "\t")

Cells: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """A table of text, and how it was written.

    Attributes
    ----------
    names : tuple of str
        Names of the columns, including those in ``own``.
    rows : tuple of tuples of str
        The cells of every row, one per column.
    lines : tuple of int
        Row numbers in a spreadsheet, for messages. The names are in row 1.
    delimiter : str
        Separator of cells. Spreadsheets choose it by country.
    own : SheetColumns
        The kind of sheet.
    """

    names: Cells
    rows: tuple[Cells, ...]
    lines: tuple[int, ...]
    delimiter: str = ","
    own: SheetColumns = AUDIT

    def column(self, name: str) -> list[str]:
        """Return all cells of a column."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def with_cells(self, row: int, cells: Mapping[str, str]) -> Sheet:
        """Return a copy with other cells in some columns of a row."""
        changed = tuple(
            cells.get(name, cell) for name, cell in zip(self.names, self.rows[row], strict=True)
        )
        return replace(self, rows=(*self.rows[:row], changed, *self.rows[row + 1 :]))

    def with_columns(self, names: Sequence[str]) -> Sheet:
        """Return a copy that has these columns too; those that it lacks are empty."""
        added = [name for name in names if name not in self.names]
        empty = ("",) * len(added)
        rows = tuple((*row, *empty) for row in self.rows)
        return replace(self, names=(*self.names, *added), rows=rows)

    def to_bytes(self) -> bytes:
        """Return the sheet as CSV that a spreadsheet opens correctly and runs no formula of."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\r\n")
        for row in (self.names, *self.rows):
            writer.writerow([escape_formula(cell) for cell in row])
        return (BOM + text.getvalue()).encode("utf-8")


def make_sheet(
    names: Sequence[str], rows: Sequence[Sequence[str]], own: SheetColumns = AUDIT
) -> Sheet:
    """Make a sheet from text.

    >>> make_sheet(["a", "audited_label"], [["1", ""]]).lines
    (2,)
    """
    lines = tuple(range(2, len(rows) + 2))
    return Sheet(tuple(names), tuple(tuple(row) for row in rows), lines, own=own)


def read_sheet(content: bytes, source: str, own: SheetColumns = AUDIT) -> Sheet:
    """Read a sheet from CSV, also after a spreadsheet has saved it.

    The separator, the encoding, a byte order mark, and the order of rows and columns may differ.
    Empty rows and columns are ignored.

    >>> made = make_sheet([*OWN], [["1", "0.5", "", "=x"]])
    >>> read_sheet(made.to_bytes(), "to_check.csv") == made
    True
    """
    records, delimiter = _records(_decode(content), source, own)
    header = [unescape_formula(name.strip()) for name in records[0]]
    filled = [
        (k, row) for k, row in enumerate(records, start=1) if k > 1 and any(map(_is_filled, row))
    ]
    kept = [k for k, name in enumerate(header) if name]
    names = [header[k] for k in kept]
    check_names(names, source, own)
    _check_width(filled, set(kept), source)
    rows = tuple(
        tuple(unescape_formula(row[k]) if k < len(row) else "" for k in kept) for _, row in filled
    )
    if not rows:
        raise InputError(f"{source} has no rows below the column names.")
    return Sheet(tuple(names), rows, tuple(k for k, _ in filled), delimiter, own)


def check_names(names: Sequence[str], source: str, own: SheetColumns = AUDIT) -> None:
    """Refuse a table that does not have the columns of a sheet."""
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InputError(f"{source} has more than one column {repeated[0]!r}. Rename all but one.")
    missing = [name for name in own if name not in names]
    if missing:
        raise InputError(
            message(
                f"the columns {', '.join(own)} in {source}",
                f"none named {', '.join(missing)}",
                f"use the sheet that `{PLANNED_BY[own]}` wrote",
            )
        )


def _decode(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # "Unicode text" in a spreadsheet's words
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _records(text: str, source: str, own: SheetColumns) -> tuple[list[list[str]], str]:
    """Split text into cells, with the separator that finds most columns of a sheet."""
    if text[:4].lower() == "sep=":  # a line that states the separator for spreadsheets
        text = text.partition("\n")[2]
    csv.field_size_limit(LONGEST_CELL)
    tried = []
    for delimiter in DELIMITERS:
        try:
            records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error as error:
            raise InputError(f"{source} cannot be read: {error}.") from None
        if not records:
            raise InputError(f"{source} is empty.")
        tried.append((sum(name.strip() in own for name in records[0]), records, delimiter))
    _, records, delimiter = max(tried, key=lambda found: found[0])
    return records, delimiter


def _is_filled(cell: str) -> bool:
    return bool(cell.strip())


def _check_width(rows: list[tuple[int, list[str]]], kept: set[int], source: str) -> None:
    bad = [
        line
        for line, row in rows
        if any(_is_filled(row[k]) for k in range(len(row)) if k not in kept)
    ]
    if bad:
        raise InputError(
            f"{source} has cells outside the named columns in {len(bad):,} of {len(rows):,} rows, "
            f"first in row {bad[0]}. Name the column, or delete the cells."
        )
