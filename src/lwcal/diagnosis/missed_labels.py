"""A third reading of the labels: the raw scores are right, and labels of one class are missed.

Frauds that nobody reports, or diseases that nobody looks for, make labels of a right score look
like those of a score that is too high. The noise model, which knows no right scores, may prefer
the latter.
"""

from __future__ import annotations

import numpy as np
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
    if max(rates) > MOST_MISSED or _p_value(table, n, rates) < LEAST_P_VALUE:
        return None
    return rates


def _p_value(table: ScoreTable, n: FloatArray, rates: FlipRates) -> float:
    expected = rates.negative + rates.kept * table.scores
    variance = n * expected * (1.0 - expected)
    if not variance.any():
        return 1.0
    # groups of equal variance test where the labels can tell
    starts = group_starts((variance / variance.sum())[None], GROUPS)
    columns = np.stack([table.positives - n * expected, variance])
    off, spread = np.add.reduceat(columns, starts, axis=1)
    filled = spread > 0.0
    freedom = np.count_nonzero(filled) - 1
    if not freedom:
        return 1.0
    with np.errstate(over="ignore"):  # a label where the score all but excludes it
        return float(chdtrc(freedom, (off[filled] ** 2 / spread[filled]).sum()))
