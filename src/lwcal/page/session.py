"""The sheet while it is being answered: what is on the disk is the truth.

Every answer is written, whole and durably, before anybody is told of it. Every change says which
row it means and what it saw there, so that two windows cannot overwrite one another; and a sheet
that another program has changed in the meantime is read again, not overwritten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TypeAlias

from lwcal.audit.checking import Entry, Source, check_sheet
from lwcal.audit.sheet import ANSWER, SKIP, Sheet, read_sheet
from lwcal.errors import LwcalError
from lwcal.files import replacing

Stamp: TypeAlias = tuple[int, int, int]


class Refused(Exception):  # noqa: N818  # an outcome, not an error
    """A change that was not made, and why: for the person, not for a log."""


class Desk:
    """Answers to the rows of a sheet, one at a time.

    Parameters
    ----------
    path : Path
        The sheet, as CSV.
    source : Source
        What it was planned from.

    Attributes
    ----------
    sheet, entries : Sheet, list of Entry
        As they are on the disk; one entry a row.
    order : list of int
        Positions in the source, in the order of checking, whatever a spreadsheet made of it.
        A position names a row everywhere here: it stays when a sheet is sorted.
    revision : int
        Grows with every change.
    trouble : str
        Why the sheet cannot be used for now; empty when it can.
    """

    def __init__(self, path: Path, source: Source) -> None:
        self.path = path
        self.source = source
        self.revision = 0
        self.trouble = ""
        self._lock = RLock()
        self._load()

    @contextmanager
    def looking(self) -> Iterator[Desk]:
        """Hold still, with what is on the disk, while somebody looks."""
        with self._lock:
            self._notice()
            yield self

    @property
    def undoable(self) -> int | None:
        """The row that was answered last, if any is left."""
        cells = self.cells()
        return next((position for position in reversed(self._history) if cells[position]), None)

    def cells(self) -> dict[int, str]:
        """The answers as they are written, by position."""
        words = (cell.strip() for cell in self.sheet.column(ANSWER))
        return {entry.position: word for entry, word in zip(self.entries, words, strict=True)}

    def row(self, position: int) -> int:
        """Where a row stands in the sheet."""
        return self._rows[position]

    def answer(self, position: int, label: int | None, seen: str) -> None:
        """Write an answer, or that the row was skipped."""
        word = SKIP if label is None else self.source.words.word(label)
        with self._lock:
            self._change({position: word}, seen)
            self._history.append(position)

    def undo(self, position: int, seen: str) -> None:
        """Take an answer back."""
        with self._lock:
            self._change({position: ""}, seen)

    def reopen(self) -> None:
        """Ask for the skipped rows again."""
        with self._lock:
            skipped = [k for k, cell in self.cells().items() if cell.casefold() == SKIP]
            self._change(dict.fromkeys(skipped, ""), None)

    def _change(self, words: dict[int, str], seen: str | None) -> None:
        self._notice()
        if self.trouble:
            raise Refused(self.trouble)
        cells = self.cells()
        if not cells.keys() >= words.keys():
            raise Refused("Not saved: the sheet has no such row.")
        if seen is not None and any(cells[position] != seen for position in words):
            raise Refused("Not saved: this row was answered elsewhere meanwhile.")
        sheet = self.sheet
        for position, word in words.items():
            sheet = sheet.with_answer(self._rows[position], word)
        content = sheet.to_bytes()
        try:
            with replacing(self.path, durable=True) as temporary:
                temporary.write_bytes(content)
        except OSError as error:
            raise Refused(f"Not saved: {self.path.name}: {error.strerror}.") from None
        self._accept(sheet, content, check_sheet(sheet, self.source, str(self.path)))

    def _notice(self) -> None:
        """Read the sheet again if another program has written it."""
        try:
            if _stamp(self.path) == self._stamp and not self.trouble:
                return
            self._load()
            self.trouble = ""
        except (LwcalError, OSError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            trouble = f"{self.path.name} was changed by another program and cannot be used: {said}"
            self.revision += trouble != self.trouble
            self.trouble = trouble

    def _load(self) -> None:
        stamp, content = _stamp(self.path), self.path.read_bytes()
        if hashlib.sha256(content).digest() == getattr(self, "_digest", None):
            self._stamp = stamp
            return
        sheet = read_sheet(content, str(self.path))
        self._accept(sheet, content, check_sheet(sheet, self.source, str(self.path)))
        planned = sorted(self.entries, key=lambda entry: (entry.code.plan, entry.code.place))
        self.order = [entry.position for entry in planned]
        self._rows = {entry.position: row for row, entry in enumerate(self.entries)}
        cells = self.cells()
        self._history = [position for position in self.order if cells[position]]

    def _accept(self, sheet: Sheet, content: bytes, entries: list[Entry]) -> None:
        self.sheet, self.entries = sheet, entries
        self._digest = hashlib.sha256(content).digest()
        self._stamp = _stamp(self.path)
        self.revision += 1


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino
