"""Probabilities in bins: of equal width, or of equal weight."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray
from lwcal.parameters import COUNT, check_parameter
from lwcal.table import ScoreTable

BinArray: TypeAlias = npt.NDArray[np.intp]
Binning: TypeAlias = Callable[[ScoreTable, int], BinArray]


class BinSums(NamedTuple):
    """What the rows of each bin add up to; bins may be empty."""

    weight: FloatArray
    positives: FloatArray
    probability: FloatArray


def equal_width(table: ScoreTable, n_bins: int) -> BinArray:
    """Bin of each distinct probability; a probability on an edge belongs to the upper bin."""
    return _clipped(np.floor(table.scores * n_bins), n_bins)


def equal_mass(table: ScoreTable, n_bins: int) -> BinArray:
    """Bin of each distinct probability, by the share of weight below the middle of its rows.

    Equal probabilities are one entry of the table, so they always share a bin.
    """
    weight = table.negatives + table.positives
    below = np.cumsum(weight) - weight
    place = n_bins * (below + weight / 2) / table.n
    # sums of fractional weights carry rounding, which must not decide on an edge
    return _clipped(np.floor(place + 1e-9), n_bins)


def _clipped(bins: FloatArray, n_bins: int) -> BinArray:
    return np.minimum(bins, n_bins - 1).astype(np.intp)


def bin_sums(table: ScoreTable, n_bins: int, binning: Binning) -> BinSums:
    """Add up weight, positive labels and probability in each bin.

    >>> table = ScoreTable.from_arrays([0.1, 0.3, 0.8], [0, 1, 1])
    >>> bin_sums(table, 2, equal_width).weight
    array([2., 1.])
    """
    check_parameter("n_bins", n_bins, COUNT)
    bins = binning(table, n_bins)
    weight = table.negatives + table.positives
    columns = (weight, table.positives, weight * table.scores)
    return BinSums(*(_sums(bins, column, n_bins) for column in columns))


def _sums(bins: BinArray, column: FloatArray, n_bins: int) -> FloatArray:
    return np.asarray(np.bincount(bins, column, minlength=n_bins), dtype=np.float64)
