"""Tests for drift on binned counts. Their effect sizes do not grow with the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import chdtrc, chdtri, chndtr, ndtr

from lwcal.arrays import FloatArray, IndexArray

if TYPE_CHECKING:
    from lwcal.monitoring.score_groups import ScoreGroup

GROUPS = 10
"""Number of groups that are compared. The usual limits of the PSI are meant for ten groups."""
LEAST_ROWS = 5
"""Rows that the smaller sample should have in each group. With fewer, chi-square is inaccurate."""

SURELY_FOUND = 1000.0
"""Shift of chi-square beyond which a change is always found. Its probability is slow to compute."""


class Found(NamedTuple):
    """Result of a test.

    Attributes
    ----------
    statistic, p_value : float
    effect : float
        Its size.
    power : float or None
        Probability of finding a change that matters; None if it is not computed.
    odds_ratio : float or None
        Odds of positive labels, divided by those before; None for tests of something else.
    group : ScoreGroup or None
        Of the test of groups of scores: the group that changed.
    """

    statistic: float
    p_value: float
    effect: float
    power: float | None = None
    odds_ratio: float | None = None
    group: ScoreGroup | None = None


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


def group_bins(before: FloatArray, after: FloatArray) -> IndexArray:
    """Return the first bin of each of at most ten groups of about equal weight in both samples.

    Examples
    --------
    >>> group_bins(np.full(50, 20.0), np.full(50, 1.0))
    array([ 0,  5, 10, 15, 20, 25, 30, 35, 40, 45])
    """
    return np.flatnonzero(np.diff(bin_groups(before, after), prepend=-1.0))


def bin_groups(before: FloatArray, after: FloatArray) -> FloatArray:
    """Number of the group of each bin; of several samples, each is a line of both arrays."""
    n, m = before.sum(axis=-1, keepdims=True), after.sum(axis=-1, keepdims=True)
    groups = np.clip(np.minimum(n, m) // LEAST_ROWS, 1, GROUPS)
    # weigh both samples equally: a group that is empty in one of them is then as large as possible
    share = (before / n + after / m) / 2
    place = np.cumsum(share, axis=-1) - share / 2
    return np.asarray(np.floor(groups * place + 1e-9))


def chi_square(before: FloatArray, after: FloatArray) -> FloatArray:
    """Chi-square of two samples, which have their groups along the first axis."""
    n, m = before.sum(axis=0), after.sum(axis=0)
    # sum over groups of (a/n - b/m)^2 nm / (a + b); a group may be empty in both samples
    together = np.maximum(before + after, 1e-300)
    return np.asarray(((before / n - after / m) ** 2 / together).sum(axis=0) * n * m)


def compare_scores(before: FloatArray, after: FloatArray) -> Found:
    """Test for equal shares in every group by chi-square. The effect is the PSI.

    The PSI that chance is expected to produce is subtracted.

    Examples
    --------
    >>> found = compare_scores(np.array([500.0, 500.0]), np.array([400.0, 600.0]))
    >>> round(found.p_value, 4), round(found.effect, 2)
    (0.0, 0.04)
    """
    starts = group_bins(before, after)
    a, b = np.add.reduceat(before, starts), np.add.reduceat(after, starts)
    n, m, freedom = a.sum(), b.sum(), len(starts) - 1
    if freedom == 0:
        return Found(0.0, 1.0, 0.0)
    statistic = float(chi_square(a, b))
    by_chance = freedom * (1.0 / n + 1.0 / m)
    effect = max(stability_index(a, b) - float(by_chance), 0.0)
    return Found(statistic, float(chdtrc(freedom, statistic)), effect)


def stability_index(before: FloatArray, after: FloatArray) -> float:
    """Population stability index: the symmetric relative entropy of two sets of counts.

    Half a row is added to each group, so that an empty group has a finite index.

    Examples
    --------
    >>> round(stability_index(np.array([50.0, 50.0]), np.array([30.0, 70.0])), 3)
    0.166
    """
    p = (before + 0.5) / (before + 0.5).sum()
    q = (after + 0.5) / (after + 0.5).sum()
    return float(((q - p) * np.log(q / p)).sum())


def compare_shares(hits: tuple[float, float], totals: tuple[float, float]) -> Found:
    """Test two proportions by z with pooled variance. The effect is their difference.

    Examples
    --------
    >>> found = compare_shares((100.0, 150.0), (1000.0, 1000.0))
    >>> round(found.statistic, 2), round(found.p_value, 4), round(found.effect, 2)
    (3.38, 0.0007, 0.05)
    """
    before, after = hits[0] / totals[0], hits[1] / totals[1]
    pooled = sum(hits) / sum(totals)
    variance = pooled * (1.0 - pooled) * (1.0 / totals[0] + 1.0 / totals[1])
    if variance <= 0.0:
        return Found(0.0, 1.0, 0.0)
    z = (after - before) / float(np.sqrt(variance))
    return Found(z, float(2.0 * ndtr(-abs(z))), after - before)


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
    return Found(
        statistic, float(chdtrc(freedom, statistic)), effect, power, odds_ratio(before, after)
    )


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


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values so that all can be compared with one level (Holm, 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    factors = len(p_values) - np.arange(len(p_values))
    stepped = np.maximum.accumulate(np.asarray(p_values)[order] * factors)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(p) for p in adjusted]
