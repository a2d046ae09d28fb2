"""The calibration error in bins, corrected for label noise and debiased for sampling.

The distance of an estimated share from its target is a folded normal variable. Its mean is
positive even where the share is right, and the correction for noise enlarges it. Inverting the
mean of the folded normal distribution removes this excess.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import erf

from lwcal.arrays import FloatArray
from lwcal.metrics.binning import BinSums
from lwcal.metrics.noise_correction import Estimator, Range, clean_counts
from lwcal.noise.rates import FlipRates
from lwcal.numerics.equal_width import bin_of
from lwcal.parameters import COUNT, check_parameter
from lwcal.table import ScoreTable

_DISTANCES = np.linspace(0.0, 8.0, 1 << 12)
_FOLDED_MEANS = np.sqrt(2.0 / np.pi) * np.exp(-(_DISTANCES**2) / 2) + _DISTANCES * erf(
    _DISTANCES / np.sqrt(2.0)
)
"""Mean of ``|d + z|`` for a standard normal z. It rises from 0.8, and equals d from 8 on."""

CLEAR = 3.0
"""A gap of this many standard errors is taken to have the sign of the true gap."""


class Gaps(NamedTuple):
    """Corrected minus expected positives in each bin, and the standard error of that gap.

    Bins are the last axis; others stand for several calibrators.
    """

    weight: FloatArray
    total: FloatArray
    error: FloatArray

    def plain_error(self) -> FloatArray:
        """Return the mean over rows of the absolute gap of their bin."""
        return np.asarray(np.abs(self.total).sum(axis=-1) / self.weight.sum(axis=-1))

    def debiased_error(self) -> FloatArray:
        """Return the same mean after subtracting what sampling is expected to add to each gap."""
        gaps = unfold(np.abs(self.total), self.error)
        return np.asarray(gaps.sum(axis=-1) / self.weight.sum(axis=-1))


class Bins:
    """Bins of equal width, into which the probabilities of several calibrators are sorted once.

    Parameters
    ----------
    probabilities : float64 array of shape (calibrators, rows)
        In any order: predictions of several folds are not sorted.
    n_bins : int
    """

    def __init__(self, probabilities: FloatArray, n_bins: int) -> None:
        check_parameter("n_bins", n_bins, COUNT)
        self._probabilities = probabilities
        self._shape = len(probabilities), n_bins
        bins = bin_of(probabilities, n_bins)
        self._places = (bins + n_bins * np.arange(len(bins))[:, None]).ravel()

    def sums(self, rows: ScoreTable) -> BinSums:
        """Sums of every calibrator's bins, for any counts of labels in the same rows."""
        weight = rows.negatives + rows.positives
        columns = weight, rows.positives, weight * self._probabilities
        return BinSums(*map(self._of_bins, columns))

    def _of_bins(self, values: FloatArray) -> FloatArray:
        spread = np.broadcast_to(values, self._probabilities.shape).ravel()
        sums = np.bincount(self._places, spread, int(np.prod(self._shape)))
        return np.asarray(sums.reshape(self._shape), dtype=np.float64)


def binned_error(table: ScoreTable, n_bins: int, debias: bool = True) -> Estimator:
    """Return the estimator of the calibration error in bins of equal width, for these data."""
    bins = Bins(table.scores[None], n_bins)
    of_table = bins.sums(table)

    def of_data(data: ScoreTable, rates: FlipRates) -> float:
        gaps = gaps_of(bins.sums(data), rates)
        return float((gaps.debiased_error() if debias else gaps.plain_error())[0])

    def of_draw(draw: ScoreTable, rates: FlipRates) -> Range:
        least, largest = errors_behind(gaps_of(of_table, rates), gaps_of(bins.sums(draw), rates))
        return float(least[0]), float(largest[0])

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


def gaps_of(sums: BinSums, rates: FlipRates) -> Gaps:
    """Gaps between corrected and expected positives, at these flip rates."""
    _, positives = clean_counts(sums.weight - sums.positives, sums.positives, rates)
    # add one label of each class to the share: labels of one class do not rule out the other
    share = (sums.positives + 1.0) / (sums.weight + 2.0)
    error = np.sqrt(sums.weight * share * (1.0 - share)) / rates.kept
    return Gaps(sums.weight, positives - sums.probability, error)


def errors_behind(data: Gaps, draw: Gaps) -> tuple[FloatArray, FloatArray]:
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
    plain, weight = data.plain_error(), data.weight.sum(axis=-1)
    least, largest = (plain - part.sum(axis=-1) / weight for part in (added, along))
    return np.maximum(least, 0.0), np.maximum(largest, 0.0)
