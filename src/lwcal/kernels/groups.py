"""Pool the rows of many groups to a table each, and add up many tables, in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, KeyArray, LabelArray, Pooled, PooledGroups


def group_keys(
    scores: FloatArray, labels: LabelArray, groups: IndexArray, count: int
) -> tuple[KeyArray, IndexArray]:
    """Combine score and label into one integer, as for rows without groups, group by group.

    Parameters
    ----------
    scores, labels : arrays
    groups : int array
        The group of each row, from 0 to ``count - 1``.
    count : int
        Number of groups.

    Returns
    -------
    keys : uint64 array
        Those of the first group, in the order of its rows, and so on.
    ends : int array
        Where the keys of each group end.
    """
    keys = scores.view(np.uint64) << np.uint64(1)
    keys |= labels
    ends = np.cumsum(np.bincount(groups, minlength=count), dtype=np.intp)
    return keys[np.argsort(groups, kind="stable")], ends


def pool_sorted_groups(keys: KeyArray, ends: IndexArray) -> PooledGroups:
    """Pool the rows of each group, given as sorted keys. The keys may be overwritten.

    Returns
    -------
    scores : float64 array
        Distinct scores of each group, from where its keys began.
    labels : uint8 array
        The label of each row.
    negatives, positives : float64 arrays or None
        Counts at each distinct score of the groups in which scores repeat; None if there are none.
    sizes : int array
        Number of distinct scores of each group.
    """
    labels = (keys & np.uint64(1)).astype(np.uint8)
    keys >>= np.uint64(1)
    starts = ends - np.diff(ends, prepend=0)
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    first[starts[starts < ends]] = True
    scores = keys.view(np.float64)
    before = np.zeros(len(keys) + 1, dtype=np.intp)
    np.cumsum(first, out=before[1:])
    sizes: IndexArray = before[ends] - before[starts]
    tied = np.flatnonzero(sizes < ends - starts)
    if not len(tied):
        return scores, labels, None, None, sizes
    negatives, positives = np.empty(len(keys)), np.empty(len(keys))
    for start, end in zip(starts[tied].tolist(), ends[tied].tolist(), strict=True):
        rows = np.flatnonzero(first[start:end])
        found = slice(start, start + len(rows))
        positives[found] = np.add.reduceat(labels[start:end], rows, dtype=np.float64)
        negatives[found] = np.diff(rows, append=end - start) - positives[found]
        scores[found] = scores[start:end][rows]
    return scores, labels, negatives, positives, sizes


def class_totals(tables: Sequence[Pooled], threshold: float) -> FloatArray:
    """Weights of several tables: a row for each.

    The columns are negative and positive labels below the threshold, and both from it on.
    """
    found = np.empty((len(tables), 4))
    for row, (scores, negatives, positives) in zip(found, tables, strict=True):
        cut = int(np.searchsorted(scores, threshold))
        for part, rows in enumerate((slice(cut), slice(cut, None))):
            ones = float(positives[rows].sum(dtype=np.float64))
            zeros = len(scores[rows]) - ones if negatives is None else negatives[rows].sum()
            row[2 * part : 2 * part + 2] = zeros, ones
    return found
