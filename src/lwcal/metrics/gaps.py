"""Distances between probabilities and corrected shares in bins, without what noise adds.

The distance of a noisy share from its target is a folded normal variable: it has a positive mean
even where the share is right, and dividing by what the noise kept makes that worse. Inverting
the mean of the folded normal takes this out again.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import erf

from lwcal.arrays import FloatArray
from lwcal.metrics._bins import BinSums, bin_sums, equal_width
from lwcal.metrics.correction import Estimator, Range, clean_counts
from lwcal.noise.rates import FlipRates
from lwcal.table import ScoreTable

_DISTANCES = np.linspace(0.0, 8.0, 1 << 12)
_FOLDED_MEANS = np.sqrt(2.0 / np.pi) * np.exp(-(_DISTANCES**2) / 2) + _DISTANCES * erf(
    _DISTANCES / np.sqrt(2.0)
)
"""Mean of ``|d + z|`` for a standard normal z: it rises from 0.8, and from 8 on it is d."""

CLEAR = 3.0
"""Standard errors from which on the sign of a gap is taken to be that of the true one."""


class Gaps(NamedTuple):
    """Corrected positives less expected ones in each bin, and the error of that sum."""

    weight: FloatArray
    total: FloatArray
    error: FloatArray

    def plain_error(self) -> float:
        """Mean over rows of the size of the gap of their bin."""
        return float(np.abs(self.total).sum() / self.weight.sum())

    def debiased_error(self) -> float:
        """Mean of these sizes without what sampling is expected to add to each."""
        return float(unfold(np.abs(self.total), self.error).sum() / self.weight.sum())


def binned_error(table: ScoreTable, n_bins: int, debias: bool = True) -> Estimator:
    """Estimator of the calibration error over bins of equal width, for the data of a table."""
    of_table = bin_sums(table, n_bins, equal_width)

    def of_data(data: ScoreTable, rates: FlipRates) -> float:
        gaps = _gaps(bin_sums(data, n_bins, equal_width), rates)
        return gaps.debiased_error() if debias else gaps.plain_error()

    def of_draw(draw: ScoreTable, rates: FlipRates) -> Range:
        of_this_draw = bin_sums(draw, n_bins, equal_width)
        return _errors_behind(_gaps(of_table, rates), _gaps(of_this_draw, rates))

    return Estimator(of_data, of_draw)


def unfold(distances: FloatArray, errors: FloatArray) -> FloatArray:
    """Find the distances whose mean, when normal errors come on top, is as given; at least 0.

    >>> unfold(np.array([0.7, 1.0, 3.0, 12.0]), np.ones(4)).round(2)
    array([ 0.  ,  0.73,  3.  , 12.  ])
    """
    scale = np.where(errors > 0, errors, 1.0)  # without rows there is neither error nor distance
    folded = distances / scale
    near = np.interp(folded, _FOLDED_MEANS, _DISTANCES)
    return np.where(folded < _DISTANCES[-1], near, folded) * scale


def _gaps(sums: BinSums, rates: FlipRates) -> Gaps:
    _, positives = clean_counts(sums.weight - sums.positives, sums.positives, rates)
    # a share with one label of each class added: labels of one class do not rule out the other
    share = (sums.positives + 1.0) / (sums.weight + 2.0)
    error = np.sqrt(sums.weight * share * (1.0 - share)) / rates.kept
    return Gaps(sums.weight, positives - sums.probability, error)


def _errors_behind(data: Gaps, draw: Gaps) -> Range:
    """Least and largest error that the data leave possible, if their noise is that of a draw.

    Resampled errors say little: the data hold noise, which enlarges the error, and a draw holds
    it twice. But whatever the true gaps g and noise e, the sum of ``|g + e|`` that was seen is
    at most that of ``|g| + |e|``, and at least that of ``|g| + sign(g) e``. The latter is the sum
    itself where the sign of a gap is not in doubt.
    """
    drawn_times = draw.weight / np.where(data.weight > 0, data.weight, 1.0)
    noise = draw.total - drawn_times * data.total
    along = np.where(data.total >= 0, noise, -noise)
    added = np.where(np.abs(data.total) > CLEAR * data.error, along, np.abs(noise))
    least, largest = (
        data.plain_error() - part.sum() / data.weight.sum() for part in (added, along)
    )
    return max(float(least), 0.0), max(float(largest), 0.0)
