"""The sheet of rows to check: a table of text that people open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lwcal.audit.cell_text import escape_formula, unescape_formula
from lwcal.errors import InputError, message

ROW = "audit_row"
"""Row of the source, counted from 1."""
PROBABILITY = "audit_probability"
CODE = "audit_code"
ANSWER = "audited_label"
OWN = (ROW, PROBABILITY, CODE, ANSWER)
"""The columns that every sheet has besides those of the source."""
SKIP = "skip"
BOM = "\ufeff"
"""Byte order mark: lets a spreadsheet recognise UTF-8."""
DELIMITERS = (",", ";", "\t")
LONGEST_CELL = 1 << 30

Cells: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """A table of text, and how it was written.

    Attributes
    ----------
    names : tuple of str
        Names of the columns, including those in ``OWN``.
    rows : tuple of tuples of str
        The cells of every row, one per column.
    lines : tuple of int
        Row numbers in a spreadsheet, for messages. The names are in row 1.
    delimiter : str
        Separator of cells. Spreadsheets choose it by country.
    """

    names: Cells
    rows: tuple[Cells, ...]
    lines: tuple[int, ...]
    delimiter: str = ","

    def column(self, name: str) -> list[str]:
        """Return all cells of a column."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def with_answer(self, row: int, answer: str) -> Sheet:
        """Return a copy with one answer changed."""
        place = self.names.index(ANSWER)
        changed = (*self.rows[row][:place], answer, *self.rows[row][place + 1 :])
        return replace(self, rows=(*self.rows[:row], changed, *self.rows[row + 1 :]))

    def to_bytes(self) -> bytes:
        """Return the sheet as CSV that a spreadsheet opens correctly and runs no formula of."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\r\n")
        for row in (self.names, *self.rows):
            writer.writerow([escape_formula(cell) for cell in row])
        return (BOM + text.getvalue()).encode("utf-8")


def make_sheet(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Sheet:
    """Make a sheet from text.

    >>> make_sheet(["a", "audited_label"], [["1", ""]]).lines
    (2,)
    """
    lines = tuple(range(2, len(rows) + 2))
    return Sheet(tuple(names), tuple(tuple(row) for row in rows), lines)


def read_sheet(content: bytes, source: str) -> Sheet:
    """Read a sheet from CSV, also after a spreadsheet has saved it.

    The separator, the encoding, a byte order mark, and the order of rows and columns may differ.
    Empty rows and columns are ignored.

    >>> made = make_sheet([*OWN], [["1", "0.5", "", "=x"]])
    >>> read_sheet(made.to_bytes(), "to_check.csv") == made
    True
    """
    records, delimiter = _records(_decode(content), source)
    header = [unescape_formula(name.strip()) for name in records[0]]
    filled = [
        (k, row) for k, row in enumerate(records, start=1) if k > 1 and any(map(_is_filled, row))
    ]
    kept = [k for k, name in enumerate(header) if name]
    names = [header[k] for k in kept]
    check_names(names, source)
    _check_width(filled, set(kept), source)
    rows = tuple(
        tuple(unescape_formula(row[k]) if k < len(row) else "" for k in kept) for _, row in filled
    )
    if not rows:
        raise InputError(f"{source} has no rows below the column names.")
    return Sheet(tuple(names), rows, tuple(k for k, _ in filled), delimiter)


def check_names(names: Sequence[str], source: str) -> None:
    """Refuse a table that does not have the columns of a sheet."""
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InputError(f"{source} has more than one column {repeated[0]!r}. Rename all but one.")
    missing = [name for name in OWN if name not in names]
    if missing:
        raise InputError(
            message(
                f"the columns {', '.join(OWN)} in {source}",
                f"none named {', '.join(missing)}",
                "use the sheet that `lwcal audit plan` wrote",
            )
        )


def _decode(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # "Unicode text" in a spreadsheet's words
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _records(text: str, source: str) -> tuple[list[list[str]], str]:
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
        tried.append((sum(name.strip() in OWN for name in records[0]), records, delimiter))
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
