"""Estimate metrics against the true labels from noisy labels and their flip rates.

All functions assume class-conditional noise: the label of a true negative is wrong with
probability r0 and the label of a true positive with probability r1, in every row alike.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.inputs import ArrayLike
from lwcal.metrics.binned_error import binned_error
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.discrimination import auc
from lwcal.metrics.inputs import as_metric_table
from lwcal.metrics.noise_correction import (
    Estimator,
    clean_table,
    estimates,
    from_clean_counts,
    from_resamples,
)
from lwcal.metrics.proper import NLL_CLIP, brier, nll
from lwcal.metrics.resampling import Resampling, Seed
from lwcal.noise.rates import FlipRates, Noise, as_rate_posterior
from lwcal.table import ScoreTable

N_RESAMPLES = 500


def corrected_brier(
    y: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    noise_rates: Noise,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the Brier score against the true labels from noisy labels.

    This is the unbiased loss correction of Natarajan et al. (2013): if the flip rates are known,
    the mean of the estimate over all possible flips is the score against the true labels. A
    single estimate is not clipped and can lie below 0 or above 1.

    Parameters
    ----------
    y : one-dimensional, two classes; or ScoreTable
        Labels, some of them wrong. A :class:`lwcal.ScoreTable` holds labels, probabilities and
        weights, and is passed in their place.
    y_prob : one-dimensional, in [0, 1]
        Probability of the positive class. Omitted for a ScoreTable.
    noise_rates : pair (r0, r1), RatePosterior, or object with ``rates_posterior``
        The flip rates of true negatives and true positives if they are known. Otherwise their
        posterior, or an object that estimated it, such as the result of
        :func:`lwcal.estimate_noise`.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.
    pos_label : optional
        The positive class, where the labels do not make it obvious.
    confidence : float, default 0.9
        Level of the percentile interval.
    n_resamples : int, default 500
        How many times the rows are drawn again, with replacement. Each time the rates are drawn
        from their posterior. The time grows with this number times that of distinct
        probabilities.
    random_state : int, numpy Generator or None, default 0
        Random seed. None gives a different result every time.

    Returns
    -------
    Estimate
        ``value`` is the estimate at the expected flip rates. ``low`` and ``high`` include the
        uncertainty from sampling and the uncertainty about the rates. Rows and rates are drawn
        independently, even if the rates were estimated from these rows.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9] * 25
    >>> found = corrected_brier(y, p, noise_rates=(0.25, 0.25))
    >>> round(found.value, 3), found.low < 0.01 < found.high
    (0.01, True)
    """
    table = as_metric_table(y, y_prob, sample_weight, pos_label, label_name="y")
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise_rates, from_clean_counts(brier), resampling)


def corrected_nll(
    y: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    noise_rates: Noise,
    clip: float = NLL_CLIP,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the log loss against the true labels from noisy labels.

    The correction is that of :func:`corrected_brier`. The estimate is not clipped either. Rows
    with a probability near 0 or 1 and a label that is probably wrong weigh heavily, so expect
    wide intervals.

    Parameters
    ----------
    clip : float, default 1e-6
        Probabilities are first moved into [clip, 1 - clip].
    y, y_prob, noise_rates, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`.

    Returns
    -------
    Estimate
        As in :func:`corrected_brier`.

    Examples
    --------
    >>> found = corrected_nll([0, 0, 0, 1] * 25, [0.1] * 100, noise_rates=(0.25, 0.25))
    >>> round(found.value, 3)  # the same as if no label were positive
    0.105
    """
    table = as_metric_table(y, y_prob, sample_weight, pos_label, label_name="y")
    resampling = Resampling(confidence, n_resamples, random_state)
    estimator = from_clean_counts(partial(nll, clip=clip))
    return _estimate(table, noise_rates, estimator, resampling)


def corrected_auc(
    y: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    noise_rates: Noise,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the area under the ROC curve against the true labels from noisy labels.

    Noise moves the area towards one half: ``AUC_noisy - 1/2 = (1 - alpha - beta) (AUC - 1/2)``,
    where alpha and beta are the shares of wrong labels among noisy positives and negatives
    (Menon et al., 2015; :func:`lwcal.noise.class_contamination`). The estimate is clipped to
    [0, 1].

    Parameters
    ----------
    y, y_prob, noise_rates, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`. There must be more labels of each class than noise alone
        would produce. Resamples with fewer are left out.

    Returns
    -------
    Estimate
        As in :func:`corrected_brier`.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.2] * 4 + [0.7] * 4
    >>> round(corrected_auc(y, p, noise_rates=(0.1, 0.1)).value, 4)  # 0.75 with the noisy labels
    0.8125
    """
    table = as_metric_table(y, y_prob, sample_weight, pos_label, label_name="y")
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise_rates, AUC, resampling)


def corrected_ece(
    y: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    noise_rates: Noise,
    n_bins: int = N_BINS,
    debias: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the expected calibration error against the true labels from noisy labels.

    The error is the distance between the mean probability and the corrected share of positives,
    in bins of equal width. With few rows even a calibrated model shows such distances, and the
    correction enlarges them. ``debias`` subtracts from each distance what its standard error is
    expected to add. A distance cannot be below 0, so some of the excess remains where most
    distances are small. The interval does not depend on ``debias`` and allows for all of the
    excess, so it tends to contain the true error more often than ``confidence`` says.

    Parameters
    ----------
    n_bins : int, default 15
        A probability p is in bin ``floor(p * n_bins)``, and 1 is in the last bin.
    debias : bool, default True
        Invert the mean of the folded normal distribution in each bin. False gives the plain
        error, which equals that of :func:`ece` if both rates are 0.
    y, y_prob, noise_rates, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`.

    Returns
    -------
    Estimate
        As in :func:`corrected_brier`.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.0] * 4 + [1.0] * 4
    >>> found = corrected_ece(y, p * 25, noise_rates=(0.25, 0.25))
    >>> found.value, found.low
    (0.0, 0.0)
    """
    table = as_metric_table(y, y_prob, sample_weight, pos_label, label_name="y")
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise_rates, binned_error(table, n_bins, debias), resampling)


def _estimate(
    table: ScoreTable, noise_rates: Noise, estimator: Estimator, resampling: Resampling
) -> Estimate:
    return estimates(table, as_rate_posterior(noise_rates), {"": estimator}, resampling)[""]


def _auc(table: ScoreTable, rates: FlipRates) -> float:
    clean = clean_table(table, rates)
    if min(clean.n_negative, clean.n_positive) <= 0.0:
        return np.nan
    return float(np.clip(auc(clean), 0.0, 1.0))


def _auc_or_error(table: ScoreTable, rates: FlipRates) -> float:
    value = _auc(table, rates)
    if np.isnan(value):
        raise InputError(
            f"{table.base_rate:.4g} of the labels are positive. With these flip rates the share "
            f"must lie between {rates.negative:g} and {1.0 - rates.positive:g}; otherwise one "
            "true class is empty and AUC has no value. Check the rates."
        )
    return value


AUC = from_resamples(_auc)._replace(of_data=_auc_or_error)
"""The estimator of the area under the ROC curve."""
ESTIMATORS: dict[str, Callable[[ScoreTable], Estimator]] = {
    "brier": lambda _: from_clean_counts(brier),
    "nll": lambda _: from_clean_counts(nll),
    "auc": lambda _: AUC,
    "ece": partial(binned_error, n_bins=N_BINS),
}
"""A function for every corrected metric that returns its estimator for the data of a table."""
