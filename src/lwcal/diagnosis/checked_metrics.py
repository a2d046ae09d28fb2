"""Judge calibrators by what an audit says of the truth of all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators.crossfit import CrossFitted
from lwcal.diagnosis.shared_resamples import Resampled, losses_of_labels
from lwcal.estimates import Estimate
from lwcal.metrics.calibration import N_BINS
from lwcal.noise.checked.posterior import AuditedPosterior, CleanDraws
from lwcal.noise.checked.summary import interval_of
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.numerics.equal_width import bin_of
from lwcal.table import ScoreTable


def by_checked_labels(
    fitted: Sequence[CrossFitted],
    judged: Sequence[Resampled],
    posterior: AuditedPosterior,
    confidence: float,
) -> list[Resampled]:
    """Replace metrics that are corrected by flip rates with those by the audit.

    The intervals are about what is not known of the truth. The rows are these.

    Parameters
    ----------
    fitted : sequence of CrossFitted
        Calibrators that were fitted to the same rows.
    judged : sequence of Resampled
        The same calibrators, judged by their labels.
    posterior : AuditedPosterior
    confidence : float
        Level of the intervals.
    """
    if not fitted:
        return []
    scores, _, negatives, positives = fitted[0]
    pooled = pool_by_logit(ScoreTable.from_counts(scores, negatives, positives))
    between = 0.5 * (pooled.scores[1:] + pooled.scores[:-1])
    place = np.searchsorted(between, scores)
    share = (negatives + positives) / (negatives.sum() + positives.sum())
    truths = posterior.clean_draws(pooled.scores)
    return [
        Resampled(*_metrics(found, truths, place, share, confidence), one.labelled_change)
        for found, one in zip(fitted, judged, strict=True)
    ]


def _metrics(
    found: CrossFitted,
    truths: CleanDraws,
    place: IndexArray,
    share: FloatArray,
    confidence: float,
) -> tuple[dict[str, Estimate], Estimate]:
    """Expected metrics over draws of the truth; ``place`` is where a draw has the row's score."""
    size = truths.clean.shape[1]

    def mean_loss(of_negative: FloatArray, of_positive: FloatArray) -> Estimate:
        slope = np.bincount(place, share * (of_positive - of_negative), minlength=size)
        drawn = truths.clean @ slope + share @ of_negative
        return interval_of(drawn, truths.weights, confidence)

    change, brier, nll = (mean_loss(*losses) for losses in losses_of_labels(found))
    bins = bin_of(found.predicted, N_BINS)
    shares = np.zeros((size, N_BINS))
    np.add.at(shares, (place, bins), share)
    predicted = np.bincount(bins, share * found.predicted, minlength=N_BINS)
    gaps = np.abs(truths.clean @ shares - predicted).sum(axis=1)
    ece = interval_of(gaps, truths.weights, confidence)
    return {"brier": brier, "nll": nll, "ece": ece}, change
