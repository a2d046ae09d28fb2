"""Rows that cannot be used: counted by fault, with the first of each, and worded for people.

Every source and every engine uses these kinds of fault and these sentences.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray
from lwcal.errors import DroppedRowsWarning, InputError
from lwcal.parameters import Between, check_parameter
from lwcal.rows.scales import LARGEST_LOGIT, LOGIT, PERCENT, PROBABILITY, ROUNDING_ERROR
from lwcal.rows.values import Numbers

DROP_HINT = "drop them with drop_invalid=True (--drop-invalid)"
DROP_SHARE = 0.5
"""Share of the rows that may be dropped unless another one is allowed."""
MAYBE_PERCENTS, FEWEST_PERCENTS = 0.05, 10
"""Share and number of scores above 1 from which on all may be percents, most of them below 1."""
RowNumbers: TypeAlias = int | npt.NDArray[np.int64]
"""Number of the first row of a batch, or of each of its rows, counted from 0."""


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


class ScoreKinds(NamedTuple):
    """Faults of scores on one scale."""

    not_numeric: Kind
    missing: Kind
    infinite: Kind
    outside: Kind

    @classmethod
    def with_rule(cls, rule: str, if_missing: str, outside: str) -> ScoreKinds:
        """Name the faults; only the rules differ from scale to scale."""
        return cls(
            Kind("not numeric", rule, "like text"),
            Kind("missing", if_missing, "mostly missing"),
            Kind("infinite", rule, "mostly infinite"),
            Kind(outside, rule),
        )


KINDS = {
    PROBABILITY: ScoreKinds.with_rule(
        "Scores must be probabilities, from 0 to 1.",
        "Scores must be probabilities, from 0 to 1, not NaN.",
        "outside [0, 1]",
    ),
    PERCENT: ScoreKinds.with_rule(
        "Scores on the scale percent must be numbers from 0 to 100.",
        "Scores on the scale percent must be numbers from 0 to 100, not NaN.",
        "outside [0, 100]",
    ),
    LOGIT: ScoreKinds.with_rule(
        "Scores on the scale logit must be finite numbers.",
        "Scores on the scale logit must be finite numbers, not NaN.",
        "outside the real numbers",
    ),
}
"""Faults of scores by scale. No finite logit is outside its range."""
OUTSIDE = KINDS[PROBABILITY].outside
OUTSIDE_KINDS = frozenset(kinds.outside for kinds in KINDS.values())
MISSING_LABEL = Kind("missing", "Every row needs a label.", "mostly missing")
FOR_MORE = "For more classes pass a column of scores for each class."
LIGHTEST, HEAVIEST = 1e-100, 1e15
"""Range of weights other than 0. Above it, a float no longer counts single rows; below it, products
of two weights vanish."""
BAD_WEIGHT = Kind(
    "invalid",
    f"A weight says how often a row counts: 0, or a number from {LIGHTEST:g} to {HEAVIEST:g}.",
)


def other_class(pair: str) -> Kind:
    """A label that is neither of the two classes."""
    return Kind(f"not {pair}", f"One column of scores has labels of two classes. {FOR_MORE}")


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
        The first such row, counted from 0 without the header. On a cluster, where rows have no
        order: some of its values, or None.
    value : object
        The value in that row.
    low, high : float
        Range of the values, for numbers outside the range of their scale.
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

        >>> Fault("scores", MISSING_LABEL, 1, 2, None).describe(rows=3)
        'scores: 1 of 3 values is missing, the first in row 2 (None)'
        """
        of = "" if rows is None else f" of {rows:,} value{'s' * (rows != 1)}"
        verb = "is" if self.count == 1 else "are"
        return f"{self.name}: {self.count:,}{of} {verb} {self.kind.problem}, {self.example}"

    def look(self) -> str:
        """Say what the column looks like, when most of its values have this fault.

        >>> Fault("scores", OUTSIDE, 9, 0, 900.0, low=2.0, high=900.0).look()
        'run from 2 to 900'
        """
        if self.low <= self.high:
            return f"run from {self.low:g} to {self.high:g}"
        return f"look {self.kind.looks}"

    def merge(self, other: Fault) -> None:
        """Count more rows with the same fault; the first of them is shown, in whatever order.

        >>> fault = Fault("scores", OUTSIDE, 2, 7, 1.5)
        >>> fault.merge(Fault("scores", OUTSIDE, 1, 3, 9.0))
        >>> fault.describe()
        'scores: 3 are outside [0, 1], the first in row 3 (9.0)'
        """
        self.count += other.count
        if isinstance(self.row, int) and isinstance(other.row, int) and other.row < self.row:
            self.row, self.value = other.row, other.value
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)


class Found(NamedTuple):
    """A value and its row; None where rows have no numbers."""

    row: int | None
    value: Any

    def __str__(self) -> str:
        where = "such as" if self.row is None else f"the first in row {self.row:,}:"
        return f"{where} {self.value!r}"


@dataclass
class InvalidRows:
    """Rows that cannot be used, by fault, and the number of all rows.

    Attributes
    ----------
    rows : int
    faults : dict
    percent, plain : Found or None
        The first score with a percent sign, and the first without. Both in one column are refused
        if plain numbers are probabilities: nobody can tell what a plain 0.5 means there.

    Examples
    --------
    >>> invalid = InvalidRows(rows=10)
    >>> invalid.find(np.array([False, True]), np.array([0.5, 7.0]), 4, "scores", OUTSIDE)
    >>> print(invalid)
    dropped 1 of 10 rows: scores: 1 is outside [0, 1], the first in row 5 (7.0)
    """

    rows: int = 0
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)
    percent: Found | None = None
    plain: Found | None = None

    def find(
        self, bad: BoolArray, values: npt.NDArray[Any], first_row: RowNumbers, name: str, kind: Kind
    ) -> None:
        """Count the bad rows of a batch that begins with this row."""
        first = _first(bad, values, first_row)
        if first is None:
            return
        fault = Fault(name, kind, int(np.count_nonzero(bad)), *first)
        if kind in OUTSIDE_KINDS:
            fault.low, fault.high = float(values[bad].min()), float(values[bad].max())
        self.add(fault)

    def note_signs(self, numbers: Numbers, first_row: RowNumbers, *, also_plain: bool) -> None:
        """Remember the first score with a percent sign, and the first without if both matter."""
        if numbers.percent is not None and self.percent is None:
            self.percent = _first(numbers.percent, numbers.original, first_row)
        if also_plain and self.plain is None:
            is_plain = ~np.isnan(numbers.values)
            if numbers.percent is not None:
                is_plain &= ~numbers.percent
            self.plain = _first(is_plain, numbers.original, first_row)

    def refuse_mixture(self, name: str, *, scalable: bool = True) -> None:
        """Refuse a column in which some scores have a percent sign and others have none."""
        if self.percent is not None and self.plain is not None:
            also = f" If all of them are percents, {scale_option(PERCENT)}." if scalable else ""
            raise InputError(
                f"{name} mixes texts with a percent sign ({self.percent}) and numbers without "
                f"({self.plain}). Write all of them in the same way.{also}"
            )

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
        asked = " ".join(percent_question(fault, self.rows) for fault in self.faults.values())
        hint = f". {asked.strip()}" if asked.strip() else ""
        return f"dropped {self.count:,} of {self.rows:,} rows: {listed}{hint}"

    def warn(self) -> None:
        """Warn the caller's caller about dropped rows, if there are any."""
        if self.faults:
            warnings.warn(str(self), DroppedRowsWarning, stacklevel=3)

    def refuse(self, *, drop_hint: str | None = DROP_HINT, scalable: bool = True) -> None:
        """Raise an error if there are faults: the first in full, the others by number.

        Parameters
        ----------
        drop_hint : str or None
            How to drop invalid rows; None if the caller cannot do that.
        scalable : bool
            Whether the caller reads scores on other scales too.
        """
        if not self.faults:
            return
        fault, *others = self.faults.values()
        facts = fault.describe(self.rows) + "".join(f"; {f.describe()}" for f in others)
        remedy = self._conversion(scalable=scalable) or self._remedy(drop_hint)
        percents = percent_question(fault, self.rows) if scalable else ""
        if percents:  # to drop the highest percents would be wrong
            remedy = f"{percents} Otherwise {remedy[0].lower()}{remedy[1:]}"
        raise InputError(f"{facts}. {fault.kind.rule} {remedy}")

    def check_drop_share(self, allowed: float, *, scalable: bool = True) -> None:
        """Refuse to drop more than this share of the rows; see :meth:`refuse`."""
        if self.count <= allowed * self.rows:
            return
        most = self._commonest
        remedy = self._conversion(scalable=scalable) or self._allowance()
        raise InputError(
            f"Dropping the invalid rows would lose {self.count / self.rows:.0%} of all rows "
            f"({self.count:,} of {self.rows:,}), and at most {allowed:.0%} may be dropped. "
            f"The commonest fault: {most.describe()}. {most.kind.rule} {remedy}"
        )

    @property
    def _commonest(self) -> Fault:
        return max(self.faults.values(), key=lambda fault: fault.count)

    def _doubt(self) -> str:
        """Doubt the column itself, when most of its rows are invalid."""
        most = self._commonest
        return f"The values of {most.name} {most.look()}: check that this is the right column."

    def _allowance(self) -> str:
        check = self._doubt()
        if self.count == self.rows:
            return check
        share = ceil(100 * self.count / self.rows) / 100
        permit = f"allow_drop_share={share:g} (--allow-drop-share {share:g})"
        return f"{check} If the other rows are a fair sample, permit it with {permit}."

    def _conversion(self, *, scalable: bool) -> str:
        """Suggest another scale, if the first fault or that of most rows suggests it."""
        first, *others = self.faults.values()
        usual = [first, *(fault for fault in others if 2 * fault.count > self.rows)]
        hints = (conversion_hint(fault, self.rows, scalable=scalable) for fault in usual)
        return next(filter(None, hints), "")

    def _remedy(self, drop_hint: str | None) -> str:
        """Say what to do; dropping is never suggested when most rows would be lost."""
        if 2 * self.count > self.rows:
            return self._doubt()
        return f"Repair these rows, or {drop_hint or 'remove them first'}."


def _first(chosen: BoolArray, values: npt.NDArray[Any], first_row: RowNumbers) -> Found | None:
    """The first chosen row of a batch."""
    place = int(np.argmax(chosen)) if len(chosen) else 0
    if not len(chosen) or not chosen[place]:
        return None
    value = values[place]
    shown = value.item() if isinstance(value, np.generic) else value
    return Found(row_number(first_row, place), shown)


def row_number(first_row: RowNumbers, place: int) -> int:
    """Number of a row in its source, from its place in a batch.

    >>> row_number(100, 2), row_number(np.array([3, 5, 8]), 2)
    (102, 8)
    """
    return first_row + place if isinstance(first_row, int) else int(first_row[place])


def check_drop_share(share: float, name: str = "allow_drop_share") -> None:
    """Refuse a share of rows that is none."""
    check_parameter(name, share, Between(0.0, 1.0))


def scale_option(scale: str) -> str:
    """Say how to name a scale, in Python and on the command line.

    >>> scale_option("percent")
    'read them with scale="percent" (--score-scale percent)'
    """
    return f'read them with scale="{scale}" (--score-scale {scale})'


def conversion_hint(fault: Fault, rows: int, *, scalable: bool = True) -> str:
    """Guess what numbers outside their range are, from that and their share; "" without a guess.

    A conversion is suggested only when most values are outside. Otherwise it would spoil the
    valid scores.

    Parameters
    ----------
    fault : Fault
    rows : int
        Number of all rows.
    scalable : bool
        Whether the caller reads scores on other scales too.

    Examples
    --------
    >>> conversion_hint(Fault("scores", OUTSIDE, 9, 0, 12.0, low=1.5, high=97.0), rows=10)
    'These look like percentages: read them with scale="percent" (--score-scale percent).'
    >>> conversion_hint(Fault("scores", OUTSIDE, 1, 0, -1.0, low=-1.0, high=-1.0), rows=10)
    ''
    """
    is_probability = fault.kind is OUTSIDE
    if fault.kind not in OUTSIDE_KINDS:
        return ""
    if is_probability and fault.low >= -ROUNDING_ERROR and fault.high <= 1.0 + ROUNDING_ERROR:
        return "Only rounding errors are outside: remove them with numpy.clip(scores, 0, 1)."
    if 2 * fault.count <= rows:
        return ""
    if is_probability and fault.low > 1.0 and fault.high <= 100.0:
        remedy = scale_option(PERCENT) if scalable else "divide them by 100"
        return f"These look like percentages: {remedy}."
    if -LARGEST_LOGIT <= fault.low < 0.0 and fault.high <= LARGEST_LOGIT:
        by_hand = (
            "scipy.special.expit turns those of one column into probabilities, and softmax those "
            "of several"
        )
        return f"These look like logits: {scale_option(LOGIT) if scalable else by_hand}."
    return ""


def percent_question(fault: Fault, rows: int) -> str:
    """Ask whether scores are percents, most of them below 1; "" where they cannot be.

    >>> percent_question(Fault("scores", OUTSIDE, 30, 0, 1.5, low=1.5, high=37.0), rows=100)
    'If all scores are percentages, read them with scale="percent" (--score-scale percent).'
    """
    are_few = max(FEWEST_PERCENTS, MAYBE_PERCENTS * rows) <= fault.count <= rows / 2
    if fault.kind is not OUTSIDE or not are_few or fault.low <= 1.0 or fault.high > 100.0:
        return ""
    return f"If all scores are percentages, {scale_option(PERCENT)}."
