"""Who differs from the others, and on which true class; so that nobody is accused by chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.estimates import Estimate
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

STRETCH = 1.25
"""What intervals are wider by when reviewers are compared. Each holds the truth nine times in ten,
but many are compared. Without it, somebody as good as the others was named in one to three of a
hundred simulated teams; with it, in none of 140."""


class ClassDifference(NamedTuple):
    """A reviewer who labels one true class otherwise than most others do.

    Attributes
    ----------
    reviewer : int
        Place among the reviewers.
    true : int
        Place among the classes.
    wrong : Estimate
        Share of the rows of this class that the reviewer labels wrongly.
    others : Estimate
        The same of the other reviewers: medians of their shares and of both ends.
    """

    reviewer: int
    true: int
    wrong: Estimate
    others: Estimate


def not_told_apart(summary: ReviewSummary, reviewer: int) -> list[int]:
    """Other reviewers of whom nobody can say whether they are wrong more often than this one."""
    one = summary.reviewers[reviewer]
    return [
        number
        for number, other in enumerate(summary.reviewers)
        if number != reviewer and (not summary.they_differ or _overlap(one.rank, other.rank))
    ]


def class_differences(summary: ReviewSummary) -> list[ClassDifference]:
    """Reviewers whose interval for a true class lies apart from those of most others.

    It is compared with the interval of each other reviewer, and must be above or below more than
    half of them. So one reviewer who is often wrong does not make the others look different. All
    intervals are made wider by :data:`STRETCH` first.
    """
    if not summary.they_differ:
        return []
    places = range(len(summary.classes))
    rates = np.array([[wrong_on(one, true) for true in places] for one in summary.reviewers])
    wide = rates[..., :1] + STRETCH * (rates - rates[..., :1])
    found = []
    for reviewer, true in np.ndindex(rates.shape[:2]):
        own, others = rates[reviewer, true], np.delete(rates[:, true], reviewer, axis=0)
        _, low, high = wide[reviewer, true]
        _, lows, highs = np.delete(wide[:, true], reviewer, axis=0).T
        if max((low > highs).mean(), (high < lows).mean()) > 0.5:
            typical = np.median(others, axis=0)
            found.append(
                ClassDifference(
                    reviewer, true, Estimate(*own.tolist()), Estimate(*typical.tolist())
                )
            )
    return found


def wrong_on(reviewer: ReviewerEstimate, true: int) -> Estimate:
    """Share of the rows of one true class that a reviewer labels wrongly."""
    parts = (reviewer.matrix, reviewer.high, reviewer.low)
    return Estimate(*(1.0 - float(part[true, true]) for part in parts))


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
