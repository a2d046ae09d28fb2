"""Estimate metrics of several classes against the true classes, from noisy labels.

All functions assume class-conditional noise: a label depends on the true class of its row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import class_losses, mean_estimate, top_label_estimate
from lwcal.metrics.corrected import N_RESAMPLES
from lwcal.metrics.plausible_noise import (
    InverseNoise,
    classes_of_columns,
    estimate_in,
    estimated_noise,
    known_noise,
)
from lwcal.metrics.proper import CLIP_RULE, NLL_CLIP
from lwcal.metrics.resampling import Resampling, Seed
from lwcal.metrics.several_classes import JudgedRows, judged_rows
from lwcal.multiclass.label_correction import Moments, loss_moments, top_label_moments
from lwcal.parameters import check_parameter
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import as_class_scores

MomentsOf: TypeAlias = Callable[[FloatArray], Moments]
"""Sums of the rows as a function of the inverse of a noise matrix."""


def corrected_class_nll(
    y: ArrayLike,
    y_prob: ArrayLike,
    *,
    noise: Any,
    clip: float = NLL_CLIP,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the log loss of several classes against the true classes, from noisy labels.

    This is the unbiased loss correction of Natarajan et al. (2013), as in
    :func:`corrected_class_brier`. Rows with a probability near 0 and a label that is probably
    wrong weigh heavily, so expect wide intervals.

    Parameters
    ----------
    clip : float, default 1e-6
        Probabilities are first moved into [clip, 1 - clip].
    y, y_prob, noise, classes, sample_weight, confidence, n_resamples, random_state
        As in :func:`corrected_class_brier`.

    Returns
    -------
    Estimate
        As in :func:`corrected_class_brier`.

    Examples
    --------
    >>> labels, p = [0] * 80 + [1] * 10 + [2] * 10, [[0.8, 0.1, 0.1]] * 100
    >>> noise = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> round(corrected_class_nll(labels, p, noise=noise).value, 3)  # as if all were of class 0
    0.223
    """
    check_parameter("clip", clip, CLIP_RULE)
    resampling = Resampling(confidence, n_resamples, random_state)
    rows, inverses = _rows_and_noise(y, y_prob, noise, classes, sample_weight)
    losses = -np.log(np.clip(rows.probabilities, clip, 1.0 - clip))
    return _mean(_loss(rows, losses), inverses, resampling)


def corrected_class_brier(
    y: ArrayLike,
    y_prob: ArrayLike,
    *,
    noise: Any,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the Brier score of several classes against the true classes, from noisy labels.

    This is the unbiased loss correction of Natarajan et al. (2013): if the noise matrix is known,
    the mean of the estimate over all possible labels is the score against the true classes. A
    single estimate is not clipped and can lie below 0.

    Parameters
    ----------
    y : one-dimensional
        Labels, some of them wrong.
    y_prob : of shape (n, K)
        Probabilities of all classes.
    noise : (K, K) matrix, ClassNoiseEstimate, or fitted calibrator
        Probability of each label (column) for each true class (row), in the order of the columns
        of ``y_prob``, if it is known. Otherwise the result of :func:`lwcal.estimate_noise`, or a
        calibrator of more than two classes that estimated it, such as :class:`lwcal.NoiseAware`.
    classes : sequence, optional
        Class of each column. By default, columns are those of the noise estimate: by their names
        if these are its classes, or else in its order. With a matrix, as in :func:`class_nll`.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.
    confidence : float, default 0.9
        Level of the interval.
    n_resamples : int, default 500
        How many values are drawn for the interval.
    random_state : int, numpy Generator or None, default 0
        Random seed. None gives a different result every time.

    Returns
    -------
    Estimate
        ``value`` is the estimate at the expected noise matrix. ``low`` and ``high`` include the
        uncertainty from sampling and, for an estimate, the uncertainty about the share of wrong
        labels. Where wrong labels go is taken as estimated.

    Examples
    --------
    >>> labels, p = [0] * 80 + [1] * 10 + [2] * 10, [[0.8, 0.1, 0.1]] * 100
    >>> noise = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> round(corrected_class_brier(labels, p, noise=noise).value, 3)  # as if all were of class 0
    0.06
    """
    resampling = Resampling(confidence, n_resamples, random_state)
    rows, inverses = _rows_and_noise(y, y_prob, noise, classes, sample_weight)
    return _mean(_loss(rows, class_losses(rows.probabilities)["brier"]), inverses, resampling)


def corrected_class_evaluate(
    y: ArrayLike,
    y_prob: ArrayLike,
    *,
    noise: Any,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> dict[str, Estimate]:
    """Estimate several metrics of several classes against the true classes.

    Parameters
    ----------
    y, y_prob, noise, classes, sample_weight, n_resamples, random_state
        As in :func:`corrected_class_brier`.
    confidence : float, default 0.9
        Level of all intervals, for each metric separately.

    Returns
    -------
    dict of str to Estimate
        ``nll`` and ``brier``, as the functions of these names; ``accuracy`` of the most probable
        class; and ``top_label_ece``, its calibration error in 15 bins. From the latter, what
        sampling is expected to add is subtracted, as by :func:`corrected_ece`.

    Examples
    --------
    >>> labels, p = [0] * 80 + [1] * 10 + [2] * 10, [[0.8, 0.1, 0.1]] * 100
    >>> noise = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    >>> found = corrected_class_evaluate(labels, p, noise=noise)
    >>> {name: round(estimate.value, 2) for name, estimate in found.items()}
    {'nll': 0.22, 'brier': 0.06, 'accuracy': 1.0, 'top_label_ece': 0.2}
    """
    resampling = Resampling(confidence, n_resamples, random_state)
    rows, inverses = _rows_and_noise(y, y_prob, noise, classes, sample_weight)
    return corrected_class_metrics(rows, inverses, resampling)


def corrected_class_metrics(
    rows: JudgedRows, noise: InverseNoise, resampling: Resampling
) -> dict[str, Estimate]:
    """Estimate the metrics of :func:`corrected_class_evaluate` from rows that were checked."""
    k = rows.probabilities.shape[1]
    losses = class_losses(rows.probabilities)
    is_top = np.eye(k)[rows.probabilities.argmax(axis=1)]
    values = {"nll": losses["nll"], "brier": losses["brier"], "accuracy": is_top}
    found = {name: _mean(_loss(rows, one), noise, resampling) for name, one in values.items()}

    def gaps(inverse: FloatArray) -> Moments:
        return top_label_moments(inverse, rows.labels, rows.probabilities, rows.weights)

    plausible = [gaps(inverse) for inverse in noise.plausible]
    error = top_label_estimate(gaps(noise.expected), plausible, resampling)
    return {**found, "top_label_ece": error}


def _rows_and_noise(
    y: ArrayLike,
    y_prob: ArrayLike,
    noise: Any,
    classes: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
) -> tuple[JudgedRows, InverseNoise]:
    estimate = estimate_in(noise)
    if estimate is None:
        rows = judged_rows(y, y_prob, classes, sample_weight, label_name="y")
        return rows, known_noise(noise, len(rows.classes))
    if classes is None:
        found = as_class_scores(y_prob, name="y_prob", n_classes=len(estimate.classes))
        classes = classes_of_columns(estimate, found.names)
    rows = judged_rows(y, y_prob, classes, sample_weight, label_name="y")
    return rows, estimated_noise(estimate, rows.classes)


def _loss(rows: JudgedRows, losses: FloatArray) -> MomentsOf:
    return lambda inverse: loss_moments(inverse, rows.labels, losses, rows.weights)


def _mean(moments: MomentsOf, inverses: InverseNoise, resampling: Resampling) -> Estimate:
    plausible = [moments(inverse) for inverse in inverses.plausible]
    return mean_estimate(moments(inverses.expected), plausible, resampling)
