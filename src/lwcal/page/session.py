"""An audit session: the sheet while people answer it on the page.

The file on disk is always the current state. An answer is written completely and durably before
it is confirmed. Every change names its row and the answer it replaces, so two windows cannot
overwrite each other. If another program changes the sheet, it is read again and not overwritten.

Several reviewers can answer one sheet at the same time, each in a session and a column of their
own. A change reads the sheet, changes cells of one column and writes it while it holds a lock, so
it keeps what others have answered in the meantime.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import NamedTuple, TypeAlias

from lwcal.atomic_files import replacing
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.sheet import ANSWER, SKIP, Sheet, read_sheet
from lwcal.audit.sheet_reviewers import columns_of, reviewers_of
from lwcal.audit.source import AuditSource
from lwcal.errors import LwcalError
from lwcal.file_locks import locked

FileStamp: TypeAlias = tuple[int, int, int]


class NotSavedError(LwcalError):
    """A change that was not saved. The message tells the person at the page why."""


class Progress(NamedTuple):
    """How many rows a reviewer has answered, and how many were skipped."""

    reviewer: str
    answered: int
    skipped: int


def sheet_lock(path: Path) -> AbstractContextManager[None]:
    """Keep other processes from making or changing a sheet during the block."""
    return locked(path.with_name(f".{path.name}.lock"))


class AuditSession:
    """The answers to the rows of a sheet: the checked labels, or the opinions of a reviewer.

    Parameters
    ----------
    path : Path
        The sheet, as CSV.
    source : AuditSource
        The rows that it was planned from.
    reviewer : str, optional
        Who answers. Without a name, the answers are checked labels.

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
        Increases with every change of the sheet.
    answers_revision : int
        The last revision that changed an answer of this session.
    problem : str
        Why the sheet cannot be used now; empty if it can.
    """

    def __init__(self, path: Path, source: AuditSource, reviewer: str | None = None) -> None:
        self.path = path
        self.source = source
        self.reviewer = reviewer
        self.rows: list[SheetRow] = []
        self.revision = self.answers_revision = 0
        self.problem = ""
        self._columns = None if reviewer is None else columns_of(reviewer)
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
        cells = (cell.strip() for cell in self.sheet.column(self._column))
        return {row.position: cell for row, cell in zip(self.rows, cells, strict=True)}

    def progress(self) -> list[Progress]:
        """Return how far every reviewer of the sheet is, by name."""
        found = []
        for reviewer in sorted(reviewers_of(self.sheet.names, str(self.path))):
            cells = [cell.strip() for cell in self.sheet.column(columns_of(reviewer).answers)]
            skipped = sum(cell.casefold() == SKIP for cell in cells)
            found.append(Progress(reviewer, sum(map(bool, cells)) - skipped, skipped))
        return found

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
            with sheet_lock(self.path):
                self._reload()
                words = choose()  # of the sheet as it is on the disk
                self._check_change(words, seen)
                self._write(words)
        except OSError as error:
            raise NotSavedError(f"Not saved: {self.path.name}: {error.strerror}.") from None

    @property
    def _column(self) -> str:
        return ANSWER if self._columns is None else self._columns.answers

    def _new_cells(self, word: str) -> dict[str, str]:
        """Return what changes in a row: the answer and, of a reviewer, when it was given."""
        if self._columns is None:
            return {ANSWER: word}
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {self._columns.answers: word, self._columns.times: now if word else ""}

    def _write(self, words: dict[int, str]) -> None:
        sheet = self.sheet
        for position, word in words.items():
            sheet = sheet.with_cells(self._places[position], self._new_cells(word))
        content = sheet.to_bytes()
        with replacing(self.path, overwrite=True, durable=True) as temporary:
            temporary.write_bytes(content)
        self._keep(sheet, content, _stamp(self.path))

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
        before = self.answers() if self.revision else {}
        # the stamp of before the reading: another process may write at any time
        self._keep(self._with_own_columns(read_sheet(content, str(self.path))), content, stamp)
        planned = sorted(self.rows, key=lambda row: (row.code.plan, row.code.place))
        self.order = [row.position for row in planned]
        self._keys = {k: self._keys.get(k) or secrets.token_hex(8) for k in self.order}
        self._places = {row.position: place for place, row in enumerate(self.rows)}
        answers = self.answers()
        if answers != before:  # what others answered does not change which answer was the last
            self._history = [position for position in self.order if answers[position]]

    def _with_own_columns(self, sheet: Sheet) -> Sheet:
        """Add the columns of a new reviewer. They are written with the first answer."""
        if self._columns is not None:
            sheet = sheet.with_columns([self._columns.answers, self._columns.times])
        reviewers_of(sheet.names, str(self.path))  # refuses similar names
        return sheet

    def _keep(self, sheet: Sheet, content: bytes, stamp: FileStamp) -> None:
        rows = match_sheet(sheet, self.source, str(self.path), self._column)
        self._digest = hashlib.sha256(content).digest()
        self._stamp = stamp
        self.revision += 1
        if rows != self.rows:
            self.answers_revision = self.revision
        self.sheet, self.rows = sheet, rows


def _stamp(path: Path) -> FileStamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino
