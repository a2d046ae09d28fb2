"""The reliability curve against true labels, from noisy ones."""

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.metrics._bins import BinSums, bin_sums
from lwcal.metrics.bootstrap import Seed
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.corrected import CONFIDENCE, N_RESAMPLES
from lwcal.metrics.correction import Resampling, clean_counts, pooled_noisy
from lwcal.metrics.reliability import STRATEGIES, ReliabilityCurve
from lwcal.noise.rates import Noise, RatePosterior, as_rate_posterior
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows import ArrayLike


def corrected_reliability_curve(
    y: ArrayLike,
    probabilities: ArrayLike,
    noise: Noise,
    *,
    n_bins: int = N_BINS,
    strategy: str = "uniform",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> ReliabilityCurve:
    """Mean probability and share of true positives in each bin, estimated from noisy labels.

    Parameters
    ----------
    n_bins, strategy
        As in :func:`reliability_curve`.
    confidence : float, default 0.9
        Confidence level of the intervals, each bin for itself.
    n_resamples : int, default 500
        Draws from which an interval is made.
    y, probabilities, noise, sample_weight, pos_label, random_state
        As in :func:`corrected_brier`.

    Returns
    -------
    ReliabilityCurve
        ``observed`` is the corrected share with the expected rates; ``lower`` and ``upper``
        come from draws of the rates and of the share of noisy positives, given its labels and
        Jeffreys' prior, which works for few rows and for labels of one class. All three are
        clipped to [0, 1].

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.2] * 4 + [0.7] * 4
    >>> curve = corrected_reliability_curve(y, p * 25, (0.1, 0.1))
    >>> curve.predicted.round(3), curve.observed, curve.weight
    (array([0.2, 0.7]), array([0.1875, 0.8125]), array([100., 100.]))
    """
    table = pooled_noisy(y, probabilities, sample_weight, pos_label)
    resampling = Resampling(confidence, n_resamples, random_state)
    check_parameter("strategy", strategy, OneOf(tuple(STRATEGIES)))
    sums = bin_sums(table, n_bins, STRATEGIES[strategy])
    kept = sums.weight > 0
    return _curve(BinSums(*(column[kept] for column in sums)), as_rate_posterior(noise), resampling)


def _curve(sums: BinSums, posterior: RatePosterior, resampling: Resampling) -> ReliabilityCurve:
    negatives = sums.weight - sums.positives
    _, clean = clean_counts(negatives, sums.positives, posterior.mean())
    observed = np.clip(clean / sums.weight, 0.0, 1.0)
    drawn = _drawn_shares(negatives, sums.positives, posterior, resampling)
    lower, upper = np.quantile(drawn, resampling.tails, axis=0)
    return ReliabilityCurve(
        predicted=sums.probability / sums.weight,
        observed=observed,
        weight=sums.weight,
        # with labels of one class the share itself lies outside of its equal-tailed interval
        lower=np.minimum(lower, observed),
        upper=np.maximum(upper, observed),
    )


def _drawn_shares(
    negatives: FloatArray, positives: FloatArray, posterior: RatePosterior, resampling: Resampling
) -> FloatArray:
    """Shares of true positives that the labels leave possible; a row for every draw."""
    generator = np.random.default_rng(resampling.random_state)
    rates = posterior.draw(resampling.n_resamples, generator)
    size = (len(rates), len(positives))
    noisy = generator.beta(positives + 0.5, negatives + 0.5, size=size)
    clean = [
        clean_counts(1.0 - share, share, pair)[1] for share, pair in zip(noisy, rates, strict=True)
    ]
    return np.clip(clean, 0.0, 1.0)
