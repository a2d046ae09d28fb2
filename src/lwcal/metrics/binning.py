"""Sort probabilities into bins of equal width or of equal weight."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, IndexArray
from lwcal.parameters import COUNT, check_parameter
from lwcal.table import ScoreTable

Binning: TypeAlias = Callable[[ScoreTable, int], IndexArray]
"""A function of a table and a number of bins that returns the position of the first distinct
probability of each bin; equal positions where a bin is empty."""


class BinSums(NamedTuple):
    """Total weight, weight of positive labels and weighted probability of each bin.

    A bin can be empty.
    """

    weight: FloatArray
    positives: FloatArray
    probability: FloatArray


def equal_width(table: ScoreTable, n_bins: int) -> IndexArray:
    """Cut at multiples of one width. A probability on an edge is in the upper bin."""
    return _first_of_bins(table.scores, n_bins, lambda score: int(score * n_bins))


def equal_mass(table: ScoreTable, n_bins: int) -> IndexArray:
    """Cut by the share of weight below each distinct probability.

    Half of its own weight counts as below. Equal probabilities are one entry of the table, so
    they always share a bin.
    """
    # sums of fractional weights are rounded; that must not move a probability across an edge
    if table.labels is not None:
        rows, n = range(len(table)), len(table)
        return _first_of_bins(rows, n_bins, lambda row: int(n_bins * (row + 0.5) / n + 1e-9))
    weight = table.negatives + table.positives
    place = n_bins * (np.cumsum(weight) - weight / 2) / table.n
    return _first_of_bins(place, n_bins, lambda share: int(share + 1e-9))


def _first_of_bins(
    values: Sequence[Any] | FloatArray, n_bins: int, bin_of: Callable[[Any], int]
) -> IndexArray:
    """Position of the first value of each bin. The bins of the values never decrease."""
    return np.array([bisect_left(values, k, key=bin_of) if k else 0 for k in range(n_bins)])


def bin_sums(table: ScoreTable, n_bins: int, binning: Binning) -> BinSums:
    """Add up weight, positive labels and probability in each bin.

    Examples
    --------
    >>> table = ScoreTable.from_arrays([0.1, 0.3, 0.8], [0, 1, 1])
    >>> bin_sums(table, 2, equal_width).weight
    array([2., 1.])
    """
    check_parameter("n_bins", n_bins, COUNT)
    starts = binning(table, n_bins)
    ends = np.append(starts[1:], len(table))
    filled = starts < ends
    sums = np.zeros((3, n_bins))
    sums[:, filled] = kernels.block_sums(*table.columns, starts[filled])
    negatives, positives, probability = sums
    return BinSums(negatives + positives, positives, probability)
