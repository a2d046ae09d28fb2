"""Values that cannot be used: scores and weights are checked, and faults counted and worded.

Every source and every engine uses these kinds of fault and these sentences.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import DroppedRowsWarning, InputError
from lwcal.rows.values import ArrayLike, Column, as_column, as_numbers, check_same_length

DROP_HINT = "drop them with drop_invalid=True (--drop-invalid)"
ROUNDING_ERROR = 1e-6
"""How far sums in single precision carry a probability out of [0, 1]."""
LARGEST_LOGIT = 50.0
ONE_COLUMN = "Pass one column; of the output of predict_proba that is [:, 1]."


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


def as_scores(scores: ArrayLike, *, name: str = "scores") -> FloatArray:
    """Return scores as a contiguous float64 array, or refuse them.

    >>> as_scores(["0.5", 1])
    array([0.5, 1. ])
    """
    column = as_column(scores, name, ONE_COLUMN)
    values = valid_scores(column)
    return _checked(column, name) if values is None else values


def valid_scores(column: Column) -> FloatArray | None:
    """Return plain numbers that are all valid, in few operations; None for anything else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        values = np.ascontiguousarray(column, dtype=np.float64)
        # a NaN makes both comparisons false
        if values.min() >= 0.0 and values.max() <= 1.0:
            return values
    return None


def _checked(column: Column, name: str) -> FloatArray:
    invalid = InvalidRows(rows=len(column))
    values, _ = check_scores(column, 0, name, invalid)
    invalid.refuse(drop_hint=None)
    return values


def check_scores(
    column: Column, first_row: int, name: str, invalid: InvalidRows
) -> tuple[FloatArray, BoolArray | None]:
    """Return the scores of a batch as float64, and which rows are invalid, if any.

    >>> invalid = InvalidRows(rows=2)
    >>> check_scores(np.array([0.5, 1.5]), 0, "scores", invalid)
    (array([0.5, 1.5]), array([False,  True]))
    >>> invalid.count
    1
    """
    values, not_numeric, original = as_numbers(column)
    if len(values) == 0 or (values.min() >= 0.0 and values.max() <= 1.0):
        return values, None
    bad = np.zeros(len(values), dtype=np.bool_)
    for kind, wrong, shown in (
        (NOT_NUMERIC, bad if not_numeric is None else not_numeric, original),
        (MISSING_SCORE, np.isnan(values), values),
        (INFINITE_SCORE, np.isinf(values), values),
        (OUTSIDE, (values < 0.0) | (values > 1.0), values),
    ):
        invalid.find(wrong & ~bad, shown, first_row, name, kind)
        bad = bad | wrong
    return values, bad


CHANCE = Kind(
    "not above 0 and up to 1", "A checked row needs the probability with which it was selected."
)


def as_weights(
    sample_weight: ArrayLike, n: int, *, name: str = "sample_weight", allow_zeros: bool = False
) -> FloatArray:
    """Return n weights as float64, or refuse them; all zeros only if that is allowed."""
    column = as_column(sample_weight, name)
    check_same_length(n, len(column), name, of="rows")
    values = valid_weights(column)
    if values is None:
        invalid = InvalidRows(rows=n)
        values, _ = check_weights(column, 0, name, invalid)
        invalid.refuse(drop_hint=None)
    if not allow_zeros and not values.any():
        raise InputError(only_zeros(name, n))
    return values


def only_zeros(name: str, n: int) -> str:
    """Word the error about weights that leave nothing to count."""
    hint = "At least one weight must be above 0."
    return f"{name}: all {n:,} weights are zero, so no row counts. {hint}"


def valid_weights(column: Column) -> FloatArray | None:
    """Return plain numbers that are all valid weights; None for anything else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        values = np.ascontiguousarray(column, dtype=np.float64)
        if values.min() >= 0.0 and values.max() < np.inf:
            return values
    return None


def check_weights(
    column: Column, first_row: int, name: str, invalid: InvalidRows, bad: BoolArray | None = None
) -> tuple[FloatArray, BoolArray | None]:
    """Return the weights of a batch, and which rows are invalid: those before, and these."""
    values, not_numeric, original = as_numbers(column)
    wrong = ~(np.isfinite(values) & (values >= 0.0))
    if not wrong.any():
        return values, bad
    shown = values if not_numeric is None else original
    # a row that was invalid before is not counted again
    new = wrong if bad is None else wrong & ~bad
    invalid.find(new, shown, first_row, name, BAD_WEIGHT)
    return values, wrong if bad is None else wrong | bad


def as_chances(
    values: ArrayLike, rows: BoolArray, *, name: str = "audit_probability"
) -> FloatArray:
    """Return the probabilities with which these rows were selected: above 0, and at most 1.

    >>> as_chances([0.5, None, 0.1], np.array([True, False, True]))
    array([0.5, 0.1])
    """
    column = as_column(values, name)
    check_same_length(len(rows), len(column), name, of="rows")
    numbers = as_numbers(column)
    bad = rows & ~((numbers.values > 0.0) & (numbers.values <= 1.0))
    shown = numbers.values if numbers.not_numeric is None else numbers.original
    invalid = InvalidRows(rows=int(np.count_nonzero(rows)))
    invalid.find(bad, shown, 0, name, CHANCE)
    invalid.refuse(drop_hint=None)
    return np.asarray(numbers.values[rows])
