"""A third reading of the labels: the raw scores are right, and labels of one class are missed.

Frauds that nobody reports, or diseases that nobody looks for, make labels of a right score look
like those of a score that is too high. The noise model, which knows no right scores, may prefer
the latter. It also expects flip rates that rare positives do not allow: where one row in 500 is
positive, one wrong negative in 1,000 is a third of the positive labels.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import lsq_linear
from scipy.special import chdtrc

from lwcal.arrays import FloatArray
from lwcal.noise.rates import FlipRates
from lwcal.shift.label_mixture import group_starts
from lwcal.table import ScoreTable

GROUPS = 10
LEAST_P_VALUE = 0.01
"""Labels less probable than this rule the reading out."""
MOST_MISSED = 0.6
"""Where more are missing, rows were sampled or the score means something else."""
STEPS = 20
"""Steps of reweighted least squares. The rates are needed to a few percent only."""
LEAST_SHARE = 1e-9


def missed_if_scores_are_right(table: ScoreTable) -> FlipRates | None:
    """Return the share of one class that is labelled wrongly, if the raw scores are right.

    The share is that by which scores and labels have the same average. Then positive labels at a
    score s are expected in a share of ``r0 + (1 - r0 - r1) s``, one of both rates being 0. A
    chi-square test, in ten groups of scores, compares that with the labels.

    Returns
    -------
    FlipRates or None
        None if the labels contradict it.

    Examples
    --------
    Half of the positives are labelled negative, at all scores:

    >>> found = ScoreTable.from_counts([0.2, 0.8], negatives=[900, 600], positives=[100, 400])
    >>> missed_if_scores_are_right(found)
    FlipRates(negative=0.0, positive=0.5)

    Here that would explain the average, but not the labels at each score:

    >>> found = ScoreTable.from_counts([0.2, 0.8], negatives=[995, 505], positives=[5, 495])
    >>> missed_if_scores_are_right(found)
    """
    n = table.negatives + table.positives
    scored, labelled = float(n @ table.scores), table.n_positive
    if labelled < scored:
        rates = FlipRates(0.0, 1.0 - labelled / scored)
    else:
        rates = FlipRates((labelled - scored) / (table.n - scored), 0.0)
    return rates if _may_hold(table, n, rates, free=1) else None


def wrong_if_scores_are_right(table: ScoreTable) -> FlipRates | None:
    """Return the same if labels of both classes may be wrong: the most likely rates.

    Examples
    --------
    Of the negatives, 1% are labelled positive, and of the positives 20% negative:

    >>> found = ScoreTable.from_counts([0.0, 0.1, 0.5], [9900, 911, 595], [100, 89, 405])
    >>> wrong_if_scores_are_right(found)
    FlipRates(negative=0.01..., positive=0.20...)
    """
    n = table.negatives + table.positives
    design = np.column_stack([1.0 - table.scores, table.scores])
    ends = np.full(2, table.n_positive / table.n)  # shares of positive labels at scores 0 and 1
    for _ in range(STEPS):
        expected = np.clip(design @ ends, LEAST_SHARE, 1.0 - LEAST_SHARE)
        root = np.sqrt(n / (expected * (1.0 - expected)))
        shares = table.positives / np.maximum(n, LEAST_SHARE)
        ends = lsq_linear(design * root[:, None], shares * root, bounds=(0.0, 1.0)).x
    rates = FlipRates(float(ends[0]), float(1.0 - ends[1]))
    return rates if _may_hold(table, n, rates, free=2) else None


def _may_hold(table: ScoreTable, n: FloatArray, rates: FlipRates, *, free: int) -> bool:
    return max(rates) <= MOST_MISSED and _p_value(table, n, rates, free) >= LEAST_P_VALUE


def _p_value(table: ScoreTable, n: FloatArray, rates: FlipRates, free: int) -> float:
    expected = rates.negative + rates.kept * table.scores
    variance = n * expected * (1.0 - expected)
    if not variance.any():
        return 1.0
    # groups of equal variance test where the labels can tell
    starts = group_starts((variance / variance.sum())[None], GROUPS)
    columns = np.stack([table.positives - n * expected, variance])
    off, spread = np.add.reduceat(columns, starts, axis=1)
    filled = spread > 0.0
    freedom = np.count_nonzero(filled) - free
    if freedom <= 0:
        return 1.0
    with np.errstate(over="ignore"):  # a label where the score all but excludes it
        return float(chdtrc(freedom, (off[filled] ** 2 / spread[filled]).sum()))
