"""An audit session: the sheet while people answer it on the page.

The file on disk is always the current state. An answer is written completely and durably before
it is confirmed. Every change names its row and the answer it replaces, so two windows cannot
overwrite each other. If another program changes the sheet, it is read again and not overwritten.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import RLock
from typing import TypeAlias

from lwcal.atomic_files import replacing
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.sheet import ANSWER, SKIP, Sheet, read_sheet
from lwcal.audit.source import AuditSource
from lwcal.errors import LwcalError
from lwcal.file_locks import locked

FileStamp: TypeAlias = tuple[int, int, int]


class NotSavedError(LwcalError):
    """A change that was not saved. The message tells the person at the page why."""


class AuditSession:
    """The answers to the rows of a sheet.

    Parameters
    ----------
    path : Path
        The sheet, as CSV.
    source : AuditSource
        The rows that it was planned from.

    Attributes
    ----------
    sheet : Sheet
        The sheet on disk.
    rows : list of SheetRow
        Its rows.
    order : list of int
        Positions in the source, in the order of checking, even if a spreadsheet sorted the
        sheet. A position identifies a row in all methods.
    revision : int
        Increases with every change.
    problem : str
        Why the sheet cannot be used now; empty if it can.
    """

    def __init__(self, path: Path, source: AuditSource) -> None:
        self.path = path
        self.source = source
        self.revision = 0
        self.problem = ""
        self._keys: dict[int, str] = {}
        self._lock = RLock()
        self._load()

    @contextmanager
    def locked(self) -> Iterator[AuditSession]:
        """Read the current file, and block changes for the duration of the block."""
        with self._lock:
            self._reload_if_changed()
            yield self

    @property
    def undoable(self) -> int | None:
        """Position of the row that was answered last, or None."""
        answers = self.answers()
        return next((position for position in reversed(self._history) if answers[position]), None)

    @property
    def upcoming(self) -> int | None:
        """Position of the next row to answer, or None if all rows are answered or skipped."""
        answers = self.answers()
        return next((position for position in self.order if not answers[position]), None)

    def key(self, position: int) -> str:
        """Return a random name of a row, for the browser.

        The position itself would tell the label if the source is sorted by it.
        """
        return self._keys[position]

    def find(self, key: object) -> int:
        """Return the position of the row with this name; -1, which no row has, if there is none."""
        return next((position for position, name in self._keys.items() if name == key), -1)

    def answers(self) -> dict[int, str]:
        """Return the answers as they are written in the sheet, by position."""
        cells = (cell.strip() for cell in self.sheet.column(ANSWER))
        return {row.position: cell for row, cell in zip(self.rows, cells, strict=True)}

    def cells(self, position: int) -> dict[str, str]:
        """Return the cells of a row by the names of their columns."""
        return dict(zip(self.sheet.names, self.sheet.rows[self._places[position]], strict=True))

    def answer(self, position: int, label: int | None, seen: str) -> None:
        """Write an answer, or None to skip the row. ``seen`` is the answer it replaces."""
        word = SKIP if label is None else self.source.class_names.name(label)
        with self._lock:
            self._change(lambda: {position: word}, seen)
            self._history.append(position)

    def undo(self, position: int, seen: str) -> None:
        """Delete an answer. ``seen`` is the answer it deletes."""
        with self._lock:
            self._change(lambda: {position: ""}, seen)

    def reopen(self) -> None:
        """Delete the answers of the skipped rows, so that they are asked again."""
        with self._lock:
            self._change(self._reopened, None)

    def _reopened(self) -> dict[int, str]:
        return {k: "" for k, answer in self.answers().items() if answer.casefold() == SKIP}

    def _change(self, choose: Callable[[], dict[int, str]], seen: str | None) -> None:
        try:
            with self._alone():
                self._reload()
                words = choose()  # of the sheet as it is on the disk
                self._check_change(words, seen)
                self._write(words)
        except OSError as error:
            raise NotSavedError(f"Not saved: {self.path.name}: {error.strerror}.") from None

    def _alone(self) -> AbstractContextManager[None]:
        """Keep other processes from changing the sheet between reading and writing it."""
        return locked(self.path.with_name(f".{self.path.name}.lock"))

    def _write(self, words: dict[int, str]) -> None:
        sheet = self.sheet
        for position, word in words.items():
            sheet = sheet.with_answer(self._places[position], word)
        content = sheet.to_bytes()
        with replacing(self.path, overwrite=True, durable=True) as temporary:
            temporary.write_bytes(content)
        self._keep(sheet, content, match_sheet(sheet, self.source, str(self.path)))

    def _check_change(self, words: dict[int, str], seen: str | None) -> None:
        if self.problem:
            raise NotSavedError(f"Not saved: {self.problem}")
        answers = self.answers()
        if not answers.keys() >= words.keys():
            raise NotSavedError("Not saved: the sheet has no such row.")
        if seen is not None and any(answers[position] != seen for position in words):
            raise NotSavedError("Not saved: this row was answered in another window.")

    def _reload_if_changed(self) -> None:
        try:
            changed = _stamp(self.path) != self._stamp
        except OSError:
            changed = True  # reading it tells why
        if changed or self.problem:
            self._reload()

    def _reload(self) -> None:
        try:
            self._load()
            self.problem = ""
        except (LwcalError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            problem = f"{self.path.name} was changed by another program and cannot be used: "
            problem += f"{reason}"
            self.revision += problem != self.problem
            self.problem = problem

    def _load(self) -> None:
        stamp, content = _stamp(self.path), self.path.read_bytes()
        if hashlib.sha256(content).digest() == getattr(self, "_digest", None):
            self._stamp = stamp
            return
        sheet = read_sheet(content, str(self.path))
        self._keep(sheet, content, match_sheet(sheet, self.source, str(self.path)))
        planned = sorted(self.rows, key=lambda row: (row.code.plan, row.code.place))
        self.order = [row.position for row in planned]
        self._keys = {k: self._keys.get(k) or secrets.token_hex(8) for k in self.order}
        self._places = {row.position: place for place, row in enumerate(self.rows)}
        answers = self.answers()
        self._history = [position for position in self.order if answers[position]]

    def _keep(self, sheet: Sheet, content: bytes, rows: list[SheetRow]) -> None:
        self.sheet, self.rows = sheet, rows
        self._digest = hashlib.sha256(content).digest()
        self._stamp = _stamp(self.path)
        self.revision += 1


def _stamp(path: Path) -> FileStamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino
