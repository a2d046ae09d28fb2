"""Labels within groups of scores: a change among the highest ones is lost in a sum over all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from lwcal.adjustments import percent
from lwcal.arrays import BoolArray, FloatArray
from lwcal.monitoring.statistics import Found, Labels, label_bins, label_groups

TOPS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of the rows of the fit with the highest scores: those that are looked at, or paid for."""
LEAST_VARIANCE = 3.0
"""Variance of the positive labels that a group should have; with less it tells next to nothing."""


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


def group_members(before: Labels, after: Labels) -> BoolArray:
    """Which bins (lines) belong to which groups (columns): the tops of the scores, and ten parts.

    Bins are not divided, so tied scores stay together. A top that is far larger than its share is
    left out.
    """
    weight = before.weight
    total = weight.sum()
    from_top = np.cumsum(weight[::-1])[::-1] / total
    above = from_top - weight / total
    tops = [above < 0.75 * share for share in TOPS]
    tops = [top for top in tops if from_top[top].max() <= 1.5 * TOPS[-1]]
    starts = label_groups(before, after).starts
    number = np.cumsum(np.isin(np.arange(len(weight)), starts)) - 1
    parts = number[:, None] == np.arange(len(starts))
    return np.unique(np.column_stack([*tops, parts]), axis=1)


def compare_groups(before: Labels, after: Labels, moved: FloatArray) -> Found:
    """Test whether labels in any group of scores are positive as often as before.

    The statistic of a group is that of Mantel and Haenszel. The p-value of the one that is reported
    is corrected for all groups. It is the clearest among those that changed most.

    Parameters
    ----------
    before, after : Labels
        Of each bin of the fit.
    moved : float64 array
        By how much the calibrated probability in each bin rose, because new scores are higher
        within the bin. A change of labels that it could explain does not count.

    Examples
    --------
    >>> fit = Labels(np.array([900.0, 960.0, 20.0]), np.array([100.0, 40.0, 80.0]))
    >>> new = Labels(np.array([900.0, 960.0, 60.0]), np.array([100.0, 40.0, 40.0]))
    >>> found = compare_groups(fit, new, np.zeros(3))
    >>> found.group.words, found.p_value < 1e-6
    ('in the top 4.8% of scores 40% of labels are positive, the fit had 80%', True)
    """
    members = group_members(before, after)
    overlap, excess, variance, weight = np.stack(label_bins(before, after)) @ members
    usable = variance >= LEAST_VARIANCE
    if not usable.any():
        return Found(0.0, 1.0, 0.0)
    explained = (label_bins(before, after).overlap * moved) @ members
    same = np.sign(explained) == np.sign(excess)
    left = np.where(same, np.maximum(np.abs(excess) - np.abs(explained), 0.0), np.abs(excess))
    statistic = np.where(usable, left**2 / np.maximum(variance, LEAST_VARIANCE), 0.0)
    change = np.sign(excess) * left / np.maximum(overlap, 1e-300)
    now = after.positives @ members / np.maximum(weight, 1e-300)
    rows = before.weight
    found = [
        ScoreGroup(
            float(rows[: np.flatnonzero(inside)[0]].sum() / rows.sum()),
            1.0 - float(rows[np.flatnonzero(inside)[-1] + 1 :].sum() / rows.sum()),
            float(weight[place]),
            float(np.clip(now[place] - change[place], 0.0, 1.0)),
            float(now[place]),
        )
        for place, inside in enumerate(members.T)
    ]
    seriousness = [
        sum(group_has_reached(level, one) for level in LIMITS) if can else -1
        for one, can in zip(found, usable, strict=True)
    ]
    p_values = np.minimum(chdtrc(1, statistic) * usable.sum(), 1.0)
    # a large change that could be chance must not hide a smaller one that could not
    order = sorted(
        np.flatnonzero(usable).tolist(),
        key=lambda place: (
            (seriousness[place] if p_values[place] < CLEAR else -1),
            statistic[place],
        ),
    )
    place = order[-1]
    group = found[place]
    return Found(
        float(statistic[place]), float(p_values[place]), group.now - group.before, group=group
    )


CLEAR = 0.001
"""P-value below which a group is preferred for the size of its change."""
