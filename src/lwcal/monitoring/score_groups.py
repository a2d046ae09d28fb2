"""A group of scores whose labels changed, and how much of a change matters there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lwcal.adjustments import percent

TOPS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of the rows of the fit with the highest scores: those that are looked at, or paid for."""


@dataclass(frozen=True)
class ScoreGroup:
    """Labels of the new rows in one group of scores, and what the fit had there.

    Attributes
    ----------
    low, high : float
        Share of the rows of the fit with lower scores, and the same at the upper end.
    n : float
        New rows with labels in the group, or their weight.
    before, now : float
        Share of positive labels: of the fit at the scores of the new rows, and of the new rows.
    """

    low: float
    high: float
    n: float
    before: float
    now: float

    @property
    def is_top(self) -> bool:
        """Whether these are the highest scores, of which few rows are enough to matter."""
        return self.high >= 1.0 and 1.0 - self.low <= 1.5 * TOPS[-1]

    @property
    def ratio(self) -> float:
        """How many times as many labels are positive as in the fit; half a label is added."""
        half = 0.5 / max(self.n, 1.0)
        return (self.now + half) / (self.before + half)

    @property
    def words(self) -> str:
        """Where it is, and what changed.

        >>> ScoreGroup(0.98, 1.0, 400.0, 0.72, 0.43).words
        'in the top 2% of scores 43% of labels are positive, the fit had 72%'
        """
        if self.is_top:
            where = f"in the top {percent(1.0 - self.low)} of scores"
        else:
            where = f"from the {self.low:.0%} to the {self.high:.0%} quantile of scores"
        shares = f"{percent(self.now)} of labels are positive, the fit had {percent(self.before)}"
        return f"{where} {shares}"


class Limits(NamedTuple):
    """Changes of a group that say "watch" and "refit"."""

    share: float
    ratio: float


LIMITS = {"watch": Limits(0.1, 1.5), "refit": Limits(0.2, 2.0)}
"""Change of the share of positive labels in a group; or, in the top, its factor."""


def group_has_reached(level: str, group: ScoreGroup) -> bool:
    """Whether a change in a group is large enough for a level.

    >>> group_has_reached("refit", ScoreGroup(0.99, 1.0, 200.0, 0.3, 0.1))
    True
    >>> group_has_reached("refit", ScoreGroup(0.3, 0.4, 200.0, 0.3, 0.1001))
    False
    """
    share, ratio = LIMITS[level]
    if abs(group.now - group.before) >= share:
        return True
    return group.is_top and not 1.0 / ratio < group.ratio < ratio
