"""Sort probabilities into bins of equal width or of equal weight."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.parameters import COUNT, check_parameter
from lwcal.table import ScoreTable

Binning: TypeAlias = Callable[[ScoreTable, int], IndexArray]
"""A function of a table and a number of bins that returns the bin of each distinct probability."""


class BinSums(NamedTuple):
    """Total weight, weight of positive labels and weighted probability of each bin.

    A bin can be empty.
    """

    weight: FloatArray
    positives: FloatArray
    probability: FloatArray


def equal_width(table: ScoreTable, n_bins: int) -> IndexArray:
    """Return the bin of each distinct probability. A probability on an edge is in the upper bin."""
    return _clipped(np.floor(table.scores * n_bins), n_bins)


def equal_mass(table: ScoreTable, n_bins: int) -> IndexArray:
    """Return the bin of each distinct probability, by the share of weight below it.

    Half of its own weight counts as below. Equal probabilities are one entry of the table, so
    they always share a bin.
    """
    weight = table.negatives + table.positives
    below = np.cumsum(weight) - weight
    place = n_bins * (below + weight / 2) / table.n
    # sums of fractional weights are rounded; that must not move a probability across an edge
    return _clipped(np.floor(place + 1e-9), n_bins)


def _clipped(bins: FloatArray, n_bins: int) -> IndexArray:
    return np.minimum(bins, n_bins - 1).astype(np.intp)


def bin_sums(table: ScoreTable, n_bins: int, binning: Binning) -> BinSums:
    """Add up weight, positive labels and probability in each bin.

    Examples
    --------
    >>> table = ScoreTable.from_arrays([0.1, 0.3, 0.8], [0, 1, 1])
    >>> bin_sums(table, 2, equal_width).weight
    array([2., 1.])
    """
    check_parameter("n_bins", n_bins, COUNT)
    bins = binning(table, n_bins)
    weight = table.negatives + table.positives
    columns = (weight, table.positives, weight * table.scores)
    return BinSums(*(_sums(bins, column, n_bins) for column in columns))


def _sums(bins: IndexArray, column: FloatArray, n_bins: int) -> FloatArray:
    return np.asarray(np.bincount(bins, column, minlength=n_bins), dtype=np.float64)
