"""Tests of labels at equal scores: of all together, and in groups of scores.

A change among the highest scores is lost in a sum over all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, chdtri, chndtr

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.monitoring.score_groups import LIMITS, TOPS, ScoreGroup, group_has_reached
from lwcal.monitoring.statistics import Found, group_bins

SURELY_FOUND = 1000.0
"""Shift of chi-square beyond which a change is always found. Its probability is slow to compute."""
LEAST_VARIANCE = 3.0
"""Variance of the positive labels that a group should have; with less it tells next to nothing."""
CLEAR = 0.001
"""P-value below which a group is preferred for the size of its change."""


class Change(NamedTuple):
    """A change that a test should find.

    Attributes
    ----------
    size : float
        Change of the share of positive labels, everywhere.
    odds_ratio : float
        Or factor of their odds, everywhere. The one that is harder to find counts: with rare
        positives it is the latter.
    alpha : float
        Significance level at which it should be found.
    """

    size: float
    odds_ratio: float
    alpha: float


class Labels(NamedTuple):
    """Weight of negative and positive labels in each bin."""

    negatives: FloatArray
    positives: FloatArray

    @property
    def weight(self) -> FloatArray:
        """Weight of the rows in each bin."""
        return self.negatives + self.positives


def compare_labels(
    before: Labels,
    after: Labels,
    *,
    least_variance: float = 0.0,
    change: Change | None = None,
) -> Found:
    """Test whether labels at equal scores are positive as often as before.

    Mean and variance within each bin are those of Cochran, Mantel and Haenszel. A shift of the
    scores is therefore not mistaken for a change of the labels. They are summed over groups of
    bins, and the squares of the groups add up to a chi-square statistic, as in the test of Hosmer
    and Lemeshow. The effect is the root mean square change of the groups. What chance is expected
    to add is subtracted. Where positives are rare, every change of their share is small, so the
    odds ratio over all bins is computed, too.

    Groups with less than ``least_variance`` are taken together, and left out if they have less
    even then: a single label can be significant where none is expected.

    With a ``change``, the probability is computed that the test finds one of this size.

    Examples
    --------
    >>> before = Labels(np.array([800.0, 200.0]), np.array([200.0, 800.0]))
    >>> after = Labels(np.array([700.0, 300.0]), np.array([300.0, 700.0]))
    >>> found = compare_labels(before, after, change=Change(0.05, 2.0, alpha=0.01))
    >>> round(found.effect, 2), round(found.power, 2), found.odds_ratio
    (0.1, 0.78, 1.0)
    """
    groups = label_groups(before, after)
    joins = thick_groups(groups.variance, least_variance)
    overlap, excess, variance, weight = np.stack(groups[1:]) @ joins
    usable = variance > 0
    freedom = int(usable.sum())
    if not freedom:
        return Found(0.0, 1.0, 0.0, None if change is None else 0.0, 1.0)
    statistic = float((excess[usable] ** 2 / variance[usable]).sum())
    squares = (excess[usable] ** 2 - variance[usable]) / overlap[usable] ** 2
    mean_square = float((weight[usable] * squares).sum() / weight[usable].sum())
    effect = float(np.sqrt(max(mean_square, 0.0)))
    power = None
    if change is not None:
        shift = min(
            change.size**2 * float((overlap[usable] ** 2 / variance[usable]).sum()),
            np.log(change.odds_ratio) ** 2 * float(variance[usable].sum()),
            SURELY_FOUND,
        )
        limit = chdtri(freedom, change.alpha)
        power = 1.0 - float(chndtr(limit, freedom, shift))
    p_value = float(chdtrc(freedom, statistic))
    ratio = odds_ratio(before, after)
    return Found(statistic, p_value, effect, power, ratio, freedom=freedom)


def odds_ratio(before: Labels, after: Labels) -> float:
    """Common odds ratio of all bins, after Mantel and Haenszel.

    Half a row is added to both sums, so that labels of one class have a finite one.

    >>> round(odds_ratio(Labels(np.full(2, 900.0), np.full(2, 100.0)),
    ...                  Labels(np.full(2, 800.0), np.full(2, 200.0))), 2)
    2.24
    """
    total = np.maximum(before.weight + after.weight, 1e-300)
    more = float((after.positives * before.negatives / total).sum())
    fewer = float((after.negatives * before.positives / total).sum())
    return (more + 0.5) / (fewer + 0.5)


class LabelGroups(NamedTuple):
    """Groups of bins.

    Attributes
    ----------
    starts : int array
        The first bin of each.
    overlap, excess, variance, weight : float64 arrays
        Overlap of both samples, excess of new positives and its variance, and weight of new rows.
    """

    starts: IndexArray
    overlap: FloatArray
    excess: FloatArray
    variance: FloatArray
    weight: FloatArray


class LabelBins(NamedTuple):
    """The same in each bin."""

    overlap: FloatArray
    excess: FloatArray
    variance: FloatArray
    weight: FloatArray


def label_bins(before: Labels, after: Labels) -> LabelBins:
    """What Cochran, Mantel and Haenszel compute in each bin."""
    n, m = before.weight, after.weight
    total = n + m
    positives = before.positives + after.positives
    excess = after.positives - m * positives / total
    variance = n * m * positives * (total - positives) / (total**2 * np.maximum(total - 1.0, 1.0))
    return LabelBins(n * m / total, excess, variance, m)


def label_groups(before: Labels, after: Labels) -> LabelGroups:
    """Sum what :func:`label_bins` computes over groups of bins."""
    starts = group_bins(before.weight, after.weight)
    columns = np.stack(label_bins(before, after))
    return LabelGroups(starts, *np.add.reduceat(columns, starts, axis=1))


def thick_groups(variance: FloatArray, least_variance: float) -> FloatArray:
    """Which groups (lines) are summed in which (columns): those with less variance in one.

    They are left out if they have less even together.

    >>> thick_groups(np.array([9.0, 3.0, 4.0]), 5.0)
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    thin = variance < least_variance
    kept = np.eye(len(variance))[:, ~thin]
    together = float(variance[thin].sum())
    return kept if together < least_variance else np.column_stack([kept, thin])


def group_members(before: Labels, after: Labels, weight: FloatArray) -> BoolArray:
    """Which bins (lines) belong to which groups (columns): the tops of the scores, and ten parts.

    Bins are not divided, so tied scores stay together. A top that is far larger than its share is
    left out.

    Parameters
    ----------
    before, after : Labels
    weight : float64 array
        Rows of the fit in each bin.
    """
    total = weight.sum()
    from_top = np.cumsum(weight[::-1])[::-1] / total
    above = from_top - weight / total
    tops = [above < 0.75 * share for share in TOPS]
    tops = [top for top in tops if from_top[top].max() <= 1.5 * TOPS[-1]]
    starts = label_groups(before, after).starts
    number = np.cumsum(np.isin(np.arange(len(weight)), starts)) - 1
    parts = number[:, None] == np.arange(len(starts))
    return np.unique(np.column_stack([*tops, parts]), axis=1)


def compare_groups(
    before: Labels, after: Labels, moved: FloatArray, rows: FloatArray | None = None
) -> Found:
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
    rows : float64 array, optional
        Rows of the fit in each bin, if they are not as many as the labels count for.

    Examples
    --------
    >>> fit = Labels(np.array([900.0, 960.0, 20.0]), np.array([100.0, 40.0, 80.0]))
    >>> new = Labels(np.array([900.0, 960.0, 60.0]), np.array([100.0, 40.0, 40.0]))
    >>> found = compare_groups(fit, new, np.zeros(3))
    >>> found.group.words, found.p_value < 1e-6
    ('in the top 4.8% of scores 40% of labels are positive, the fit had 80%', True)
    """
    rows = before.weight if rows is None else rows
    members = group_members(before, after, rows)
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
