"""Compare new rows of several classes with the histograms that a fitted calibrator keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators.class_base import ClassCalibrator, in_order
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import mean_estimate, top_label_estimate
from lwcal.metrics.resampling import Resampling
from lwcal.monitoring.class_permutation import with_confirmed_p
from lwcal.monitoring.class_verdict import (
    ClassMonitoring,
    ClassSnapshot,
    Compared,
    judge_classes,
    labels_changed,
)
from lwcal.monitoring.grading import change_of_labels
from lwcal.monitoring.label_tests import Labels, compare_labels
from lwcal.monitoring.permutation import Counted
from lwcal.monitoring.statistics import compare_scores, compare_shares
from lwcal.monitoring.telling import Telling, as_count, rows_needed
from lwcal.monitoring.verdict import CONFIDENCE
from lwcal.multiclass.class_reference import ClassReference, Judged
from lwcal.reference import Reference
from lwcal.rows import ArrayLike, as_weights, check_same_length
from lwcal.rows.class_labels import as_class_labels
from lwcal.rows.probabilities import as_class_scores
from lwcal.rows.values import as_column

LEAST_VARIANCE = 5.0
"""Variance of the number of labels in a group, as with at least five expected labels. Many classes
are rare in most groups, and single labels of them say nothing about the others."""
RESAMPLING = Resampling(CONFIDENCE, n_resamples=500, random_state=0)


class NewRows(NamedTuple):
    """New rows; labels are numbers of columns, or None."""

    scores: FloatArray
    weights: FloatArray
    labels: IndexArray | None


def new_rows(
    calibrator: ClassCalibrator,
    scores: ArrayLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> NewRows:
    """Check new rows, and bring the columns into the order of the classes of a calibrator."""
    found = as_class_scores(scores, n_classes=calibrator.n_classes_)
    values = in_order(found, calibrator.classes_)
    n, k = values.shape
    weights = np.ones(n) if sample_weight is None else as_weights(sample_weight, n)
    if y is None:
        return NewRows(values, weights, None)
    column = as_column(y, "y")
    check_same_length(n, len(column), "y")
    labels = as_class_labels(column, k, classes=calibrator.classes_.tolist())
    return NewRows(values, weights, labels.codes)


def monitor_classes(
    calibrator: ClassCalibrator, reference: ClassReference, rows: NewRows
) -> ClassMonitoring:
    """Compare checked rows with those of the fit."""
    looked_at = list(_comparisons(reference, rows, calibrator.classes_.tolist()))
    compared = with_confirmed_p(*zip(*looked_at, strict=True))
    enough_rows = rows.labels is not None and float(rows.weights.sum()) >= reference.n
    tests = judge_classes(compared, enough_rows=enough_rows)
    other_noise = calibrator.noise_ is not None and labels_changed(tests)
    noise_matrix = None if other_noise else calibrator.expected_noise_matrix
    return ClassMonitoring(
        tuple(calibrator.classes_.tolist()),
        _at_the_fit(reference, calibrator, labelled=rows.labels is not None),
        _now(rows, calibrator, noise_matrix),
        tests,
        _telling(reference, rows, compared),
    )


def _telling(reference: ClassReference, rows: NewRows, compared: list[Compared]) -> Telling:
    """Whether the labels could have shown that the highest score is right more or less often."""
    power = next(
        (one.found.power for one in compared if one.name == "labels" and one.label is None), None
    )
    before = Labels(reference.top.negatives, reference.top.positives)
    change = change_of_labels(len(compared) if rows.labels is not None else 1 + 2 * len(compared))
    labelled = 0.0 if rows.labels is None else float(rows.weights.sum())
    return Telling(as_count(labelled), power, rows_needed(before, change))


def _comparisons(
    reference: ClassReference, rows: NewRows, classes: list[Any]
) -> Iterator[tuple[Compared, Counted]]:
    """Every test, and what it looks at."""
    highest, top = rows.scores.max(axis=1), rows.scores.argmax(axis=1)
    looked_at: list[tuple[Any, Reference, FloatArray, Any]] = [
        (None, reference.top, highest, top),
        *(
            (label, histogram, rows.scores[:, column], column)
            for column, (label, histogram) in enumerate(
                zip(classes, reference.classes, strict=True)
            )
        ),
    ]
    change = change_of_labels(1 + 2 * len(looked_at))
    for label, histogram, scores, expected in looked_at:
        before = Labels(histogram.negatives, histogram.positives)
        after = histogram.counts(scores, rows.weights)
        unlabelled = Counted(before, after)
        yield Compared("scores", label, compare_scores(before.weight, after)), unlabelled
        if rows.labels is None:
            continue
        positives = histogram.counts(scores, rows.weights * (rows.labels == expected))
        # weights that are not whole numbers leave a rest in the last bits
        labels = Labels(np.maximum(after - positives, 0.0), positives)
        counted = Counted(before, after, labels, least_variance=LEAST_VARIANCE)
        if label is None:
            wrong = float(before.negatives.sum()), float(labels.negatives.sum())
            totals = float(before.weight.sum()), float(labels.weight.sum())
            contradicting = counted._replace(disagreeing=wrong)
            yield Compared("disagreement", None, compare_shares(wrong, totals)), contradicting
        found = compare_labels(before, labels, least_variance=LEAST_VARIANCE, change=change)
        yield Compared("labels", label, found), counted


def _at_the_fit(
    reference: ClassReference, calibrator: ClassCalibrator, *, labelled: bool
) -> ClassSnapshot:
    judged = reference.judged if labelled else None
    return ClassSnapshot(calibrator.n_, reference.shares, reference.d, *_estimates(judged))


def _now(
    rows: NewRows, calibrator: ClassCalibrator, noise_matrix: FloatArray | None
) -> ClassSnapshot:
    """Summarise the new rows; without a noise matrix, nothing is said of their true classes."""
    total = float(rows.weights.sum())
    n = as_count(total)
    if rows.labels is None:
        return ClassSnapshot(n, None, None, None, None)
    counts = np.bincount(rows.labels, rows.weights, minlength=calibrator.n_classes_)
    wrong = rows.weights[rows.labels != rows.scores.argmax(axis=1)].sum()
    judged = None
    if noise_matrix is not None:
        calibrated = calibrator.map_.apply_unchecked(rows.scores)
        judged = Judged.of(calibrated, rows.labels, rows.weights, noise_matrix)
    shares = tuple((counts / total).tolist())
    return ClassSnapshot(n, shares, float(wrong) / total, *_estimates(judged))


def _estimates(judged: Judged | None) -> tuple[Estimate | None, Estimate | None]:
    """Log loss and top-label error, with their intervals."""
    if judged is None:
        return None, None
    # a mean that is corrected for noise can be negative, and no log loss is
    nll = (max(end, 0.0) for end in mean_estimate(judged.nll, [judged.nll], RESAMPLING))
    return (
        Estimate(*nll),
        top_label_estimate(judged.top_label, [judged.top_label], RESAMPLING),
    )
