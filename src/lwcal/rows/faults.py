"""Rows that cannot be used: counted by kind, with the first of each, and worded for people.

Every source and every engine uses these kinds and these sentences.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray
from lwcal.errors import DroppedRowsWarning, InputError

DROP_HINT = "drop them with drop_invalid=True (--drop-invalid)"
ROUNDING_ERROR = 1e-6
"""How far sums in single precision carry a probability out of [0, 1]."""
LARGEST_LOGIT = 50.0


class Kind(NamedTuple):
    """A kind of fault.

    Attributes
    ----------
    problem : str
        What the values are, after "is" or "are".
    rule : str
        What is expected, as a sentence.
    looks : str
        What a column looks like in which most values have this fault, after "look".
    """

    problem: str
    rule: str
    looks: str = "mostly invalid"


PROBABILITIES = "Scores must be probabilities, from 0 to 1."
NOT_NUMERIC = Kind("not numeric", PROBABILITIES, "like text")
MISSING_SCORE = Kind(
    "missing", "Scores must be probabilities, from 0 to 1, not NaN.", "mostly missing"
)
INFINITE_SCORE = Kind("infinite", PROBABILITIES, "mostly infinite")
OUTSIDE = Kind("outside [0, 1]", PROBABILITIES)
MISSING_LABEL = Kind("missing", "Every row needs a label.", "mostly missing")
BAD_WEIGHT = Kind("invalid", "A weight says how often a row counts: a finite number of at least 0.")


def other_class(pair: str) -> Kind:
    """A label that is neither of the two classes."""
    rule = "Labels must have two classes. For more classes use CalibratedClassifier."
    return Kind(f"not {pair}", rule)


@dataclass
class Fault:
    """Rows of one column that have the same fault.

    Attributes
    ----------
    name : str
        The column, as messages call it: "scores", or "column 'p'".
    kind : Kind
    count : int
    row : int, str or None
        The first such row. On a cluster, where rows have no order: some of its values, or None.
    value : object
        The value in that row.
    low, high : float
        Range of the values, for numbers outside [0, 1].
    """

    name: str
    kind: Kind
    count: int
    row: int | str | None
    value: Any
    low: float = np.inf
    high: float = -np.inf

    @property
    def example(self) -> str:
        """Show one of the rows.

        >>> Fault("column 'p'", OUTSIDE, 3, "id=7", 1.5).example
        'such as 1.5 where id=7'
        """
        if isinstance(self.row, int):
            return f"the first in row {self.row:,} ({self.value!r})"
        return f"such as {self.value!r}" + (f" where {self.row}" if self.row else "")

    def describe(self, rows: int | None = None) -> str:
        """State the fault, out of how many rows if that is given.

        >>> Fault("scores", MISSING_SCORE, 1, 4, None).describe(rows=3)
        'scores: 1 of 3 values is missing, the first in row 4 (None)'
        """
        of = "" if rows is None else f" of {rows:,} value{'s' * (rows != 1)}"
        verb = "is" if self.count == 1 else "are"
        return f"{self.name}: {self.count:,}{of} {verb} {self.kind.problem}, {self.example}"

    def look(self) -> str:
        """Say what the column looks like, when most of its values have this fault.

        >>> Fault("scores", OUTSIDE, 9, 0, 900.0, low=2.0, high=900.0).look()
        'run from 2 to 900'
        """
        if self.kind is OUTSIDE:
            return f"run from {self.low:g} to {self.high:g}"
        return f"look {self.kind.looks}"

    def merge(self, other: Fault) -> None:
        """Count more rows with the same fault."""
        self.count += other.count
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)


@dataclass
class InvalidRows:
    """Rows that cannot be used, by fault, and the number of all rows.

    >>> invalid = InvalidRows(rows=10)
    >>> invalid.find(np.array([False, True]), np.array([0.5, 7.0]), 4, "scores", OUTSIDE)
    >>> print(invalid)
    dropped 1 of 10 rows: scores: 1 is outside [0, 1], the first in row 5 (7.0)
    """

    rows: int = 0
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)

    def find(
        self, bad: BoolArray, values: npt.NDArray[Any], first_row: int, name: str, kind: Kind
    ) -> None:
        """Count the bad rows of a batch that begins with this row."""
        if not bad.any():
            return
        first = int(np.argmax(bad))
        value = values[first]
        shown = value.item() if isinstance(value, np.generic) else value
        fault = Fault(name, kind, int(np.count_nonzero(bad)), first_row + first, shown)
        if kind is OUTSIDE:
            fault.low, fault.high = float(values[bad].min()), float(values[bad].max())
        self.add(fault)

    def add(self, fault: Fault) -> None:
        """Add a fault; rows with the same fault are counted together."""
        known = self.faults.setdefault((fault.name, fault.kind.problem), fault)
        if known is not fault:
            known.merge(fault)

    @property
    def count(self) -> int:
        """Number of invalid rows; a row with two faults counts once."""
        return sum(fault.count for fault in self.faults.values())

    def __str__(self) -> str:
        listed = "; ".join(fault.describe() for fault in self.faults.values())
        return f"dropped {self.count:,} of {self.rows:,} rows: {listed}"

    def warn(self) -> None:
        """Warn the caller's caller about dropped rows, if there are any."""
        if self.faults:
            warnings.warn(str(self), DroppedRowsWarning, stacklevel=3)

    def refuse(self, *, drop_hint: str | None = DROP_HINT) -> None:
        """Raise an error if there are faults: the first in full, the others by number."""
        if not self.faults:
            return
        fault, *others = self.faults.values()
        facts = fault.describe(self.rows) + "".join(f"; {f.describe()}" for f in others)
        raise InputError(f"{facts}. {fault.kind.rule} {self._remedy(fault, drop_hint)}")

    def _remedy(self, fault: Fault, drop_hint: str | None) -> str:
        """Say what to do; dropping is never suggested when most rows would be lost."""
        hint = conversion_hint(fault, self.rows) if fault.kind is OUTSIDE else ""
        if hint:
            return hint
        if 2 * self.count > self.rows:
            most = max(self.faults.values(), key=lambda fault: fault.count)
            return f"The values of {most.name} {most.look()}: check that this is the right column."
        return f"Repair these rows, or {drop_hint or 'remove them first'}."


def conversion_hint(fault: Fault, rows: int) -> str:
    """Guess what numbers outside [0, 1] are, from their range and share; "" without a guess.

    A conversion is suggested only when most values are outside. Otherwise it would spoil the
    valid scores.

    >>> conversion_hint(Fault("scores", OUTSIDE, 9, 0, 12.0, low=1.5, high=97.0), rows=10)
    'These look like percentages: divide them by 100.'
    >>> conversion_hint(Fault("scores", OUTSIDE, 1, 0, -1.0, low=-1.0, high=-1.0), rows=10)
    ''
    """
    if fault.low >= -ROUNDING_ERROR and fault.high <= 1.0 + ROUNDING_ERROR:
        return "Only rounding errors are outside: remove them with numpy.clip(scores, 0, 1)."
    if 2 * fault.count <= rows:
        return ""
    if fault.low > 1.0 and fault.high <= 100.0:
        return "These look like percentages: divide them by 100."
    if -LARGEST_LOGIT <= fault.low < 0.0 and fault.high <= LARGEST_LOGIT:
        return "These look like logits: scipy.special.expit turns them into probabilities."
    return ""
