"""Fit to the checked labels of two classes, and print what they show: before and after."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from lwcal.audit import (
    AuditedClassEvaluation,
    AuditedEvaluation,
    AuditEstimates,
)
from lwcal.audit.audit_estimates import estimate_from_checked_column
from lwcal.audit.combined_answers import CombinedAnswers
from lwcal.audit.difference_estimator import FEWEST
from lwcal.audit.evaluation import evaluate_audited_column
from lwcal.audit.source import AuditSource
from lwcal.calibrators import Audited
from lwcal.cli.audit.merged import Merged
from lwcal.cli.console import share_with_interval
from lwcal.cli.reading import CheckedRows
from lwcal.cli.verdict import print_verdict
from lwcal.diagnosis import Recommendation
from lwcal.diagnosis.column_diagnosis import diagnose_column
from lwcal.estimates import Estimate, whole_percent
from lwcal.noise.estimate import UNKNOWN, NoiseEstimate, RateEstimate, estimate_table
from lwcal.rows.scales import PROBABILITY
from lwcal.table import as_table


def merge_two(rows: CheckedRows, source: AuditSource, audit: CombinedAnswers) -> Merged:
    """Fit to the labels and the answers of two classes, and judge the result."""
    columns = (source.scores, source.labels)
    checks: dict[str, Any] = {"y_audited": audit.y_audited, "audit_probability": audit.probability}
    findings = estimate_from_checked_column(*columns, **checks)
    calibrator = Audited().fit(*columns, **checks)
    # the scores were converted when they were read; new ones are read on the same scale
    calibrator.scale_ = rows.scale
    judged = (
        evaluate_audited_column(calibrator, *columns, **checks, scale=PROBABILITY)
        if findings.checked >= FEWEST
        else None
    )
    diagnosis = diagnose_column(*columns, **checks, methods=(), scale=PROBABILITY)
    calibrator.set_params(pos_label=rows.named)  # so that it need not be named again
    verdict = diagnosis.recommendation

    def show(console: Console) -> None:
        print_findings(console, source, audit, findings, judged, verdict)
        console.print(f"Positive class: {source.class_names.positive}.", markup=False)
        console.print(f"Score scale: {rows.scale}.")

    document = {
        "findings": findings.to_dict(),
        "judged": None if judged is None else judged.to_dict(),
    }
    return Merged(calibrator, verdict, document, show)


def print_findings(
    console: Console,
    source: AuditSource,
    audit: CombinedAnswers,
    findings: AuditEstimates,
    judged: AuditedEvaluation | None,
    recommendation: Recommendation,
) -> None:
    """Print the verdict, how many labels were checked, what changed, and whether more would pay."""
    before = estimate_table(as_table(source.scores, source.labels))
    print_verdict(console, recommendation)
    console.print(f"{findings.sentence}\n")
    console.print(_table(before, findings))
    if judged is not None:
        console.print(by_checked_rows(judged))
    console.print(f"Labels checked: {findings.checked:,}; wrong among them: {findings.wrong:,}.")
    for sentence in scaling(audit):
        console.print(sentence)


def by_checked_rows(judged: AuditedEvaluation | AuditedClassEvaluation) -> str:
    """What the checked rows say without any model; the verdict uses all rows."""
    raw, calibrated = judged.raw, judged.calibrated
    return (
        "By the checked rows alone, cross-fitted: log loss "
        f"{raw.nll.value:.3f} raw, {calibrated.nll.value:.3f} calibrated, a change of "
        f"{_decimal(judged.nll_less_raw)}; Brier score {raw.brier.value:.3f} raw, "
        f"{calibrated.brier.value:.3f} calibrated. The verdict uses all rows, and a model of noise."
    )


def scaling(audit: CombinedAnswers) -> list[str]:
    """Explain how an incomplete plan counts."""
    sentences = []
    for plan, answered, passed_over in audit.progress:
        if answered < plan.rows:
            sentences.append(
                f"{answered:,} of {plan.rows:,} planned rows were answered; their probabilities "
                f"are scaled by {answered / plan.rows:.0%}."
            )
        if passed_over:
            sentences.append(
                f"{passed_over:,} planned {'row was' if passed_over == 1 else 'rows were'} "
                "skipped. If they were the hard ones, the answered rows are not a fair sample."
            )
    return sentences


def _table(before: NoiseEstimate, after: AuditEstimates) -> Table:
    shown = Table(
        "", box=None, caption="90% intervals; before: from the noisy labels and the raw score"
    )
    shown.add_column("before", justify="right")
    shown.add_column("after", justify="right")
    shown.add_row("wrong labels", "", share_with_interval(after.wrong_share))
    shown.add_row(
        "true negatives labelled positive",
        _rate(before.negative),
        share_with_interval(after.negative),
    )
    shown.add_row(
        "true positives labelled negative",
        _rate(before.positive),
        share_with_interval(after.positive),
    )
    shown.add_row(
        "calibration error (ECE)", _decimal(after.ece_raw), _decimal(after.ece_calibrated)
    )
    return shown


def _rate(rate: RateEstimate) -> str:
    if rate == UNKNOWN:
        return "noise does not fit"
    value = "too few clear cases" if rate.value is None else whole_percent(rate.value)
    return f"{value} \\[{whole_percent(rate.low)}, {whole_percent(rate.high)}]"


def _decimal(found: Estimate) -> str:
    return f"{found.value:.3f} \\[{found.low:.3f}, {found.high:.3f}]"
