"""Tests for drift on binned counts. Their effect sizes do not grow with the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtr

from lwcal.arrays import FloatArray, IndexArray
from lwcal.monitoring.score_groups import ScoreGroup

GROUPS = 10
"""Number of groups that are compared. The usual limits of the PSI are meant for ten groups."""
LEAST_ROWS = 5
"""Rows that the smaller sample should have in each group. With fewer, chi-square is inaccurate."""


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
    freedom : int
        Degrees of freedom of the chi-square statistic.
    is_normal : bool
        Whether the statistic is normal; its square then has one degree of freedom.
    """

    statistic: float
    p_value: float
    effect: float
    power: float | None = None
    odds_ratio: float | None = None
    group: ScoreGroup | None = None
    freedom: int = 1
    is_normal: bool = False

    @property
    def chi_square(self) -> float:
        """The statistic, or its square if it is normal."""
        return self.statistic**2 if self.is_normal else self.statistic


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
    return Found(statistic, float(chdtrc(freedom, statistic)), effect, freedom=freedom)


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
    return Found(z, float(2.0 * ndtr(-abs(z))), after - before, is_normal=True)


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
