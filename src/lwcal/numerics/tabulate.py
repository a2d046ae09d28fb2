"""Pool rows with equal scores: sort (score, label) as integers, then count."""

from threading import Thread

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, KeyArray, LabelArray, Pooled

DISTINCT_LIMIT = 4096
"""Rows with at most this many distinct (score, label) pairs are counted without sorting."""


def tabulate(scores: FloatArray, labels: LabelArray, weights: FloatArray | None = None) -> Pooled:
    """Pool rows with equal scores. Scores must lie in [0, 1], and labels must be 0 or 1."""
    if weights is not None:
        return _tabulate_weighted(scores, labels, weights)
    pooled = kernels.count_distinct(scores, labels, DISTINCT_LIMIT)
    if pooled is None:
        keys, middle = kernels.label_keys(scores, labels)
        _sort_parts(keys[:middle], keys[middle:])
        pooled = kernels.pool_sorted_keys(keys)
    return pooled  # type: ignore[no-any-return]  # the backend is chosen at run time


def _sort_parts(smaller: KeyArray, larger: KeyArray) -> None:
    """Sort both parts in place and in parallel; numpy releases the GIL while it sorts."""
    helper = Thread(target=larger.sort)
    try:
        helper.start()
    except RuntimeError:  # the system has no thread left
        larger.sort()
        smaller.sort()
        return
    smaller.sort()
    helper.join()


def _tabulate_weighted(scores: FloatArray, labels: LabelArray, weights: FloatArray) -> Pooled:
    positive = weights * labels
    return pool_rows(scores + 0.0, weights - positive, positive)  # + 0.0 turns -0.0 into 0.0


def pool_rows(scores: FloatArray, negatives: FloatArray, positives: FloatArray) -> Pooled:
    """Sort rows by score, add up rows with equal scores, and drop scores without weight."""
    order = np.argsort(scores, kind="stable")
    scores, negatives, positives = scores[order], negatives[order], positives[order]
    starts = np.flatnonzero(np.concatenate(([True], scores[1:] != scores[:-1])))
    negatives, positives = np.add.reduceat(negatives, starts), np.add.reduceat(positives, starts)
    kept = negatives + positives > 0
    return scores[starts][kept], negatives[kept], positives[kept]
