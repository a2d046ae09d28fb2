"""Pool rows with equal scores: sort (score, label) as integers, then count."""

from threading import Thread

from lwcal import kernels
from lwcal.arrays import Counted, FloatArray, KeyArray, LabelArray, Pooled
from lwcal.kernels.pure import label_counts, pool_rows
from lwcal.kernels.threads import limit as thread_limit

DISTINCT_LIMIT = 4096
"""Rows with at most this many distinct (score, label) pairs are counted without sorting."""
ROWS_PER_PAIR = 8
"""Counting is faster than sorting where a pair repeats so often."""
SORT_IN_PARALLEL = 1 << 16
"""Fewer keys are sorted in less time than it takes to start a thread."""


def tabulate(scores: FloatArray, labels: LabelArray, weights: FloatArray | None = None) -> Pooled:
    """Pool rows with equal scores. Scores must lie in [0, 1], and labels must be 0 or 1."""
    if weights is not None:
        return _tabulate_weighted(scores, labels, weights)
    limit = min(DISTINCT_LIMIT, len(scores) // ROWS_PER_PAIR)
    pooled: Pooled | None = kernels.count_distinct(scores, labels, limit)
    if pooled is None:
        keys, middle = kernels.label_keys(scores, labels)
        _sort_parts(keys[:middle], keys[middle:])
        pooled = kernels.pool_sorted_keys(keys)
    return pooled


def counted(
    scores: FloatArray, negatives: FloatArray | None, positives: FloatArray | LabelArray
) -> Counted:
    """The same pooled rows, always as counts."""
    return scores, *label_counts(negatives, positives)


def _sort_parts(smaller: KeyArray, larger: KeyArray) -> None:
    """Sort both parts in place, in parallel where that pays; numpy releases the GIL."""
    helper = None
    if len(smaller) + len(larger) >= SORT_IN_PARALLEL and thread_limit() > 1:
        helper = _started(Thread(target=larger.sort))
    smaller.sort()
    if helper is None:
        larger.sort()
    else:
        helper.join()


def _started(thread: Thread) -> Thread | None:
    """The thread, running; None if the system has none left."""
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


def _tabulate_weighted(scores: FloatArray, labels: LabelArray, weights: FloatArray) -> Counted:
    positive = weights * labels
    return pool_rows(scores + 0.0, weights - positive, positive)  # + 0.0 turns -0.0 into 0.0
