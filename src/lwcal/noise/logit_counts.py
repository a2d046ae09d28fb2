"""Label counts over the log-odds of the scores, pooled more finely than a smooth model can see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit

from lwcal import kernels
from lwcal.arrays import FloatArray, IndexArray
from lwcal.kernels.noise_model import Evidence
from lwcal.kernels.pure import LOG_CLIP
from lwcal.noise.checked.table import CheckedTable
from lwcal.table import ScoreTable

BINS_PER_LOGIT = 16
"""Bins per unit of log-odds: pooling moves a score by at most about 3% of its odds."""
EXACT_SCORES = 128
"""By default, tables with at most this many distinct scores are not pooled."""


def softness(n: float) -> float:
    """Return half a row in n: the smallest probability that n rows can show.

    >>> softness(500)
    0.001
    """
    return max(1.0 / (2.0 * n), LOG_CLIP)  # every logarithm of the project is clipped there


def soft_logit(scores: FloatArray, soft: float) -> FloatArray:
    """Return log-odds that stay finite at 0 and 1 and strictly increase, as far as doubles can.

    A forest that scores exactly 0 says "none of my trees", not "impossible". How much that means
    depends on how many rows could contradict it.

    >>> soft_logit(np.array([0.0, 0.5, 1.0]), 0.001).round(2)
    array([-6.91,  0.  ,  6.91])
    """
    return np.asarray(np.log(scores + soft) - np.log1p(soft - scores))


def score_at(z: FloatArray, soft: float) -> FloatArray:
    """Score whose :func:`soft_logit` is z, within [0, 1]."""
    return np.clip((1.0 + 2.0 * soft) * expit(z) - soft, 0.0, 1.0)


LabelCounts: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


class CheckedCounts(NamedTuple):
    """Counts of the checked rows: true labels by log-odds, and how many labels were wrong."""

    z: FloatArray
    negatives: FloatArray
    positives: FloatArray
    kept: FloatArray
    """Weight of right labels, for true negatives and for true positives."""
    flipped: FloatArray
    """Weight of wrong labels, for true negatives and for true positives."""

    @property
    def truths(self) -> LabelCounts:
        """Log-odds, and the weight of true negatives and true positives there."""
        return self.z, self.negatives, self.positives


NOTHING_CHECKED = CheckedCounts(np.empty(0), np.empty(0), np.empty(0), np.zeros(2), np.zeros(2))


@dataclass(frozen=True, eq=False)
class LogitCounts:
    """Weight of negative and positive labels at increasing log-odds."""

    z: FloatArray
    negatives: FloatArray
    positives: FloatArray
    soft: float
    checked: CheckedCounts = NOTHING_CHECKED

    @property
    def labels(self) -> LabelCounts:
        """Log-odds, and the weight of negative and positive labels there."""
        return self.z, self.negatives, self.positives

    @cached_property
    def evidence(self) -> Evidence:
        """As the kernels take it."""
        kept_and_flipped = np.concatenate([self.checked.kept, self.checked.flipped])
        return Evidence(*self.labels, *self.checked.truths, kept_and_flipped)

    @classmethod
    def from_table(
        cls, table: ScoreTable, checked: CheckedTable | None = None, *, least_softness: float = 0.0
    ) -> LogitCounts:
        """Take the log-odds of a table's scores, softened for the number of rows or more.

        The table holds the unchecked rows.
        """
        n = table.n if checked is None else table.n + checked.n
        soft = max(softness(n), least_softness)
        z = soft_logit(table.scores, soft)
        if checked is None:
            return cls(z, table.negatives, table.positives, soft)
        true = pool_by_logit(checked.truths)
        truths = (soft_logit(true.scores, soft), true.negatives, true.positives)
        added = CheckedCounts(*truths, checked.kept, checked.flipped)
        return cls(z, table.negatives, table.positives, soft, added)


def pool_by_logit(
    table: ScoreTable, *, exact_up_to: int = EXACT_SCORES, bins_per_logit: int = BINS_PER_LOGIT
) -> ScoreTable:
    """Pool scores on a fixed grid of log-odds, each bin at its mean score.

    Tables with at most ``exact_up_to`` distinct scores are returned as they are.

    >>> rng = np.random.default_rng(0)
    >>> table = ScoreTable.from_arrays(rng.random(100_000), rng.integers(0, 2, 100_000))
    >>> pooled = pool_by_logit(table)
    >>> len(pooled), pooled.n
    (304, 100000)
    """
    if len(table) <= exact_up_to:
        return table
    starts = _bin_starts(table.scores, softness(table.n), bins_per_logit)
    negatives, positives, summed = kernels.block_sums(*table.columns, starts)
    scores = np.clip(summed / (negatives + positives), 0.0, 1.0)
    return ScoreTable.unchecked(scores, negatives, positives)


def _bin_starts(scores: FloatArray, soft: float, bins_per_logit: int) -> IndexArray:
    """Index of the first score in every bin that is not empty."""
    low, high = soft_logit(scores[[0, -1]], soft) * bins_per_logit
    edges = np.arange(np.floor(low), np.ceil(high) + 1.0) / bins_per_logit
    starts = np.searchsorted(scores, score_at(edges, soft), side="left")
    # rounding may push the lowest edge above the lowest score
    return np.unique(np.append(0, starts[starts < len(scores)]))
