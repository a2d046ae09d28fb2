"""What decisions cost on average, if labels are right and if the noise estimate holds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.metrics.noise_correction import clean_counts
from lwcal.noise.estimate import NoiseEstimate
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.table import ScoreTable

CONFIDENCE = 0.9
DRAWS = 200
RIGHT = FlipRates(0.0, 0.0)


class Costs(NamedTuple):
    """Costs of the two errors, and of a review that finds the truth.

    Attributes
    ----------
    false_positive, false_negative, review : float
    """

    false_positive: float
    false_negative: float
    review: float

    @property
    def threshold(self) -> float:
        """Probability from which on a positive decision is cheaper.

        >>> Costs(false_positive=1.0, false_negative=9.0, review=0.0).threshold
        0.1
        """
        return self.false_positive / (self.false_positive + self.false_negative)

    def saved_by_review(self, probability: FloatArray) -> FloatArray:
        """Expected cost of the cheaper decision, less that of a review."""
        of_negative = probability * self.false_negative
        of_positive = (1.0 - probability) * self.false_positive
        return np.asarray(np.minimum(of_negative, of_positive) - self.review)


class RowCosts(NamedTuple):
    """Cost of the decision about each score, if the row is negative and if it is positive."""

    if_negative: FloatArray
    if_positive: FloatArray


def if_labels_are_right(table: ScoreTable, costs: RowCosts) -> Estimate:
    """Mean cost a row, with the interval of its standard error."""
    mean, error = _mean(table, costs, RIGHT)
    reach = float(ndtri(0.5 + CONFIDENCE / 2.0)) * error
    return Estimate(mean, max(mean - reach, 0.0), mean + reach)


def if_noise_holds(table: ScoreTable, costs: RowCosts, noise: NoiseEstimate) -> Estimate | None:
    """Mean cost a row against the truth; None if noise does not fit the labels.

    The interval holds the uncertainty about the rates, and that of the rows.
    """
    rates = given_noise(noise)
    if rates is None:
        return None
    mean, _ = _mean(table, costs, rates.mean())
    generator = np.random.default_rng(0)
    drawn = np.array([_mean(table, costs, pair) for pair in rates.draw(DRAWS, generator)])
    values = drawn[:, 0] + drawn[:, 1] * generator.standard_normal(len(drawn))
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail])
    value = max(mean, 0.0)
    return Estimate(value, max(min(float(low), value), 0.0), max(float(high), value))


def given_noise(noise: NoiseEstimate) -> RatePosterior | None:
    """Posterior of the flip rates if some labels are wrong; None if that is not believed.

    >>> rates = RatePosterior([[0.0, 0.0], [0.1, 0.2]], [0.75, 0.25])
    >>> given_noise(NoiseEstimate(None, None, 0.75, 0.9, rates)).mean()
    FlipRates(negative=0.1, positive=0.2)
    """
    posterior = noise.rates_posterior
    wrong = posterior.points.any(axis=1) & (posterior.weights > 0.0)
    if not (noise.fits and wrong.any()):
        return None
    weights = posterior.weights[wrong]
    return RatePosterior(posterior.points[wrong], weights / weights.sum())


def _mean(table: ScoreTable, costs: RowCosts, rates: FlipRates) -> tuple[float, float]:
    """Mean cost, and its standard error, if labels flip at these rates.

    The cost of a label that may have flipped is corrected as in Natarajan et al. (2013): its mean
    over flips is the cost of the truth.
    """
    negatives, positives = clean_counts(table.negatives, table.positives, rates)
    mean = float(negatives @ costs.if_negative + positives @ costs.if_positive) / table.n
    r0, r1 = rates
    labelled_negative = ((1.0 - r1) * costs.if_negative - r0 * costs.if_positive) / rates.kept
    labelled_positive = ((1.0 - r0) * costs.if_positive - r1 * costs.if_negative) / rates.kept
    squares = float(table.negatives @ labelled_negative**2 + table.positives @ labelled_positive**2)
    return mean, float(np.sqrt(max(squares / table.n - mean**2, 0.0) / table.n))
