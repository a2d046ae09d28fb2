"""Kinds of fault that a value can have, and how one of them is worded for people.

Every source and every engine uses these kinds and these sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.rows.scales import LARGEST_LOGIT, LOGIT, PERCENT, PROBABILITY, ROUNDING_ERROR

MAYBE_PERCENTS, FEWEST_PERCENTS = 0.05, 10
"""Share and number of scores above 1 from which on all may be percents, most of them below 1."""
SURE_PERCENT = 10.0
"""Of fewer scores, the highest must be above this to be called percents: 1.2 may be a mistake."""


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


def scale_option(scale: str) -> str:
    """Say how to name a scale, in Python and on the command line.

    >>> scale_option("percent")
    'read them with scale="percent" (--score-scale percent)'
    """
    return f'read them with scale="{scale}" (--score-scale {scale})'


def conversion_hint(fault: Fault, rows: int, *, scalable: bool = True) -> str:
    """Guess what numbers outside their range are, from that and their share; "" without a guess.

    A conversion is suggested only when most values are outside. Otherwise it would spoil the
    valid scores. One value alone shows no scale, and a few that are hardly above 1 do not.

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
    >>> conversion_hint(Fault("scores", OUTSIDE, 1, 0, 1.2, low=1.2, high=1.2), rows=1)
    ''
    """
    is_probability = fault.kind is OUTSIDE
    if fault.kind not in OUTSIDE_KINDS:
        return ""
    if is_probability and fault.low >= -ROUNDING_ERROR and fault.high <= 1.0 + ROUNDING_ERROR:
        return "Only rounding errors are outside: remove them with numpy.clip(scores, 0, 1)."
    if 2 * fault.count <= rows or fault.count == 1:
        return ""
    if is_probability and fault.low > 1.0 and fault.high <= 100.0:
        if fault.count < FEWEST_PERCENTS and fault.high <= SURE_PERCENT:
            return ""
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
