"""Flip rates among all rows, from those among rows that were sampled by their labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lwcal.noise.estimate import NoiseEstimate, RateEstimate
from lwcal.noise.rates import RatePosterior


def resampled_noise(noise: NoiseEstimate, factor: float) -> NoiseEstimate:
    """Undo the effect of sampling on flip rates.

    Parameters
    ----------
    noise : NoiseEstimate
        Of the sampled rows.
    factor : float
        How many times more rows with negative labels there are than with positive ones, compared
        with the sample.

    Examples
    --------
    >>> known = RatePosterior.known((0.5, 0.1))
    >>> rates = (RateEstimate(rate, rate, rate, 1.0) for rate in (0.5, 0.1))
    >>> found = resampled_noise(NoiseEstimate(*rates, 0.0, 0.9, known), 9.0)
    >>> round(found.negative.value, 3), round(found.positive.value, 3)
    (0.1, 0.5)
    """
    points = noise.rates_posterior.points
    moved = np.column_stack(
        [_odds_times(points[:, 0], 1.0 / factor), _odds_times(points[:, 1], factor)]
    )
    return replace(
        noise,
        negative=_moved(noise.negative, 1.0 / factor),
        positive=_moved(noise.positive, factor),
        rates_posterior=RatePosterior(moved, noise.rates_posterior.weights),
    )


def _moved(rate: RateEstimate, factor: float) -> RateEstimate:
    value, low, high = (
        None if number is None else float(_odds_times(number, factor))
        for number in (rate.value, rate.low, rate.high)
    )
    assert low is not None
    assert high is not None
    return replace(rate, value=value, low=low, high=high)


def _odds_times(share: np.ndarray | float, factor: float) -> np.ndarray:
    return np.asarray(factor * share / (factor * share + 1.0 - share))
