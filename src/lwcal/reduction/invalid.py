"""Rows that cannot be used: counted by reason, with the first of each, to be told in a sentence."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray
from lwcal.errors import DroppedRowsWarning, InputError, message

DROP = "or leave such rows out with --drop-invalid (drop_invalid=True)"


@dataclass
class Fault:
    """Rows that are wrong in the same way, with the first, or where rows have no order, with one.

    Such a row is told by some of its values instead of its number, or not at all.
    """

    column: str
    what: str
    expected: str
    hint: str
    count: int
    row: int | str | None
    value: Any

    def __str__(self) -> str:
        return f"{self.count:,} {self.what}, {self.example}"

    @property
    def example(self) -> str:
        """One of the rows, in words.

        >>> Fault("p", "outside", "", "", 3, "id=7", 1.5).example
        'such as 1.5 where id=7'
        """
        if isinstance(self.row, int):
            return f"the first in row {self.row:,} ({self.value!r})"
        return f"such as {self.value!r}" + (f" where {self.row}" if self.row else "")


@dataclass
class Dropped:
    """What was left out, and of how many rows.

    >>> dropped = Dropped(rows=10)
    >>> dropped.note(np.array([False, True]), np.array([0.5, 7.0]), 4, "score", "outside", "", "")
    >>> print(dropped)
    dropped 1 of 10 rows: in column 'score' 1 outside, the first in row 5 (7.0)
    """

    rows: int = 0
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)

    def note(
        self,
        bad: BoolArray,
        values: npt.NDArray[Any],
        begin: int,
        column: str,
        what: str,
        expected: str,
        hint: str,
    ) -> None:
        """Count the rows of a batch that are bad; the batch begins with this row."""
        if not bad.any():
            return
        first = int(np.argmax(bad))
        value = values[first]
        shown = value.item() if isinstance(value, np.generic) else value
        count = int(np.count_nonzero(bad))
        self.add(Fault(column, what, expected, hint, count, begin + first, shown))

    def add(self, fault: Fault) -> None:
        """Count more rows that are wrong in this way."""
        known = self.faults.setdefault((fault.column, fault.what), fault)
        if known is not fault:
            known.count += fault.count

    @property
    def count(self) -> int:
        """Number of rows; one that is wrong in two ways counts once."""
        return sum(fault.count for fault in self.faults.values())

    def __str__(self) -> str:
        listed = "; ".join(f"in column {f.column!r} {f}" for f in self.faults.values())
        return f"dropped {self.count:,} of {self.rows:,} rows: {listed}"

    def warn(self) -> None:
        """Tell what was dropped, if anything was, to whoever called our caller."""
        if self.faults:
            warnings.warn(str(self), DroppedRowsWarning, stacklevel=3)

    def refuse(self) -> None:
        """Refuse rows, if any are wrong: in full about the first fault, by number of the others."""
        if not self.faults:
            return
        fault, *others = self.faults.values()
        got = f"{fault.count:,} of {self.rows:,} values {fault.what}, {fault.example}"
        more = "".join(f", and in column {f.column!r} {f}" for f in others)
        raise InputError(message(fault.expected, got + more, f"{fault.hint}, {DROP}"))
