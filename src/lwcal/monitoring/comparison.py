"""Compare new rows with the histogram that a fitted calibrator keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator, ClassCalibrator, GatedLWCal
from lwcal.calibrators.base import reference_of
from lwcal.errors import InputError, ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.binned_error import binned_error
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.noise_correction import estimates
from lwcal.metrics.resampling import Resampling
from lwcal.monitoring.class_comparison import NewRows, monitor_classes, new_rows
from lwcal.monitoring.class_verdict import ClassMonitoring
from lwcal.monitoring.statistics import Labels, compare_labels, compare_scores, compare_shares
from lwcal.monitoring.verdict import CONFIDENCE, Monitoring, Snapshot, change_of_labels, judge
from lwcal.multiclass.class_rows import refuse_scale
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import RatePosterior
from lwcal.reference import Reference
from lwcal.rows import ArrayLike, as_scores, as_weights
from lwcal.rows.probabilities import is_matrix
from lwcal.rows.scales import PROBABILITY
from lwcal.table import ScoreTable, as_table

RESAMPLING = Resampling(CONFIDENCE, n_resamples=200, random_state=0)
AS_LABELLED = RatePosterior.known((0.0, 0.0))
"""Labels are not corrected: only the change of the calibration error matters, not its size."""


def monitor(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    scale: str | None = None,
) -> Monitoring | ClassMonitoring:
    """Compare new rows with those that a calibrator was fitted to.

    Up to three tests are made. The first needs scores only; the others also need labels.

    1. Scores: the share of rows in each group of scores. A chi-square test; the effect is the
       population stability index (PSI).
    2. Disagreement: the share of labels that contradict the model's decision. A test of two
       proportions; the effect is the change of the share.
    3. Labels: the share of positive labels at equal scores. A test after Mantel and Haenszel and
       Hosmer and Lemeshow; the effect is the root mean square change.

    With more than two classes, the first and the last are made for the highest score of every row
    (is its class the label?) and for the scores of each class (against the rest).

    The p-values are adjusted by Holm's method for all tests. The verdict needs both a significant
    p-value and a large enough effect, so negligible changes in a million rows raise no alarm.
    A calibrator still holds if labels at equal scores are as before, whatever the scores are. So
    labels decide about a refit if they are enough to find such a change with a probability of 90%.
    Without them, the verdict is "check labels".

    Parameters
    ----------
    calibrator : Calibrator
        Fitted, or loaded from a file that holds a reference. If it has a decision threshold and
        a gate of its own, such as :class:`lwcal.GatedLWCal`, these are used.
    scores : of shape (n,) or (n, K), as in the fit; or ScoreTable
        New scores of the same model. A :class:`lwcal.ScoreTable` also holds their labels and
        weights, and is passed in their place, for two classes.
    y : one-dimensional, optional
        Labels of the same rows. They should be about as noisy as those of the fit: labels of a
        different quality count as drift.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.
    pos_label : optional
        The positive class of scores of shape (n,); that of the calibrator by default.
    scale : {"probability", "percent", "logit"}, optional
        Scale of scores of shape (n,); that of the calibrator by default. Omitted with a
        ScoreTable, which holds probabilities.

    Returns
    -------
    Monitoring or ClassMonitoring
        The latter with more than two classes. Both have ``verdict``, ``sentence``, ``tests``,
        ``fitted``, ``new`` and ``to_dict()``.

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 4000)
    >>> labels = rng.random(4000) < scores
    >>> calibrator = lwcal.Platt().fit(scores[:2000], labels[:2000])
    >>> monitor(calibrator, scores[2000:], labels[2000:]).verdict
    'no drift'
    >>> monitor(calibrator, scores[2000:] ** 2).verdict  # scores alone do not call for a refit
    'check labels'
    >>> monitor(calibrator, scores[2000:] ** 2, labels[2000:]).verdict
    'refit'

    Of several classes, the one that changed is named:

    >>> scores = rng.dirichlet([0.5, 0.5, 0.5], 2000)
    >>> labels = (rng.random((2000, 1)) > scores.cumsum(axis=1)).sum(axis=1)
    >>> calibrator = lwcal.Temperature().fit(scores[:1000], labels[:1000])
    >>> swapped = np.array([0, 2, 1])[labels[1000:]]
    >>> found = monitor(calibrator, scores[1000:], swapped)
    >>> sorted(test.label for test in found.changed if test.label is not None)
    [1, 2]
    """
    if isinstance(calibrator, ClassCalibrator) and hasattr(calibrator, "classes_"):
        if calibrator.n_classes_ > 2:
            return _of_several_classes(calibrator, scores, y, sample_weight, pos_label, scale)
        if is_matrix(scores):
            return _of_two_columns(calibrator, scores, y, sample_weight, pos_label, scale)
    return monitor_two_classes(
        calibrator, scores, y, sample_weight, pos_label=pos_label, scale=scale
    )


def monitor_two_classes(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    scale: str | None = None,
) -> Monitoring:
    """Compare new scores of the positive class; see :func:`monitor`."""
    calibrator.require_two_classes()
    reference: Reference = reference_of(calibrator)
    if isinstance(scores, ScoreTable):
        new = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
        return _with_labels(reference, new, calibrator)
    known = calibrator.scale_of(scale)
    if y is None:
        return _without_labels(reference, calibrator, *_rows(scores, sample_weight, known))
    positive = calibrator.pos_label if pos_label is None else pos_label
    new = as_table(scores, y, sample_weight, pos_label=positive, scale=known)
    return _with_labels(reference, new, calibrator)


def _of_several_classes(
    calibrator: ClassCalibrator,
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
    scale: str | None,
) -> ClassMonitoring:
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        got = "a ScoreTable of two" if isinstance(scores, ScoreTable) else "scores of one class"
        raise InputError(
            f"The calibrator has {calibrator.n_classes_:,} classes, got {got}. Pass the "
            "probabilities of all classes, of shape (n, K)."
        )
    rows = _class_rows(calibrator, scores, y, sample_weight, pos_label, scale)
    return monitor_classes(calibrator, reference_of(calibrator), rows)


def _of_two_columns(
    calibrator: ClassCalibrator,
    scores: ArrayLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
    scale: str | None,
) -> Monitoring:
    """Compare the scores of the second class, to which the calibrator was fitted."""
    rows = _class_rows(calibrator, scores, y, sample_weight, pos_label, scale)
    return monitor_two_classes(
        calibrator, rows.scores[:, 1], rows.labels, rows.weights, pos_label=1, scale=PROBABILITY
    )


def _class_rows(
    calibrator: ClassCalibrator,
    scores: ArrayLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
    scale: str | None,
) -> NewRows:
    refuse_scale(scale)
    if pos_label is not None:
        expected = "no pos_label with probabilities of all classes"
        raise ParameterError(message(expected, f"{pos_label!r}"))
    return new_rows(calibrator, scores, y, sample_weight)


def _rows(
    scores: ArrayLike, sample_weight: ArrayLike | None, scale: str
) -> tuple[FloatArray, FloatArray]:
    checked = as_scores(scores, scale=scale)
    if sample_weight is None:
        return checked, np.ones(len(checked))
    return checked, as_weights(sample_weight, len(checked))


def _without_labels(
    reference: Reference, calibrator: Calibrator, scores: FloatArray, weight: FloatArray
) -> Monitoring:
    fitted = reference.table()
    after = reference.counts(scores, weight)
    tests = {"scores": compare_scores(fitted.negatives + fitted.positives, after)}
    total = float(weight.sum())
    new = Snapshot(int(total) if total.is_integer() else total, None, None, None, None)
    before = _snapshot(fitted, _disagreement_at_fit(fitted, calibrator), calibrator, None)
    return Monitoring(before, new, judge(tests))


def _with_labels(reference: Reference, new: ScoreTable, calibrator: Calibrator) -> Monitoring:
    fitted = reference.table()
    before = Labels(fitted.negatives, fitted.positives)
    after = Labels(
        reference.counts(new.scores, new.negatives), reference.counts(new.scores, new.positives)
    )
    d_fitted = _disagreement_at_fit(fitted, calibrator)
    d_new = new.disagreement(calibrator.threshold)
    tests = {
        "scores": compare_scores(before.weight, after.weight),
        "disagreement": compare_shares((d_fitted * fitted.n, d_new * new.n), (fitted.n, new.n)),
        "labels": compare_labels(before, after, change=change_of_labels(3)),
    }
    gated = isinstance(calibrator, GatedLWCal)
    return Monitoring(
        _snapshot(fitted, d_fitted, calibrator, _error(fitted, calibrator)),
        _snapshot(new, d_new, calibrator, _error(pool_by_logit(new), calibrator)),
        judge(tests, gated=gated, enough_rows=new.n >= fitted.n),
    )


def _disagreement_at_fit(fitted: ScoreTable, calibrator: Calibrator) -> float:
    """Return the share of contradicting labels among the rows of the fit.

    LWCal measured it during its fit, before any change of the base rate. The bins of a reference
    give it exactly for the default threshold, which all other calibrators have.
    """
    measured = None if calibrator.adjustments_ else calibrator.diagnostics_.get("d")
    return fitted.disagreement(calibrator.threshold) if measured is None else measured


def _snapshot(
    table: ScoreTable, d: float, calibrator: Calibrator, ece: Estimate | None
) -> Snapshot:
    return Snapshot(table.n, table.base_rate, d, calibrator.gate(d), ece)


def _error(table: ScoreTable, calibrator: Calibrator) -> Estimate:
    """Estimate the ECE of the calibrated probabilities against the labels as they are.

    What sampling is expected to add is subtracted.
    """
    calibrated = calibrator.map_(table.scores)
    judged = ScoreTable.from_counts(calibrated, table.negatives, table.positives)
    return estimates(judged, AS_LABELLED, {"": binned_error(judged, N_BINS)}, RESAMPLING)[""]
