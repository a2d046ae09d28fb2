"""Fit to the checked labels of several classes, and print what they show."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lwcal.audit import AuditedClassEvaluation
from lwcal.audit.class_estimates import ClassAuditEstimates, estimate_from_checked_classes
from lwcal.audit.class_evaluation import evaluate_checked_columns
from lwcal.audit.combined_answers import CombinedAnswers
from lwcal.audit.difference_estimator import FEWEST
from lwcal.calibrators import Audited
from lwcal.cli.audit.findings import by_checked_rows, scaling
from lwcal.cli.audit.merged import Merged
from lwcal.cli.class_reading import CheckedClassRows
from lwcal.cli.class_verdict import class_readings_table
from lwcal.cli.console import numbers_table, share_with_interval
from lwcal.cli.verdict import print_verdict
from lwcal.diagnosis import ClassDiagnosis
from lwcal.diagnosis.class_diagnosis import diagnose_classes
from lwcal.estimates import whole_percent
from lwcal.multiclass.checked_classes import read_checked_columns

MOST_PAIRS = 10
"""Pairs of classes that are listed."""


def merge_classes(rows: CheckedClassRows, audit: CombinedAnswers) -> Merged:
    """Fit to the labels and the answers of several classes, and judge the result."""
    labels = rows.classes_of(rows.labels)
    truths = np.full(len(labels), None, dtype=object)
    is_checked = ~np.isnan(audit.y_audited)
    truths[is_checked] = rows.classes_of(audit.y_audited[is_checked].astype(np.intp))
    classes = rows.names.classes
    findings = estimate_from_checked_classes(
        rows.scores, labels, truths, audit.probability, confidence=0.9, classes=classes
    )
    columns = read_checked_columns(
        rows.scores,
        labels,
        y_audited=truths,
        audit_probability=audit.probability,
        classes=classes,
    )
    audited = columns.divided()
    diagnosis = diagnose_classes(audited.everything, audited, methods=())
    calibrator = Audited().fit_checked_rows(audited)
    judged = None
    if findings.checked >= FEWEST:
        judged = evaluate_checked_columns(calibrator, columns)

    def show(console: Console) -> None:
        _print_findings(console, audit, findings, judged, diagnosis)

    document = {
        "findings": findings.to_dict(),
        "noise": diagnosis.noise.to_dict(),
        "judged": None if judged is None else judged.to_dict(),
    }
    return Merged(calibrator, diagnosis.recommendation, document, show)


def _print_findings(
    console: Console,
    audit: CombinedAnswers,
    findings: ClassAuditEstimates,
    judged: AuditedClassEvaluation | None,
    diagnosis: ClassDiagnosis,
) -> None:
    """Print the verdict, the share of wrong labels, and which classes are confused."""
    print_verdict(console, diagnosis.recommendation)
    wrong, low, high = map(whole_percent, findings.wrong_share)
    console.print(f"Wrong labels among all rows: {wrong} ({low} to {high}).\n")
    if not diagnosis.recommendation.refuses_rows:
        console.print(class_readings_table(diagnosis.readings, diagnosis.evidence))
        console.print()
    if findings.pairs:
        console.print(_pairs(findings))
        console.print()
    if judged is not None:
        console.print(by_checked_rows(judged))
    console.print(f"Labels checked: {findings.checked:,}; wrong among them: {findings.wrong:,}.")
    for sentence in scaling(audit):
        console.print(sentence)


def _pairs(findings: ClassAuditEstimates) -> Table:
    """Wrong labels among the checked rows, and what follows from them for all rows."""
    left = len(findings.pairs) - MOST_PAIRS
    caption = "90% intervals, from the checked rows alone"
    shown = numbers_table(
        "\ntrue class",
        "\nlabelled",
        "checked\nrows",
        "share of all rows\nof the true class",
        caption=caption if left <= 0 else f"{caption}; {left} more pairs: --json",
    )
    shown.columns[1].justify = "left"
    for pair in findings.pairs[:MOST_PAIRS]:
        classes = escape(str(pair.true)), escape(str(pair.label))
        rows = f"{pair.rows:,} of {pair.of:,}"
        shown.add_row(*classes, rows, share_with_interval(pair.share))
    return shown
