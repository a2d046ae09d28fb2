"""The base rate of new rows, from the mixture of labels that explains their scores.

With the share of true positives among positive and among negative labels, which follow from the
flip rates, a mixture of labels becomes a base rate. A rate of wrong labels at which the base rate
would be below 0 or above 1 is impossible: new scores are evidence about the labels, too.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy.special import ndtr, ndtri

from lwcal.arrays import BoolArray, FloatArray
from lwcal.estimates import Estimate
from lwcal.noise.rates import RatePosterior
from lwcal.numerics.quantiles import weighted_quantiles
from lwcal.shift.label_mixture import LabelMixture

CONFIDENCE = 0.95
LESS_NOISE = 0.5
"""Weight of "fewer labels are wrong than estimated" in the interval. Labels alone cannot tell noise
from overlap. On development tasks with scores of unusual shape, intervals without it missed the
base rate in two thirds of the cases, and with it in 5%."""
STEPS = (np.arange(5) + 0.5) / 5
"""Parts of the estimated rates that the interval allows for."""
QUANTILES = (np.arange(20) + 0.5) / 20
"""Quantiles that stand for the sampling error of one pair of rates."""
FIT_CONFIDENCE = 0.9
UNCLEAR = 2.0
"""Ratio of the odds of a true positive, at the ends of this interval, that is too much to adapt by
checked labels alone."""
LEAST_SHARE = 1e-6
"""Shares of true positives closer to 0 or 1 have no odds to speak of."""


class BaseRate(NamedTuple):
    """A base rate, and whether any is possible.

    Attributes
    ----------
    estimate : Estimate or None
        None if no base rate is possible.
    probability : float
        Probability of new scores like these under what is believed about the labels, compared with
        that of any base rate at all: near 0 if none from 0 to 1 explains them.
    """

    estimate: Estimate | None
    probability: float


def base_rate_from(
    mixture: LabelMixture, labelled: float, rates: RatePosterior, *, estimated: bool
) -> BaseRate:
    """Infer the base rate of the new rows.

    Parameters
    ----------
    mixture : LabelMixture
        What explains the new scores.
    labelled : float
        Share of positive labels among the rows of the fit.
    rates : RatePosterior
        What is believed about wrong labels.
    estimated : bool
        Whether the rates were estimated from labels and scores alone. The interval then allows for
        fewer wrong labels, down to none.

    Examples
    --------
    >>> right = RatePosterior.known((0.0, 0.0))
    >>> found = base_rate_from(LabelMixture(0.1, 0.01, 0.5, 0.0), 0.3, right, estimated=False)
    >>> f"{found.estimate:.2f}"
    '0.10 (0.08 to 0.12)'
    """
    believed = _Possible.of(mixture, labelled, rates.points, rates.weights)
    if believed is None:
        return BaseRate(None, 0.0)
    value = float(believed.weights @ believed.values)
    wide = believed
    if estimated:
        points = np.concatenate([rates.points, *(part * rates.points for part in STEPS)])
        parts = [1.0 - LESS_NOISE, *(LESS_NOISE / len(STEPS) for _ in STEPS)]
        weights = np.concatenate([part * rates.weights for part in parts])
        wide = _Possible.of(mixture, labelled, points, weights) or believed
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = weighted_quantiles(wide.values, wide.weights, (tail, 1.0 - tail))
    return BaseRate(Estimate(value, min(low, value), max(high, value)), wide.probability)


class TruePositives(NamedTuple):
    """How many rows of a fit are truly positive, for each pair of flip rates.

    Attributes
    ----------
    share : float64 array
        Of all rows.
    among_positive, among_negative : float64 arrays
        Of the rows with positive and with negative labels.
    sane : bool array
        Whether labels with such flip rates could be positive as often as they are.
    """

    share: FloatArray
    among_positive: FloatArray
    among_negative: FloatArray
    sane: BoolArray

    @classmethod
    def of(cls, labelled: float, negative: FloatArray, positive: FloatArray) -> Self:
        """Follow from the share of positive labels and the flip rates of both classes."""
        kept = 1.0 - negative - positive
        share = (labelled - negative) / np.maximum(kept, LEAST_SHARE)
        return cls(
            share,
            (1.0 - positive) * share / labelled,
            positive * share / (1.0 - labelled),
            is_share(share) & (kept > LEAST_SHARE),
        )


def is_share(value: FloatArray) -> BoolArray:
    """Whether values lie between 0 and 1, and have odds to speak of."""
    return np.asarray((value > LEAST_SHARE) & (value < 1.0 - LEAST_SHARE))


def true_positives_are_unclear(labelled: float, rates: RatePosterior) -> bool:
    """Whether the odds of a true positive in the fit have a wide interval.

    Of a hundred checked rows, one or two are positive if 1% of all are. They hardly say how many.

    >>> true_positives_are_unclear(0.1, RatePosterior.known((0.05, 0.1)))
    False
    """
    found = TruePositives.of(labelled, *rates.points.T)
    if not found.sane.any():
        return True
    tails = (1.0 - FIT_CONFIDENCE) / 2.0
    odds = found.share[found.sane] / (1.0 - found.share[found.sane])
    low, high = weighted_quantiles(odds, rates.weights[found.sane], (tails, 1.0 - tails))
    return bool(high > UNCLEAR * low)


class _Possible(NamedTuple):
    """Base rates from 0 to 1 with their weights, and how probable it is to find one there."""

    values: FloatArray
    weights: FloatArray
    probability: float

    @classmethod
    def of(
        cls, mixture: LabelMixture, labelled: float, points: FloatArray, weights: FloatArray
    ) -> _Possible | None:
        found = TruePositives.of(labelled, *points.T)
        if not found.sane.any():
            return None
        weights = weights[found.sane]
        among_negative = found.among_negative[found.sane]
        difference = found.among_positive[found.sane] - among_negative
        centre, spread = among_negative + mixture.share * difference, mixture.error * difference
        inside, values = _between_0_and_1(centre, spread)
        weights = weights * inside
        total = float(weights.sum())
        if not total > 0.0:
            return None
        shared = np.repeat(weights / (total * len(QUANTILES)), len(QUANTILES))
        return cls(values.ravel(), shared, total)


def _between_0_and_1(centre: FloatArray, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probability of normal distributions between 0 and 1, and their quantiles there.

    >>> inside, values = _between_0_and_1(np.array([-3.0, 0.5]), np.array([0.2, 0.01]))
    >>> inside.round(3), values.mean(axis=1).round(2)
    (array([0., 1.]), array([0.01, 0.5 ]))
    """
    mirrored = centre < 0.5  # small probabilities are exact in the lower tail only
    upper = np.where(mirrored, 1.0 - centre, centre)
    low, high = ndtr(-upper / spread), ndtr((1.0 - upper) / spread)
    places = low[:, None] + QUANTILES * (high - low)[:, None]
    with np.errstate(invalid="ignore"):  # of a distribution that is nowhere near
        found = np.clip(upper[:, None] + spread[:, None] * ndtri(places), 0.0, 1.0)
    values = np.where(mirrored[:, None], 1.0 - found, found)
    return np.asarray(high - low), np.nan_to_num(values)
