"""The sheet: the rows to check, as a table of text that people open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lwcal.audit.cells import guard, unguard
from lwcal.errors import InputError, message

ROW = "audit_row"
"""Row of the source, counted from 1."""
PROBABILITY = "audit_probability"
CODE = "audit_code"
ANSWER = "audited_label"
OWN = (ROW, PROBABILITY, CODE, ANSWER)
SKIP = "skip"
BOM = "\ufeff"
"""Tells a spreadsheet that the text is UTF-8."""
DELIMITERS = (",", ";", "\t")
LONGEST_CELL = 1 << 30

Cells: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """Text in rows and columns, and how it was written.

    Attributes
    ----------
    names : tuple of str
        Names of the columns; among them those of ``OWN``.
    rows : tuple of tuples of str
        One cell a column.
    lines : tuple of int
        Where each row stands in a spreadsheet, for messages; the names are in row 1.
    delimiter : str
        What separates cells: spreadsheets choose it by country.
    """

    names: Cells
    rows: tuple[Cells, ...]
    lines: tuple[int, ...]
    delimiter: str = ","

    def column(self, name: str) -> list[str]:
        """All cells of a column."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def with_answer(self, row: int, answer: str) -> Sheet:
        """Write one answer into a copy."""
        place = self.names.index(ANSWER)
        changed = (*self.rows[row][:place], answer, *self.rows[row][place + 1 :])
        return replace(self, rows=(*self.rows[:row], changed, *self.rows[row + 1 :]))

    def to_bytes(self) -> bytes:
        """Write as CSV that a spreadsheet opens rightly and without running anything."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\r\n")
        for row in (self.names, *self.rows):
            writer.writerow([guard(cell) for cell in row])
        return (BOM + text.getvalue()).encode("utf-8")


def make_sheet(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Sheet:
    """Build a sheet from text.

    >>> make_sheet(["a", "audited_label"], [["1", ""]]).lines
    (2,)
    """
    lines = tuple(range(2, len(rows) + 2))
    return Sheet(tuple(names), tuple(tuple(row) for row in rows), lines)


def read_sheet(content: bytes, source: str) -> Sheet:
    """Read a sheet as CSV, also after a spreadsheet has saved it.

    Any of the usual separators and encodings, a mark of the byte order, rows and columns in
    another order, and empty ones are fine.

    >>> made = make_sheet([*OWN], [["1", "0.5", "", "=x"]])
    >>> read_sheet(made.to_bytes(), "to_check.csv") == made
    True
    """
    records, delimiter = _records(_decode(content), source)
    header = [unguard(name.strip()) for name in records[0]]
    filled = [(k, row) for k, row in enumerate(records, start=1) if k > 1 and any(map(_full, row))]
    kept = [k for k, name in enumerate(header) if name]
    names = [header[k] for k in kept]
    check_names(names, source)
    _check_width(filled, set(kept), source)
    rows = tuple(tuple(unguard(row[k]) if k < len(row) else "" for k in kept) for _, row in filled)
    if not rows:
        raise InputError(message(f"at least one row in {source}", "none"))
    return Sheet(tuple(names), rows, tuple(k for k, _ in filled), delimiter)


def check_names(names: Sequence[str], source: str) -> None:
    """Refuse a table that is no sheet."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(message(f"different names of columns in {source}", f"{twice[0]!r} twice"))
    missing = [name for name in OWN if name not in names]
    if missing:
        raise InputError(
            message(
                f"the columns {', '.join(OWN)} in {source}",
                f"no {' and no '.join(missing)}",
                "take the sheet that `lwcal audit plan` wrote",
            )
        )


def _decode(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # what spreadsheets call Unicode text
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _records(text: str, source: str) -> tuple[list[list[str]], str]:
    """Split into cells by the separator that gives the columns of a sheet."""
    if text[:4].lower() == "sep=":  # a line by which a spreadsheet can be told the separator
        text = text.partition("\n")[2]
    csv.field_size_limit(LONGEST_CELL)
    tried = []
    for delimiter in DELIMITERS:
        try:
            records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error as error:
            raise InputError(f"{source} cannot be read: {error}.") from None
        if not records:
            raise InputError(f"{source} cannot be read: it is empty.")
        tried.append((sum(name.strip() in OWN for name in records[0]), records, delimiter))
    _, records, delimiter = max(tried, key=lambda found: found[0])
    return records, delimiter


def _full(cell: str) -> bool:
    return bool(cell.strip())


def _check_width(rows: list[tuple[int, list[str]]], kept: set[int], source: str) -> None:
    bad = [
        line for line, row in rows if any(_full(row[k]) for k in range(len(row)) if k not in kept)
    ]
    if bad:
        got = f"{len(bad):,} rows with more, the first in row {bad[0]}"
        raise InputError(message(f"no cell beyond the named columns in {source}", got))
