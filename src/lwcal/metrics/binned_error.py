"""The calibration error in bins, corrected for label noise and debiased for sampling.

The distance of an estimated share from its target is a folded normal variable. Its mean is
positive even where the share is right, and the correction for noise enlarges it. Inverting the
mean of the folded normal distribution removes this excess.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import erf

from lwcal.arrays import FloatArray
from lwcal.metrics.binning import BinSums, bin_sums, equal_width
from lwcal.metrics.noise_correction import Estimator, Range, clean_counts
from lwcal.noise.rates import FlipRates
from lwcal.table import ScoreTable

_DISTANCES = np.linspace(0.0, 8.0, 1 << 12)
_FOLDED_MEANS = np.sqrt(2.0 / np.pi) * np.exp(-(_DISTANCES**2) / 2) + _DISTANCES * erf(
    _DISTANCES / np.sqrt(2.0)
)
"""Mean of ``|d + z|`` for a standard normal z. It rises from 0.8, and equals d from 8 on."""

CLEAR = 3.0
"""A gap of this many standard errors is taken to have the sign of the true gap."""


class Gaps(NamedTuple):
    """Corrected minus expected positives in each bin, and the standard error of that gap."""

    weight: FloatArray
    total: FloatArray
    error: FloatArray

    def plain_error(self) -> float:
        """Return the mean over rows of the absolute gap of their bin."""
        return float(np.abs(self.total).sum() / self.weight.sum())

    def debiased_error(self) -> float:
        """Return the same mean after subtracting what sampling is expected to add to each gap."""
        return float(unfold(np.abs(self.total), self.error).sum() / self.weight.sum())


def binned_error(table: ScoreTable, n_bins: int, debias: bool = True) -> Estimator:
    """Return the estimator of the calibration error in bins of equal width, for these data."""
    of_table = bin_sums(table, n_bins, equal_width)

    def of_data(data: ScoreTable, rates: FlipRates) -> float:
        gaps = _gaps(bin_sums(data, n_bins, equal_width), rates)
        return gaps.debiased_error() if debias else gaps.plain_error()

    def of_draw(draw: ScoreTable, rates: FlipRates) -> Range:
        of_this_draw = bin_sums(draw, n_bins, equal_width)
        return errors_behind(_gaps(of_table, rates), _gaps(of_this_draw, rates))

    return Estimator(of_data, of_draw)


def unfold(distances: FloatArray, errors: FloatArray) -> FloatArray:
    """Find the distances, at least 0, that have the given means once normal errors are added.

    Examples
    --------
    >>> unfold(np.array([0.7, 1.0, 3.0, 12.0]), np.ones(4)).round(2)
    array([ 0.  ,  0.73,  3.  , 12.  ])
    """
    scale = np.where(errors > 0, errors, 1.0)  # an empty bin has neither an error nor a distance
    folded = distances / scale
    near = np.interp(folded, _FOLDED_MEANS, _DISTANCES)
    return np.where(folded < _DISTANCES[-1], near, folded) * scale


def _gaps(sums: BinSums, rates: FlipRates) -> Gaps:
    _, positives = clean_counts(sums.weight - sums.positives, sums.positives, rates)
    # add one label of each class to the share: labels of one class do not rule out the other
    share = (sums.positives + 1.0) / (sums.weight + 2.0)
    error = np.sqrt(sums.weight * share * (1.0 - share)) / rates.kept
    return Gaps(sums.weight, positives - sums.probability, error)


def errors_behind(data: Gaps, draw: Gaps) -> Range:
    """Return the smallest and largest true error, if the data have the noise of this draw.

    The error of a resample says little: sampling noise enlarges the error of the data, and a
    resample contains it twice. But for any true gaps g and noise e, the observed sum of
    ``|g + e|`` is at most the sum of ``|g| + |e|``, and at least that of ``|g| + sign(g) e``. It
    equals the latter where the sign of a gap is not in doubt.
    """
    drawn_times = draw.weight / np.where(data.weight > 0, data.weight, 1.0)
    noise = draw.total - drawn_times * data.total
    along = np.where(data.total >= 0, noise, -noise)
    added = np.where(np.abs(data.total) > CLEAR * data.error, along, np.abs(noise))
    least, largest = (
        data.plain_error() - part.sum() / data.weight.sum() for part in (added, along)
    )
    return max(float(least), 0.0), max(float(largest), 0.0)
