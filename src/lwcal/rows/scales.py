"""Scales on which scores arrive: probabilities, percents or logits. Here they become probabilities.

Everything behind this module, every table and every map, knows probabilities only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError
from lwcal.numerics.sigmoid import expit
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.values import Numbers

PROBABILITY, PERCENT, LOGIT = SCALES = ("probability", "percent", "logit")
AUTO = "auto"
"""The values decide which of the scales they are on."""
CHOICES = (*SCALES, AUTO)
RANGES = {PROBABILITY: (0.0, 1.0), PERCENT: (0.0, 100.0), LOGIT: (-np.inf, np.inf)}
"""Lowest and highest score of each scale; infinity itself is never a score."""
ROUNDING_ERROR = 1e-6
"""How far sums in single precision carry a probability out of [0, 1]."""
LARGEST_LOGIT = 50.0
"""Numbers beyond it are not taken for logits unless somebody says that they are."""


def check_scale(scale: str, name: str = "scale") -> None:
    """Refuse an unknown scale.

    >>> check_scale("odds")
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected scale to be one of 'probability', 'percent', ...
    """
    check_parameter(name, scale, OneOf(CHOICES))


def to_probabilities(values: FloatArray, scale: str) -> FloatArray:
    """Turn valid scores on a scale into probabilities.

    >>> to_probabilities(np.array([6.0, 50.0]), "percent"), to_probabilities(np.zeros(1), "logit")
    (array([0.06, 0.5 ]), array([0.5]))
    """
    if scale == PERCENT:
        return values / 100.0
    if scale != LOGIT:
        return values
    return expit(values)


@dataclass
class SeenScores:
    """What tells the scale of scores: their range, and how many could be probabilities.

    Attributes
    ----------
    low, high : float
        Range of the finite scores.
    finite : int
        Number of finite scores.
    inside : int
        How many of them lie in [0, 1].
    signed : int
        How many of them are texts with a percent sign.
    """

    low: float = np.inf
    high: float = -np.inf
    finite: int = 0
    inside: int = 0
    signed: int = 0

    def look_at(self, numbers: Numbers) -> None:
        """Take account of more scores."""
        values = numbers.values[np.isfinite(numbers.values)]
        signed = 0 if numbers.percent is None else int(np.count_nonzero(numbers.percent))
        if len(values):
            inside = int(np.count_nonzero((values >= 0.0) & (values <= 1.0)))
            low, high = float(values.min()), float(values.max())
            self.add(SeenScores(low, high, len(values), inside, signed))

    def add(self, other: SeenScores) -> None:
        """Take account of scores that were seen elsewhere."""
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.finite += other.finite
        self.inside += other.inside
        self.signed += other.signed

    def scale(self, name: str) -> str:
        """Tell the scale from all scores, or refuse to.

        A few strange values among probabilities do not make them percents or logits: then the
        scale is not clear.

        >>> SeenScores(0.5, 97.0, finite=10, inside=1).scale("scores")
        'percent'
        >>> SeenScores(0.5, 97.0, finite=10, inside=9).scale("scores")
        Traceback (most recent call last):
        lwcal.errors.InputError: scores: the scale is not clear. 9 of 10 numbers are from 0 to 1...
        """
        if self.signed:
            return PERCENT if self.signed == self.finite else PROBABILITY  # a mixture is refused
        if not self.finite:
            return PROBABILITY  # there is nothing to tell; the missing scores are reported
        if self.low >= -ROUNDING_ERROR and self.high <= 1.0 + ROUNDING_ERROR:
            return PROBABILITY
        if 2 * self.inside <= self.finite:
            if self.low >= 0.0 and self.high <= 100.0:
                return PERCENT
            if -LARGEST_LOGIT <= self.low < 0.0 and self.high <= LARGEST_LOGIT:
                return LOGIT
        raise InputError(
            f"{name}: the scale is not clear. {self.inside:,} of {self.finite:,} numbers are from "
            f"0 to 1, and all run from {self.low:g} to {self.high:g}. Check the column. If its "
            "values are right, name their scale: probability, percent or logit."
        )


def scale_of_all(seen: Iterable[SeenScores], name: str) -> str:
    """Tell the scale of scores that were seen in parts."""
    together = SeenScores()
    for part in seen:
        together.add(part)
    return together.scale(name)
