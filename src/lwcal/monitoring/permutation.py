"""Exact p-values of tests for drift.

With few labels the chi-square distribution is wrong: one positive label where hardly any is
expected looks impossible. Of 30 unchanged rows with rare positives, one in twenty raised an alarm.
The correction for many tests looks at p-values far below 1%, where it is wrong by orders of
magnitude. So small p-values are computed again, by exchanging the rows of the fit
and the new rows at random. This holds for any number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.monitoring.label_tests import (
    LEAST_VARIANCE,
    Labels,
    group_members,
    label_bins,
    label_groups,
    thick_groups,
)
from lwcal.monitoring.statistics import Found, bin_groups, chi_square

SMALL = 0.05
"""Larger p-values are kept: no correction makes them significant."""
PIECE = 1024
"""Random exchanges that are in memory at once."""
ENOUGH = 20
"""Exchanges at least as extreme as the rows, after which a p-value is known well enough."""
MANY_ROWS, MANY_LABELS = 1000, 5.0
"""Rows of each sample, and variance of the positive labels in each group, from which on chi-square
is accurate for a few tests."""
MANY_LABELS_OF_GROUP = 100.0
"""The same of each group of scores."""
MOST_ROWS = 1e9
"""Rows up to which numpy draws from a hypergeometric distribution."""

Draw = Callable[[int], FloatArray]
"""Returns the statistic of so many random exchanges."""


class Counted(NamedTuple):
    """What the tests look at: labels in the bins of the fit, and disagreeing labels.

    Attributes
    ----------
    before : Labels
        Rows of the fit.
    after : Labels or None
        New rows that have a label.
    weight : float64 array
        All new rows.
    disagreeing : tuple of float, or None
        Labels that contradict the model, of the fit and of the new rows.
    least_variance : float
        Groups of labels with less variance are taken together.
    moved : float64 array or None
        By how much the calibrated probability of new rows is higher in each bin, where their
        scores are.
    rows : float64 array or None
        Rows of the fit, of which the scores tell; None if they are as many as their labels.
    """

    before: Labels
    weight: FloatArray
    after: Labels | None = None
    disagreeing: tuple[float, float] | None = None
    least_variance: float = 0.0
    moved: FloatArray | None = None
    rows: FloatArray | None = None

    @property
    def fitted_rows(self) -> FloatArray:
        """Rows of the fit."""
        return self.before.weight if self.rows is None else self.rows


def are_many(counted: Counted) -> bool:
    """Whether every group has so many rows and labels that chi-square is accurate for few tests."""
    if min(counted.fitted_rows.sum(), counted.weight.sum()) < MANY_ROWS:
        return False
    if counted.after is None:
        return True
    variances = label_groups(counted.before, counted.after).variance
    return bool((variances >= MANY_LABELS).all())


def groups_are_many(counted: Counted) -> bool:
    """Whether every group of scores has so many labels that its p-value needs no exchanges.

    One group at a time is compared, and so many are corrected for, so it takes more labels.
    """
    if counted.after is None or not are_many(counted):
        return False
    members = group_members(counted.before, counted.after, counted.fitted_rows)
    variance = label_bins(counted.before, counted.after).variance @ members
    return bool((variance[variance >= LEAST_VARIANCE] >= MANY_LABELS_OF_GROUP).all())


def with_exact_p(found: Mapping[str, Found], counted: Counted, tests: int) -> dict[str, Found]:
    """Compute small p-values again; fractional weights, which cannot be exchanged, are kept.

    Parameters
    ----------
    found : mapping from name to Found
    counted : Counted
    tests : int
        Number of all tests that are corrected for; more of them need smaller p-values.
    """
    return {
        name: test
        if test.p_value >= SMALL
        else test._replace(p_value=exact_p(name, test, counted, tests))
        for name, test in found.items()
    }


def exact_p(name: str, test: Found, counted: Counted, tests: int) -> float:
    """P-value of one test, which is one of so many that are corrected for."""
    draws = 200 * max(tests, 5)
    rng = np.random.default_rng(0)
    draw = DRAWS[name](counted, rng)
    if draw is None:
        return test.p_value
    # the same statistic, computed in another order of additions
    limit = abs(test.statistic) * (1.0 - 1e-9)
    made = extreme = 0
    while made < draws and extreme < ENOUGH:
        size = min(PIECE, draws - made)
        extreme += int(np.count_nonzero(np.abs(draw(size)) >= limit))
        made += size
    return (extreme + 1) / (made + 1)


def _scores(counted: Counted, rng: np.random.Generator) -> Draw | None:
    total = counted.fitted_rows + counted.weight
    new = counted.weight.sum()
    if not _are_rows(counted.fitted_rows, counted.weight):
        return None
    colors = total.astype(np.int64)

    def draw(size: int) -> FloatArray:
        after = rng.multivariate_hypergeometric(colors, int(new), size).astype(np.float64)
        before = total - after
        groups = bin_groups(before, after)
        sums = [
            np.stack([np.where(groups == g, part, 0.0).sum(axis=1) for g in np.unique(groups)])
            for part in (before, after)
        ]
        return chi_square(*sums)

    return draw


def _labels(counted: Counted, rng: np.random.Generator) -> Draw | None:
    before, after = counted.before, counted.after
    if after is None or not _are_rows(*before, *after):
        return None
    groups = label_groups(before, after)
    good, bad, chosen = _urns(before, after)
    expected = chosen * good / np.maximum(good + bad, 1)
    joins = thick_groups(groups.variance, counted.least_variance)
    variance = groups.variance @ joins
    usable = variance > 0

    def draw(size: int) -> FloatArray:
        found = rng.hypergeometric(good, bad, chosen, (size, len(good)))
        excess = (np.add.reduceat(found - expected, groups.starts, axis=1) @ joins)[:, usable]
        return np.asarray((excess**2 / variance[usable]).sum(axis=1))

    return draw


def _groups(counted: Counted, rng: np.random.Generator) -> Draw | None:
    """The clearest of all groups, so that the p-value of any of them is corrected for all."""
    before, after = counted.before, counted.after
    if after is None or not _are_rows(*before, *after):
        return None
    members = group_members(before, after, counted.fitted_rows)
    variance = label_bins(before, after).variance @ members
    usable = variance >= LEAST_VARIANCE
    good, bad, chosen = _urns(before, after)
    expected = chosen * good / np.maximum(good + bad, 1)

    def draw(size: int) -> FloatArray:
        found = rng.hypergeometric(good, bad, chosen, (size, len(good)))
        excess = ((found - expected) @ members)[:, usable]
        return np.asarray((excess**2 / variance[usable]).max(axis=1))

    return draw


def _urns(before: Labels, after: Labels) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Positive and negative labels in each bin, and how many of them are of new rows."""
    positives = before.positives + after.positives
    negatives = before.negatives + after.negatives
    good, bad, chosen = (part.astype(np.int64) for part in (positives, negatives, after.weight))
    return good, bad, chosen


def _disagreement(counted: Counted, rng: np.random.Generator) -> Draw | None:
    if counted.after is None or counted.disagreeing is None:
        return None
    hits = round(sum(counted.disagreeing))
    n, m = counted.fitted_rows.sum(), counted.after.weight.sum()
    if not _are_rows(*counted.before, *counted.after):
        return None
    share = hits / (n + m)
    scale = np.sqrt(share * (1.0 - share) * (1.0 / n + 1.0 / m))

    def draw(size: int) -> FloatArray:
        after = rng.hypergeometric(hits, round(n + m) - hits, round(m), size)
        return np.asarray((after / m - (hits - after) / n) / scale)

    return draw


def _are_rows(*counts: FloatArray) -> bool:
    return all(bool((part % 1.0 == 0.0).all()) for part in counts) and (
        sum(float(part.sum()) for part in counts) < MOST_ROWS
    )


DRAWS: dict[str, Callable[[Counted, np.random.Generator], Draw | None]] = {
    "scores": _scores,
    "disagreement": _disagreement,
    "groups": _groups,
    "labels": _labels,
}
"""How each test is made with exchanged rows."""
