"""Metrics of several classes against the true classes behind noisy labels."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.metrics.binned_error import Gaps, errors_behind
from lwcal.metrics.noise_correction import with_interval
from lwcal.metrics.proper import NLL_CLIP
from lwcal.metrics.resampling import Resampling
from lwcal.multiclass.label_correction import Moments


def class_losses(probabilities: FloatArray) -> dict[str, FloatArray]:
    """Brier score and log loss of each row, if each class is the true one.

    >>> class_losses(np.array([[0.5, 0.3, 0.2]]))["brier"].round(2)
    array([[0.38, 0.78, 0.98]])
    """
    squares = np.einsum("nk,nk->n", probabilities, probabilities)
    clipped = np.clip(probabilities, NLL_CLIP, 1.0 - NLL_CLIP)
    return {
        "brier": np.asarray(1.0 + squares[:, None] - 2.0 * probabilities),
        "nll": np.asarray(-np.log(clipped)),
    }


def mean_estimate(data: Moments, plausible: Sequence[Moments], resampling: Resampling) -> Estimate:
    """Mean of a corrected value, with its interval.

    Parameters
    ----------
    data : Moments
        Sums at the expected noise matrix, in one bin.
    plausible : sequence of Moments
        Sums at noise matrices that are equally plausible.
    resampling : Resampling
        How many means are drawn. They are normal around the mean of a plausible matrix.

    Examples
    --------
    >>> losses = Moments.of(np.array([0.0, 1.0] * 50), np.ones(100), np.zeros(100, dtype=int))
    >>> f"{mean_estimate(losses, [losses], Resampling(0.9, 500, 0)):.2f}"
    '0.50 (0.43 to 0.58)'
    """
    means, errors = np.array([_mean_and_error(one) for one in plausible]).T
    noise = _normal_draws(resampling, len(means), 1)[:, :, 0]
    drawn = (means[:, None] + errors[:, None] * noise).ravel()
    return with_interval(_mean_and_error(data)[0], np.stack([drawn, drawn], axis=1), resampling)


def top_label_estimate(
    data: Moments, plausible: Sequence[Moments], resampling: Resampling
) -> Estimate:
    """Calibration error of the most probable class, debiased, with its interval.

    The parameters are those of :func:`mean_estimate`, in bins of the highest probability.
    """
    draws = _normal_draws(resampling, len(plausible), len(data.weight))
    ranges = [
        errors_behind(gaps, gaps._replace(total=gaps.total + noise * gaps.error))
        for gaps, of_gaps in zip(map(_gaps, plausible), draws, strict=True)
        for noise in of_gaps
    ]
    return with_interval(float(_gaps(data).debiased_error()), np.array(ranges), resampling)


def _normal_draws(resampling: Resampling, n_matrices: int, n_bins: int) -> FloatArray:
    """Standard normal numbers, as many for each plausible matrix."""
    of_each = -(-resampling.n_resamples // n_matrices)
    return resampling.generator().standard_normal((n_matrices, of_each, n_bins))


def _mean_and_error(moments: Moments) -> tuple[float, float]:
    """Mean and its standard error."""
    weight, total, squares = (float(part[0]) for part in moments)
    mean = total / weight
    return mean, sqrt(max(squares / weight - mean**2, 0.0) / weight)


def _gaps(moments: Moments) -> Gaps:
    weight, total, squares = moments
    filled = np.where(weight > 0.0, weight, 1.0)
    # two rows as spread out as all of them: the few rows of a bin may be alike by chance
    overall = max(float(squares.sum() / weight.sum() - (total.sum() / weight.sum()) ** 2), 0.0)
    within = np.maximum(squares - total**2 / filled, 0.0)
    variance = (within + 2.0 * overall) / (weight + 2.0)
    return Gaps(weight, total, np.sqrt(weight * variance))
