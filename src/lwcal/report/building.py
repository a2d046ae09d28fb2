"""Compute everything that the report shows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from lwcal.artifact.document import to_document
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.calibrators.audited import NOTHING
from lwcal.calibrators.passed import require_calibrator
from lwcal.decisions import Policy
from lwcal.diagnosis import Diagnosis
from lwcal.diagnosis.column_diagnosis import diagnose_counts
from lwcal.errors import InputError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.report import histograms, label_views
from lwcal.report.class_build import build_classes, refuse_options, rows_of_classes
from lwcal.report.class_report_data import ClassReportData
from lwcal.report.page_readings import read_page, was_fitted_to
from lwcal.report.report_data import (
    AuditCounts,
    LabelView,
    ReportData,
    Reproduction,
    Suspect,
    knows_noise,
)
from lwcal.report.reproduction import of_rows, of_table
from lwcal.report.reviewer_section import reviews_of
from lwcal.report.rows import Audit, Rows, check_rows, class_text, find_audit
from lwcal.report.segment_table import segment_table
from lwcal.report.suspects import most_suspicious
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable, as_table

EXACT = 20_000
"""A table with more distinct scores is pooled before intervals are drawn from it."""
TITLE = "Calibration report"


def build(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable | ClassRows,
    y: ArrayLike | None = None,
    *,
    trusted: ArrayLike | ScoreTable | None = None,
    audit_probability: ArrayLike | None = None,
    identities: ArrayLike | None = None,
    identity_name: str = "row",
    segments: ArrayLike | None = None,
    segment_name: str = "segment",
    policy: Policy | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    positive_class: str | None = None,
    scale: str | None = None,
    title: str = TITLE,
    created: datetime | None = None,
    reproduction: Reproduction | None = None,
) -> ReportData | ClassReportData:
    """Compute everything that the report shows.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted, to these rows or to others.
    scores : one-dimensional, in [0, 1]; or of shape (n, K); or ScoreTable; or ClassRows
        Scores of a model on rows it was not trained on: of the positive class, or of all classes
        of the calibrator. A :class:`lwcal.ScoreTable` also holds their labels and weights, and is
        passed in their place. It holds no single rows, so the report then lists no labels to
        check. :class:`lwcal.ClassRows` do the same for all classes.
    y : one-dimensional
        Labels of the same rows, some of them possibly wrong. Omitted for a ScoreTable and for
        ClassRows.
    trusted : one-dimensional, or ScoreTable, optional
        Checked labels of the same two classes, missing where no label was checked. The verdict,
        both readings, the noise estimate and the list of labels to check then rest on them. Or a
        table of the rows whose labels were checked: it adds a view of reliability, but the verdict
        cannot use it, because counts do not say which rows were checked.
    audit_probability : one-dimensional, optional
        Probability with which each checked row was chosen, as in :class:`lwcal.Audited`. Only with
        a column of trusted labels.
    identities : one-dimensional, optional
        Names of the rows; by default their numbers, counted from 0.
    identity_name : str, default "row"
        Name of that column.
    segments : one-dimensional, or a frame or array of several columns, optional
        Segment of each row, such as its country, or country and product. The report then says in
        which the calibrator holds.
    segment_name : str, default "segment"
        Name of that column.
    policy : Policy, optional
        Thresholds by costs and rows to review, from :func:`lwcal.decide`, to be shown.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.
    pos_label : optional
        The positive class; that of the calibrator by default.
    positive_class : str, optional
        Name of the positive class on the page; by default as it stands in the labels. A ScoreTable
        does not know it.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; that of the calibrator by default. Omitted with a ScoreTable, which
        holds probabilities.
    title : str, default "Calibration report"
    created : datetime, optional
        Date of the report; now by default. Everything else depends on the input alone.
    reproduction : Reproduction, optional
        Command and fingerprints of the inputs; by default those of this call.

    Returns
    -------
    ReportData or ClassReportData
        The latter for calibrators of more than two classes. For them, ``identities``,
        ``segments``, ``policy``, ``pos_label``, ``positive_class`` and ``scale`` are refused.

    Examples
    --------
    >>> import lwcal
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> labels = rng.random(2000) < scores
    >>> data = build(lwcal.Auto().fit(scores, labels), scores, labels)
    >>> data.method, data.diagnosis.recommendation.action, data.n
    ('auto', 'keep raw', 2000)
    """
    require_calibrator(calibrator)
    if isinstance(calibrator, ClassCalibrator) and calibrator.n_classes_ > 2:
        of_two_classes = {
            "identities": identities,
            "segments": segments,
            "policy": policy,
            "pos_label": pos_label,
            "positive_class": positive_class,
            "scale": scale,
        }
        refuse_options(calibrator, of_two_classes)
        return build_classes(
            calibrator,
            rows_of_classes(calibrator, scores, y, sample_weight, trusted, audit_probability),
            title=title,
            created=created,
            reproduction=reproduction,
        )
    if isinstance(scores, ClassRows) or (hasattr(calibrator, "classes_") and is_matrix(scores)):
        both = rows_of_classes(calibrator, scores, y, sample_weight).everything
        scores, y, sample_weight = both.two_class_table(), None, None
        positive_class = positive_class or class_text(both.classes[1])
    calibrator.require_two_classes()
    method = to_document(calibrator)["method"]
    positive = calibrator.pos_label if pos_label is None else pos_label
    if isinstance(scores, ScoreTable):
        rows, table = None, as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
        _refuse_identities(identities)
    else:
        known = calibrator.scale_of(scale)
        rows = check_rows(scores, y, sample_weight, identities, positive, known)
        table = rows.table()
        positive_class = positive_class or rows.positive_class
    audit, checked = _checks(trusted, rows, positive)
    _refuse_chances(audit_probability, audit)
    by_segment = segment_table(calibrator, rows, segments, segment_name)
    diagnosis = _diagnosis(calibrator, table, rows, audit, audit_probability)
    fitted_here = was_fitted_to(calibrator, table)
    return ReportData(
        title=title,
        method=method,
        positive_class=positive_class,
        n=table.n,
        fitted_rows=calibrator.n_,
        fitted_here=fitted_here,
        fitted_checks=round(calibrator.diagnostics_.get("audited", 0)),
        identity_name=identity_name,
        diagnosis=diagnosis,
        readings=read_page(calibrator, table, diagnosis, fitted_here=fitted_here),
        audit=None
        if audit is None or rows is None
        else AuditCounts(len(audit.truths), audit.wrong(rows)),
        views=_views(table, checked, calibrator, diagnosis),
        map_curve=histograms.map_curve(calibrator),
        histograms=histograms.histograms(table, calibrator),
        thresholds=histograms.thresholds(table, calibrator),
        weights=histograms.weight_histogram(table, calibrator),
        suspects=None if rows is None else _suspects(diagnosis, calibrator, rows, audit),
        reproduction=reproduction or _fingerprints(calibrator, rows, table, created),
        reviews=reviews_of(calibrator),
        adjustments=calibrator.adjustments_,
        segments=by_segment,
        policy=policy,
    )


def _diagnosis(
    calibrator: Calibrator,
    table: ScoreTable,
    rows: Rows | None,
    audit: Audit | None,
    chances: ArrayLike | None,
) -> Diagnosis:
    checked = NOTHING
    if rows is not None and audit is not None:
        table, checked = audit.split(rows, chances)
    return diagnose_counts(table, checked, calibrator=calibrator, confidence=label_views.CONFIDENCE)


def _suspects(
    diagnosis: Diagnosis, calibrator: Calibrator, rows: Rows, audit: Audit | None
) -> tuple[Suspect, ...]:
    posterior = diagnosis.posterior if knows_noise(diagnosis) else None
    return most_suspicious(posterior, calibrator, rows, None if audit is None else audit.checked)


def _views(
    table: ScoreTable, checked: ScoreTable | None, calibrator: Calibrator, diagnosis: Diagnosis
) -> tuple[LabelView, ...]:
    """Judge by the labels as they are first. Without known noise there is nothing to correct."""
    small = table if len(table) <= EXACT else pool_by_logit(table)
    found = [label_views.labelled_view(table, calibrator)]
    if knows_noise(diagnosis):
        rates = diagnosis.noise.rates_posterior
        found.append(label_views.corrected_view(small, calibrator, rates))
    if checked is not None:
        found.append(label_views.trusted_view(checked, calibrator))
    return tuple(found)


def _refuse_identities(identities: ArrayLike | None) -> None:
    if identities is not None:
        raise InputError(
            "identities was passed together with a ScoreTable, which holds no single rows. "
            "Omit identities, or pass the rows."
        )


def _refuse_chances(chances: ArrayLike | None, audit: Audit | None) -> None:
    if chances is not None and audit is None:
        raise InputError(
            "audit_probability was passed without a column of trusted labels, which it describes. "
            "Pass trusted as a column, or omit audit_probability."
        )


def _checks(
    trusted: ArrayLike | ScoreTable | None, rows: Rows | None, pos_label: Any
) -> tuple[Audit | None, ScoreTable | None]:
    """Return the checked rows, if they are known, and the counts of their true labels."""
    if trusted is None or isinstance(trusted, ScoreTable):
        return None, trusted
    if rows is None:
        raise InputError(
            "trusted is a column, but the rows came as a ScoreTable. Pass the rows with a "
            "trusted label as a ScoreTable too."
        )
    audit = find_audit(rows, trusted, pos_label)
    return audit, audit.table(rows)


def _fingerprints(
    calibrator: Calibrator, rows: Rows | None, table: ScoreTable, created: datetime | None
) -> Reproduction:
    if rows is None:
        return of_table(calibrator, table, created)
    return of_rows(calibrator, rows.scores, rows.labels, created)
