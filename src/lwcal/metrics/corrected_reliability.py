"""Estimate the reliability curve against the true labels from noisy labels."""

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.inputs import ArrayLike
from lwcal.metrics.binning import BinSums, bin_sums
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.corrected import N_RESAMPLES
from lwcal.metrics.inputs import as_metric_table
from lwcal.metrics.noise_correction import clean_counts
from lwcal.metrics.reliability import STRATEGIES, ReliabilityCurve
from lwcal.metrics.resampling import Resampling, Seed
from lwcal.noise.rates import Noise, RatePosterior, as_rate_posterior
from lwcal.parameters import OneOf, check_parameter
from lwcal.table import ScoreTable


def corrected_reliability_curve(
    y: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    noise_rates: Noise,
    n_bins: int = N_BINS,
    strategy: str = "uniform",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> ReliabilityCurve:
    """Compute the mean probability in each bin, and estimate its share of true positives.

    Parameters
    ----------
    n_bins, strategy
        As in :func:`reliability_curve`.
    confidence : float, default 0.9
        Level of the intervals, for each bin separately.
    n_resamples : int, default 500
        Number of draws behind each interval.
    y, y_prob, noise_rates, sample_weight, pos_label, random_state
        As in :func:`corrected_brier`.

    Returns
    -------
    ReliabilityCurve
        ``observed`` is the corrected share at the expected flip rates. ``lower`` and ``upper``
        come from draws of the rates and of the share of noisy positives. The share is drawn from
        its posterior under Jeffreys' prior, which works for few rows and for labels of a single
        class. All three are clipped to [0, 1].

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.2] * 4 + [0.7] * 4
    >>> curve = corrected_reliability_curve(y, p * 25, noise_rates=(0.1, 0.1))
    >>> curve.predicted.round(3), curve.observed, curve.weight
    (array([0.2, 0.7]), array([0.1875, 0.8125]), array([100., 100.]))
    """
    check_parameter("strategy", strategy, OneOf(tuple(STRATEGIES)))
    table = as_metric_table(y, y_prob, sample_weight, pos_label, label_name="y")
    resampling = Resampling(confidence, n_resamples, random_state)
    sums = bin_sums(table, n_bins, STRATEGIES[strategy])
    kept = sums.weight > 0
    held = BinSums(*(column[kept] for column in sums))
    return _curve(held, as_rate_posterior(noise_rates), resampling)


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
        # with labels of a single class, the share lies outside of its equal-tailed interval
        lower=np.minimum(lower, observed),
        upper=np.maximum(upper, observed),
        confidence=resampling.confidence,
    )


def _drawn_shares(
    negatives: FloatArray, positives: FloatArray, posterior: RatePosterior, resampling: Resampling
) -> FloatArray:
    """Draw shares of true positives from their posterior, one row for each draw."""
    generator = resampling.generator()
    rates = posterior.draw(resampling.n_resamples, generator)
    size = (len(rates), len(positives))
    noisy = generator.beta(positives + 0.5, negatives + 0.5, size=size)
    clean = [
        clean_counts(1.0 - share, share, pair)[1] for share, pair in zip(noisy, rates, strict=True)
    ]
    return np.clip(clean, 0.0, 1.0)
