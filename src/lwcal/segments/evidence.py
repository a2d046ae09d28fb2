"""What the labels of each segment say at each calibrated probability, in little space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Self

import numpy as np
from scipy.special import logit

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.table import ScoreTable

STEP = 0.25
"""Distance of the nodes in log-odds. Between them rows are shared out, so the error is small."""
CLIP = 1e-6
"""Log-odds of smaller probabilities are not told apart."""
BATCH = 1 << 18
"""Scores, about, to which a map is applied at once. It takes a while to prepare for any number."""


class Evidence(NamedTuple):
    """Counts of labels by segment and calibrated log-odds.

    Attributes
    ----------
    nodes : float64 array
        Log-odds at which rows are counted.
    negatives, positives : float64 arrays of one row a segment and one column a node
    """

    nodes: FloatArray
    negatives: FloatArray
    positives: FloatArray

    @classmethod
    def of_tables(cls, pooled: Calibrator, tables: Iterable[ScoreTable]) -> Self:
        """Count the rows of each table at the log-odds that the pooled calibrator gives them."""
        listed = list(tables)
        ends = [min(one.scores[0] for one in listed), max(one.scores[-1] for one in listed)]
        nodes = nodes_between(*calibrated_log_odds(pooled, np.array(ends)).tolist())
        spacing = CLIP, float(nodes[0]), STEP, len(nodes)
        parts = []
        for some in _batches(listed):
            columns = [table.columns for table in some]
            scores = np.concatenate([scores for scores, *_ in columns])
            probabilities = pooled.map_.apply_unchecked(scores)
            parts.append(kernels.spread_labels(probabilities, columns, *spacing))
        negatives, positives = map(np.concatenate, zip(*parts, strict=True))
        return cls(nodes, negatives, positives)


def _batches(tables: Sequence[ScoreTable]) -> Iterator[list[ScoreTable]]:
    """Consecutive tables, so many that a batch has enough scores."""
    ends = np.cumsum([len(table) for table in tables])
    batches = (ends // BATCH).tolist()
    for _, batch in groupby(zip(batches, tables, strict=True), itemgetter(0)):
        yield [table for _, table in batch]


def calibrated_log_odds(pooled: Calibrator, scores: FloatArray) -> FloatArray:
    """Log-odds of what the calibrator says to scores."""
    return np.asarray(logit(np.clip(pooled.map_.apply_unchecked(scores), CLIP, 1.0 - CLIP)))


def nodes_between(low: float, high: float) -> FloatArray:
    """Nodes that enclose all log-odds from low to high; at least two.

    >>> nodes_between(-0.3, 0.1)
    array([-0.3 , -0.05,  0.2 ])
    """
    count = max(int(np.ceil((high - low) / STEP)), 1) + 1
    return np.asarray(low + STEP * np.arange(count, dtype=np.float64))
