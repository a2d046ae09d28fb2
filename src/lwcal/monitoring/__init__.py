"""Do new rows still look like those a calibrator was fitted to: a verdict with its evidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.calibrators.gate import gate
from lwcal.errors import InputError, message
from lwcal.inputs import ArrayLike, as_scores, as_weights
from lwcal.metrics import Corrected
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.correction import Resampling, estimates
from lwcal.metrics.gaps import binned_error
from lwcal.monitoring.report import Monitoring, Snapshot, judge
from lwcal.monitoring.statistics import Labels, compare_labels, compare_scores, compare_shares
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import RatePosterior
from lwcal.reference import Reference
from lwcal.table import ScoreTable

__all__ = ["Monitoring", "monitor"]

RESAMPLING = Resampling(confidence=0.9, n_resamples=200, random_state=0)
TRUSTED = RatePosterior.known((0.0, 0.0))
"""Both errors are against labels as they are: only their change is read, not their size."""


def monitor(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> Monitoring:
    """Compare new rows with those that a calibrator was fitted to.

    Three tests, of the scores alone and, where there are labels, of the labels: the shares of
    rows per group of scores (chi-square; effect: population stability index), the share d of
    labels that contradict the model's decision (two proportions; effect: its change), and the
    share of positive labels at equal scores (Mantel and Haenszel, Hosmer and Lemeshow; effect:
    root mean square change). p-values are adjusted after Holm. The verdict asks for
    significance and for an effect, so that a million rows do not raise trifles.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted, or loaded from a file that holds a reference.
    scores : one-dimensional, in [0, 1]
        New scores of the same model.
    y : one-dimensional, two classes, optional
        Labels of the same rows, about as noisy as those of the fit: labels of another quality
        are a drift as well.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    pos_label : optional
        The positive class; by default that of the calibrator.

    Returns
    -------
    Monitoring

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 4000)
    >>> labels = rng.random(4000) < scores
    >>> calibrator = lwcal.Platt().fit(scores[:2000], labels[:2000])
    >>> monitor(calibrator, scores[2000:], labels[2000:]).verdict
    'no drift'
    >>> monitor(calibrator, scores[2000:] ** 2).verdict
    'refit'
    """
    calibrator.check_is_fitted()
    reference = reference_of(calibrator)
    if y is None:
        return _without_labels(reference, *_rows(scores, sample_weight))
    positive = calibrator.pos_label if pos_label is None else pos_label
    table = ScoreTable.from_arrays(scores, y, sample_weight, pos_label=positive)
    return _with_labels(reference, table, calibrator)


def reference_of(calibrator: Calibrator) -> Reference:
    """What a calibrator keeps of the rows of its fit; refuses those that were saved without."""
    reference = getattr(calibrator, "reference_", None)
    if reference is None:
        raise InputError(
            message(
                "a calibrator with a reference",
                "one fitted before references were stored",
                "refit to monitor",
            )
        )
    found: Reference = reference
    return found


def _rows(scores: ArrayLike, sample_weight: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    checked = as_scores(scores)
    if sample_weight is None:
        return checked, np.ones(len(checked))
    return checked, as_weights(sample_weight, len(checked))


def _without_labels(reference: Reference, scores: FloatArray, weight: FloatArray) -> Monitoring:
    fitted = reference.table()
    after = reference.counts(scores, weight)
    tests = {"scores": compare_scores(fitted.negatives + fitted.positives, after)}
    total = float(weight.sum())
    new = Snapshot(int(total) if total.is_integer() else total, None, None, None, None)
    return Monitoring(_snapshot(fitted, None), new, judge(tests))


def _with_labels(reference: Reference, new: ScoreTable, calibrator: Calibrator) -> Monitoring:
    fitted = reference.table()
    before = Labels(fitted.negatives, fitted.positives)
    after = Labels(
        reference.counts(new.scores, new.negatives), reference.counts(new.scores, new.positives)
    )
    hits = tuple(table.disagreement() * table.n for table in (fitted, new))
    tests = {
        "scores": compare_scores(before.weight, after.weight),
        "disagreement": compare_shares((hits[0], hits[1]), (fitted.n, new.n)),
        "labels": compare_labels(before, after),
    }
    errors = (_error(table, calibrator) for table in (fitted, pool_by_logit(new)))
    return Monitoring(_snapshot(fitted, next(errors)), _snapshot(new, next(errors)), judge(tests))


def _snapshot(table: ScoreTable, ece: Corrected | None) -> Snapshot:
    d = table.disagreement()
    return Snapshot(table.n, table.base_rate, d, gate(d), ece)


def _error(table: ScoreTable, calibrator: Calibrator) -> Corrected:
    """ECE of the calibrated probabilities against the labels as they are, less chance."""
    calibrated = calibrator.map_(table.scores)
    judged = ScoreTable.from_counts(calibrated, table.negatives, table.positives)
    return estimates(judged, TRUSTED, {"": binned_error(judged, N_BINS)}, RESAMPLING)[""]
