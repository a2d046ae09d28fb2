"""Compute everything that the report on a calibrator of several classes shows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.artifact.document import to_document
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.calibrators.class_base import in_order
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis, diagnose_classes
from lwcal.errors import InputError, ParameterError, message
from lwcal.metrics.several_classes import JudgedRows
from lwcal.multiclass.checked_classes import AuditedClasses, CheckedClasses, read_checked_columns
from lwcal.multiclass.class_posterior import MOST_ROWS
from lwcal.multiclass.class_rows import ClassRows, required
from lwcal.multiclass.matrix_draws import noise_matrices
from lwcal.report.class_page_readings import can_refit, read_class_page, was_fitted_to_rows
from lwcal.report.class_report_data import ClassReportData, ClassView, FittedNumbers, TopHistograms
from lwcal.report.class_views import BothRows, corrected_view, labelled_view, trusted_view
from lwcal.report.histograms import BINS
from lwcal.report.label_views import CONFIDENCE
from lwcal.report.next_step import SAME
from lwcal.report.report_data import AuditCounts, Reproduction
from lwcal.report.reproduction import of_class_rows
from lwcal.report.reviewer_section import reviews_of
from lwcal.report.rows import class_text
from lwcal.rows import ArrayLike
from lwcal.rows.classes import class_key
from lwcal.rows.probabilities import as_class_scores, is_matrix
from lwcal.score_map import as_class_score_map
from lwcal.table import ScoreTable

MOST_NAMED = 5
"""Classes that a message lists."""


def build_classes(
    calibrator: ClassCalibrator,
    audited: AuditedClasses,
    *,
    title: str,
    created: datetime | None,
    reproduction: Reproduction | None,
) -> ClassReportData:
    """Compute everything that the page shows; see :func:`lwcal.report.build`."""
    fitted, rows = _fitted_numbers(calibrator), audited.everything
    diagnosis = diagnose_classes(rows, audited, calibrator=calibrator, confidence=CONFIDENCE)
    fitted_here = was_fitted_to_rows(calibrator, rows)
    names = tuple(class_text(label) for label in rows.classes)
    both = _before_and_after(calibrator, rows)
    moved = np.abs(both.after.probabilities - both.before.probabilities).max()
    changes_nothing = bool(moved < SAME)
    # the raw score cannot be flattered by the rows of its own fit
    refits = fitted_here and not changes_nothing and can_refit(calibrator, diagnosis)
    return ClassReportData(
        title=title,
        names=names,
        n=rows.n,
        sampled_from=rows.sampled_from,
        fitted=fitted,
        fitted_here=fitted_here,
        refitted=refits,
        changes_nothing=changes_nothing,
        diagnosis=diagnosis,
        readings=read_class_page(calibrator, rows, diagnosis, refits=refits),
        audit=AuditCounts(round(audited.checked.n), round(audited.checked.wrong))
        if audited.checked.n
        else None,
        views=_views(calibrator, audited, names, diagnosis),
        histograms=TopHistograms(*(_histogram(side) for side in both)),
        reproduction=reproduction or of_class_rows(calibrator, rows, created),
        reviews=reviews_of(calibrator),
        adjustments=calibrator.adjustments_,
    )


def rows_of_classes(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable | ClassRows,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    trusted: ArrayLike | ScoreTable | None = None,
    audit_probability: ArrayLike | None = None,
) -> AuditedClasses:
    """Check rows, and that they have the classes of the calibrator.

    Columns of a frame are found by the names of the classes, if they have them.
    """
    classes = as_class_score_map(calibrator).classes
    if isinstance(scores, ClassRows):
        columns = (y, sample_weight, trusted, audit_probability)
        if any(column is not None for column in columns):
            raise InputError(
                "Columns were passed together with ClassRows, which hold labels and weights, and "
                "no single rows. Omit them, or pass the rows."
            )
        _require_classes(classes, scores.classes)
        return AuditedClasses(scores, CheckedClasses.nothing(len(classes)), scores)
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        got = "a ScoreTable" if isinstance(scores, ScoreTable) else "one column"
        expected = f"a column of scores for each of the {len(classes):,} classes"
        raise InputError(message(expected, got, "pass an array of shape (n, K), or ClassRows"))
    if isinstance(trusted, ScoreTable):
        raise InputError(message("a column of trusted labels", "a ScoreTable, of two classes"))
    found = as_class_scores(scores, n_classes=len(classes))
    ordered = in_order(found, classes)
    return read_checked_columns(
        # the same bits as in a fit: these were divided by their sums already
        scores if np.array_equal(ordered, found.values) else ordered,
        required(y),
        sample_weight,
        y_audited=trusted,
        audit_probability=audit_probability,
        classes=classes,
        audited_name="trusted",
    ).divided()


def refuse_options(calibrator: ClassCalibrator, options: dict[str, Any]) -> None:
    """Refuse options that only the report on two classes has."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise ParameterError(
            f"{given[0]} is an option of reports on two classes; this calibrator has "
            f"{calibrator.n_classes_:,}. Omit it."
        )


def _require_classes(expected: tuple[Any, ...], got: tuple[Any, ...]) -> None:
    if [class_key(label) for label in expected] != [class_key(label) for label in got]:
        raise InputError(
            message(
                f"rows of the calibrator's {len(expected):,} classes ({_listed(expected)})",
                f"{len(got):,} classes ({_listed(got)})",
                "name the classes of the columns in the order of the calibrator",
            )
        )


def _listed(classes: tuple[Any, ...]) -> str:
    shown = ", ".join(map(repr, classes[:MOST_NAMED]))
    return f"{shown}, ..." if len(classes) > MOST_NAMED else shown


def _fitted_numbers(calibrator: ClassCalibrator) -> FittedNumbers:
    noise = getattr(calibrator, "noise_", None)
    return FittedNumbers(
        to_document(calibrator)["method"],
        calibrator.n_,
        calibrator.sampled_from_,
        calibrator.diagnostics_,
        calibrator.diagnostic_meanings,
        {} if noise is None else noise.hypotheses,
    )


def _before_and_after(calibrator: ClassCalibrator, given: ClassRows) -> BothRows:
    before = JudgedRows(given.labels, given.scores, given.weights, given.classes)
    mapped = calibrator.class_score_map().apply_unchecked(given.scores)
    return BothRows(before, before._replace(probabilities=mapped))


def _views(
    calibrator: ClassCalibrator,
    audited: AuditedClasses,
    names: tuple[str, ...],
    diagnosis: ClassDiagnosis,
) -> tuple[ClassView, ...]:
    """Judge by the labels as they are first. A matrix that is not identified corrects nothing."""
    rows, checked = audited.everything, audited.checked
    found = [labelled_view(_before_and_after(calibrator, rows), names)]
    if diagnosis.noise.identified and not diagnosis.recommendation.refuses_rows:
        plausible = noise_matrices(diagnosis.posterior)
        if plausible:
            used = _before_and_after(calibrator, rows.sample(MOST_ROWS))
            inverses = diagnosis.plausible_noise
            found.append(corrected_view(used, names, diagnosis.noise, plausible, inverses))
    if checked.n:
        truths = ClassRows(checked.scores, checked.truths, checked.weights, rows.classes)
        found.append(trusted_view(_before_and_after(calibrator, truths), names))
    return tuple(found)


def _histogram(side: JudgedRows) -> FloatArray:
    highest = side.probabilities.max(axis=1)
    counts, _ = np.histogram(highest, BINS, range=(0.0, 1.0), weights=side.weights)
    return np.asarray(counts, dtype=np.float64)
