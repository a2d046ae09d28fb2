"""Metrics against true labels that nobody has, from noisy labels and what is known of the noise.

All take ``(y, probabilities, noise)`` and assume class-conditional noise: a true negative
has the wrong label with probability r0, a true positive with r1, whatever the row.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from lwcal.errors import InputError, message
from lwcal.metrics.bootstrap import Seed
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.correction import (
    Corrected,
    Estimator,
    Resampling,
    clean_table,
    estimates,
    from_clean_counts,
    from_resamples,
    pooled_noisy,
)
from lwcal.metrics.discrimination import auc_of
from lwcal.metrics.gaps import binned_error
from lwcal.metrics.proper import NLL_CLIP, brier_of, nll_of
from lwcal.noise.rates import FlipRates, Noise, as_rate_posterior
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

CONFIDENCE = 0.9
N_RESAMPLES = 500


def corrected_brier(
    y: ArrayLike,
    probabilities: ArrayLike,
    noise: Noise,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Corrected:
    """Brier score against the true labels, estimated from noisy ones.

    The unbiased loss correction of Natarajan et al. (2013): with known rates the mean over all
    ways in which the labels can be flipped is the score that the true labels have. A single
    estimate is not clipped: noise can take it below 0 or above 1.

    Parameters
    ----------
    y : one-dimensional, two classes
        Labels, some of them wrong.
    probabilities : one-dimensional, in [0, 1]
        Probability of the positive class.
    noise : pair (r0, r1), RatePosterior, or object with ``rates_posterior``
        Rates at which labels of true negatives and true positives are wrong, when they are
        known; else what is believed of them, or what estimated them.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    confidence : float, default 0.9
        Level of the percentile interval.
    n_resamples : int, default 500
        Times that rows are drawn anew, with replacement, each time with rates drawn from
        what is believed of them. Time grows with their number times the distinct probabilities.
    random_state : int, numpy Generator or None, default 0
        None draws fresh randomness.

    Returns
    -------
    Corrected
        The estimate with the expected rates, and its interval. Rows and rates are drawn
        independently, also when the rates were estimated from these rows.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9] * 25
    >>> found = corrected_brier(y, p, (0.25, 0.25))
    >>> round(found.value, 3), found.low < 0.01 < found.high
    (0.01, True)
    """
    table = pooled_noisy(y, probabilities, sample_weight, pos_label)
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise, from_clean_counts(brier_of), resampling)


def corrected_nll(
    y: ArrayLike,
    probabilities: ArrayLike,
    noise: Noise,
    *,
    clip: float = NLL_CLIP,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Corrected:
    """Negative log likelihood of the true labels, estimated from noisy ones.

    Corrected as in :func:`corrected_brier`, and not clipped to its range either. Rows of
    probability near 0 or 1 whose label is probably wrong weigh heavily, so expect wide intervals.

    Parameters
    ----------
    clip : float, default 1e-6
        Probabilities are first moved into [clip, 1 - clip].
    y, probabilities, noise, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`.

    Examples
    --------
    >>> found = corrected_nll([0, 0, 0, 1] * 25, [0.1] * 100, (0.25, 0.25))
    >>> round(found.value, 3)  # as if no label was positive
    0.105
    """
    table = pooled_noisy(y, probabilities, sample_weight, pos_label)
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise, from_clean_counts(partial(nll_of, clip=clip)), resampling)


def corrected_auc(
    y: ArrayLike,
    probabilities: ArrayLike,
    noise: Noise,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Corrected:
    """Area under the ROC curve against the true labels, estimated from noisy ones.

    Noise moves it towards one half: ``AUC_noisy - 1/2 = (1 - alpha - beta) (AUC - 1/2)``, with
    the shares of wrong labels among noisy positives and negatives (Menon et al., 2015;
    :func:`lwcal.noise.class_contamination`). The estimate is clipped to [0, 1].

    Parameters
    ----------
    y, probabilities, noise, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`; the labels must hold more of each class than noise alone
        would make. Resamples that do not are left out.

    Examples
    --------
    >>> found = corrected_auc([0, 0, 0, 1, 0, 1, 1, 1], [0.2] * 4 + [0.7] * 4, (0.1, 0.1))
    >>> round(found.value, 4)  # noisy labels have 0.75
    0.8125
    """
    table = pooled_noisy(y, probabilities, sample_weight, pos_label)
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise, AUC, resampling)


def corrected_ece(
    y: ArrayLike,
    probabilities: ArrayLike,
    noise: Noise,
    *,
    n_bins: int = N_BINS,
    debias: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Corrected:
    """Expected calibration error against the true labels, estimated from noisy ones.

    The distance between the mean probability and the corrected share of positives in bins of
    equal width. Few rows make distances in a calibrated model too, and the correction enlarges
    them; ``debias`` takes from each what its standard error is expected to add. Distances below
    0 do not exist, so where most are small some of that is left. The interval does not depend on
    ``debias`` and allows for all of it, so it tends to hold the true error more often than it says.

    Parameters
    ----------
    n_bins : int, default 15
        A probability p is in bin ``floor(p * n_bins)``, and 1 is in the last bin.
    debias : bool, default True
        Invert the mean of the folded normal distribution in each bin. False gives the plain
        error, which with rates of 0 is that of :func:`ece`.
    y, probabilities, noise, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.0] * 4 + [1.0] * 4
    >>> found = corrected_ece(y, p * 25, (0.25, 0.25))
    >>> found.value, found.low
    (0.0, 0.0)
    """
    table = pooled_noisy(y, probabilities, sample_weight, pos_label)
    resampling = Resampling(confidence, n_resamples, random_state)
    return _estimate(table, noise, binned_error(table, n_bins, debias), resampling)


def corrected_evaluate(
    y: ArrayLike,
    probabilities: ArrayLike,
    noise: Noise,
    *,
    which: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> dict[str, Corrected]:
    """Estimate metrics against the true labels, with their default options.

    Parameters
    ----------
    which : sequence of {"brier", "nll", "auc", "ece"}, optional
        Names of the metrics wanted; all by default.
    y, probabilities, noise, sample_weight, pos_label, confidence, n_resamples, random_state
        As in :func:`corrected_brier`.

    Returns
    -------
    dict of str to Corrected
        Each equals what the function with this name, after ``corrected_``, returns.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.1] * 4 + [0.9] * 4
    >>> found = corrected_evaluate(y, p * 25, (0.2, 0.2), which=["brier", "auc"])
    >>> {name: round(estimate.value, 3) for name, estimate in found.items()}
    {'brier': 0.077, 'auc': 0.917}
    """
    wanted = tuple(ESTIMATORS) if which is None else tuple(which)
    for name in wanted:
        check_parameter("which", name, OneOf(tuple(ESTIMATORS)))
    table = pooled_noisy(y, probabilities, sample_weight, pos_label)
    resampling = Resampling(confidence, n_resamples, random_state)
    estimators = {name: ESTIMATORS[name](table) for name in wanted}
    return estimates(table, as_rate_posterior(noise), estimators, resampling)


def _estimate(
    table: ScoreTable, noise: Noise, estimator: Estimator, resampling: Resampling
) -> Corrected:
    return estimates(table, as_rate_posterior(noise), {"": estimator}, resampling)[""]


def _auc(table: ScoreTable, rates: FlipRates) -> float:
    clean = clean_table(table, rates)
    if min(clean.n_negative, clean.n_positive) <= 0.0:
        return np.nan
    return float(np.clip(auc_of(clean), 0.0, 1.0))


def _auc_or_error(table: ScoreTable, rates: FlipRates) -> float:
    value = _auc(table, rates)
    if np.isnan(value):
        raise InputError(
            message(
                f"a share of positive labels between {rates.negative:g} and "
                f"{1.0 - rates.positive:g}, where these flip rates leave both classes",
                f"{table.base_rate:g}",
                "auc compares the classes; check the rates",
            )
        )
    return value


AUC = from_resamples(_auc)._replace(of_data=_auc_or_error)
ESTIMATORS: dict[str, Callable[[ScoreTable], Estimator]] = {
    "brier": lambda _: from_clean_counts(brier_of),
    "nll": lambda _: from_clean_counts(nll_of),
    "auc": lambda _: AUC,
    "ece": partial(binned_error, n_bins=N_BINS),
}
"""Every corrected metric that is one number, for the data of a table."""
