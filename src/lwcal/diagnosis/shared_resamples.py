"""Resample rows once, and judge every calibrator on the same resamples.

A mean loss is linear in the counts of labels, and so is the correction for noise. So four sums
for each loss give it for labels as they are and for any flip rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.crossfit import CrossFitted
from lwcal.estimates import Estimate
from lwcal.metrics.binned_error import Bins, errors_behind, gaps_of
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.inputs import DerivedTable
from lwcal.metrics.noise_correction import clean_counts, resampled_tables, with_interval
from lwcal.metrics.proper import NLL_CLIP
from lwcal.metrics.resampling import Resampling
from lwcal.noise.rates import FlipRates, RatePosterior

LABELLED, CORRECTED = range(2)
CHANGE, BRIER, LOG_LOSS = range(3)
"""Places in the arrays of mean losses."""


class Resampled(NamedTuple):
    """One calibrator on all resamples.

    Attributes
    ----------
    corrected : dict of str to Estimate
        Brier score, log loss and ECE against true labels.
    corrected_change, labelled_change : Estimate
        Log loss less that of the raw score, corrected for noise and by labels as they are. Both
        losses are on the same rows, so the variation that they share cancels.
    """

    corrected: dict[str, Estimate]
    corrected_change: Estimate
    labelled_change: Estimate


def judge_resampled(
    fitted: Sequence[CrossFitted], rates: RatePosterior, resampling: Resampling
) -> list[Resampled]:
    """Judge calibrators that were fitted to the same rows, in the order given."""
    if not fitted:
        return []
    rows = DerivedTable(fitted[0].scores, fitted[0].negatives, fitted[0].positives)
    losses = np.stack([losses_of_labels(found) for found in fitted])
    bins = Bins(np.stack([found.predicted for found in fitted]), N_BINS)
    of_rows = bins.sums(rows)
    means, ranges = [], []
    for draw, pair in resampled_tables(rows, rates, resampling):
        means.append(_means(losses, draw, pair))
        ranges.append(errors_behind(gaps_of(of_rows, pair), gaps_of(bins.sums(draw), pair)))
    expected, drawn = _means(losses, rows, rates.mean()), np.array(means)
    errors, of_bins = gaps_of(of_rows, rates.mean()).debiased_error(), np.array(ranges)

    def estimate(view: int, which: int, kind: int) -> Estimate:
        values = drawn[:, view, which, kind]
        ends = np.column_stack((values, values))
        return with_interval(float(expected[view, which, kind]), ends, resampling)

    return [
        Resampled(
            {
                "brier": estimate(CORRECTED, which, BRIER),
                "nll": estimate(CORRECTED, which, LOG_LOSS),
                "ece": with_interval(float(error), of_bins[:, :, which], resampling),
            },
            estimate(CORRECTED, which, CHANGE),
            estimate(LABELLED, which, CHANGE),
        )
        for which, error in enumerate(errors)
    ]


def losses_of_labels(found: CrossFitted) -> FloatArray:
    """Loss of a negative and of a positive label in each row.

    The losses are log loss less that of the raw score (:data:`CHANGE`), Brier score, and log loss.
    """
    p, raw = (np.clip(x, NLL_CLIP, 1.0 - NLL_CLIP) for x in (found.predicted, found.scores))
    logarithmic = np.array([-np.log1p(-p), -np.log(p)])
    of_raw = np.array([-np.log1p(-raw), -np.log(raw)])
    squared = np.array([found.predicted**2, (1.0 - found.predicted) ** 2])
    return np.array([logarithmic - of_raw, squared, logarithmic])


def _means(losses: FloatArray, rows: DerivedTable, rates: FlipRates) -> FloatArray:
    """Mean losses by labels as they are, and corrected: for every calibrator and kind of loss."""
    counts = np.column_stack((rows.negatives, rows.positives))
    # of negative labels in rows labelled negative, in rows labelled positive, and so on
    sums = (losses.reshape(-1, len(counts)) @ counts).reshape(*losses.shape[:-1], 2)
    of_negatives, of_positives = sums[..., 0, :], sums[..., 1, :]
    labelled = of_negatives[..., 0] + of_positives[..., 1]
    corrected = (
        clean_counts(of_negatives[..., 0], of_negatives[..., 1], rates)[0]
        + clean_counts(of_positives[..., 0], of_positives[..., 1], rates)[1]
    )
    return np.asarray([labelled, corrected] / counts.sum())
