"""Compare new rows with the histogram that a fitted calibrator keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.calibrators.base import reference_of
from lwcal.calibrators.passed import require_calibrator
from lwcal.errors import ParameterError, message
from lwcal.monitoring.class_comparison import NewRows, monitor_classes, new_rows
from lwcal.monitoring.class_verdict import ClassMonitoring
from lwcal.monitoring.new_tables import NewTables, compare_tables
from lwcal.monitoring.verdict import Monitoring
from lwcal.multiclass.class_rows import refuse_one_column, refuse_scale
from lwcal.reference import Reference
from lwcal.rows import ArrayLike, as_scores, as_weights
from lwcal.rows.probabilities import is_matrix
from lwcal.rows.scales import PROBABILITY
from lwcal.table import ScoreTable, as_table


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
       Hosmer and Lemeshow; the effect is the root mean square change, and the odds ratio, which
       tells more where positives are rare.

    With more than two classes, the first and the last are made for the highest score of every row
    (is its class the label?) and for the scores of each class (against the rest).

    With few rows or labels, small p-values are those of a permutation test: chi-square would be
    wrong there. Of two classes they are at least 0.001. Of more, only those that could raise an
    alarm are computed again, until five are confirmed. (With fractional weights, chi-square is used
    nevertheless.)
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
        Frequencies: a row of weight 2 counts as two equal rows. With sampling weights, the tests
        are too sure.
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
    require_calibrator(calibrator)
    calibrator.require_two_classes()
    reference: Reference = reference_of(calibrator)
    if isinstance(scores, ScoreTable):
        new = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
        return compare_tables(reference, calibrator, NewTables(new))
    known = calibrator.scale_of(scale)
    if y is None:
        unlabelled = _unlabelled(*_rows(scores, sample_weight, known))
        return compare_tables(reference, calibrator, NewTables(None, unlabelled))
    positive = calibrator.pos_label if pos_label is None else pos_label
    new = as_table(scores, y, sample_weight, pos_label=positive, scale=known)
    return compare_tables(reference, calibrator, NewTables(new))


def _of_several_classes(
    calibrator: ClassCalibrator,
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
    scale: str | None,
) -> ClassMonitoring:
    refuse_one_column(calibrator.n_classes_, scores)
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


def _unlabelled(scores: FloatArray, weight: FloatArray) -> ScoreTable:
    """Rows without labels; weights of 0 leave rows out."""
    return ScoreTable.from_counts(scores, weight, np.zeros(len(scores)))
