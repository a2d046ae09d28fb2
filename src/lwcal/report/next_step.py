"""What follows from the verdict, and what it does not cover."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from lwcal.adjustments import other_base_rate
from lwcal.diagnosis import Readings
from lwcal.diagnosis.class_readings import ClassReading, ClassReadings
from lwcal.diagnosis.wording import CHECK_WEIGHTED
from lwcal.report.formats import change, count, decimal
from lwcal.report.report_data import ReportData
from lwcal.report.summary import AnyReportData

SAME = 0.005
"""A map that changes no score by more than this counts as the raw score."""
OTHER_BASE_RATES = (
    "This calibrator was corrected for other base rates; judge it by rows that have them."
)
NAME_CHECKS = "Name the column of checked labels with --trusted (trusted=)."


class NextStep(NamedTuple):
    """What to do next, and the command that does it, if there is one."""

    text: str
    command: str = ""


def next_step(data: ReportData) -> NextStep:
    """Say what to do next."""
    return step_after(
        data, lacks_checks=_lacks_checks(data), changes_nothing=_changes_nothing(data)
    )


def step_after(data: AnyReportData, *, lacks_checks: bool, changes_nothing: bool) -> NextStep:
    """Say what follows from the verdict.

    Parameters
    ----------
    data : ReportData or ClassReportData
    lacks_checks : bool
        Whether the calibrator learnt from checks of these rows that the page does not know.
    changes_nothing : bool
        Whether the calibrator on the page keeps the raw score.
    """
    advised, how = data.diagnosis.recommendation, data.reproduction
    if lacks_checks and not advised.refuses_rows:
        return NextStep("Make this page again, with the labels that were checked.")
    if advised.action == "audit" and how.weight is not None:
        return NextStep(CHECK_WEIGHTED.format(advised.checks))
    if advised.action == "audit":
        serve = f"lwcal audit serve {how.rows_arguments} --budget {advised.checks}"
        return NextStep("Check labels in your browser. It shows neither label nor score.", serve)
    if advised.action == "check scores":
        return NextStep("Find the cause, then make this page again.")
    if advised.action == "keep raw":
        return NextStep(
            "Go on with the raw score. There is nothing to deploy."
            if changes_nothing
            else "Go on with the raw score. Do not deploy the calibrator on this page."
        )
    if data.reviews is not None:
        return NextStep(
            f"Decide between {advised.calibrator}, which the verdict is about, and this "
            "calibrator, which also knows the opinions."
        )
    if data.method != advised.calibrator:
        return NextStep(
            f"Fit {advised.calibrator}, and make this page for it.",
            _fit(data, advised.calibrator),
        )
    doubt = other_rows(data)
    if doubt:
        return NextStep(
            f"Do not deploy by this page: the verdict is about a fit to these rows. {doubt}"
        )
    if _loses(data):
        return NextStep(
            f"Fit {advised.calibrator} to these rows, and make this page for it. The calibrator as "
            "it is raises log loss on them.",
            _fit(data, advised.calibrator),
        )
    if not how.calibrator_file:
        return NextStep(
            "Save the calibrator, and deploy the file.",
            'lwcal.save(calibrator, "calibrator.json")',
        )
    return NextStep(
        f"Deploy {how.calibrator_file}.",
        f"lwcal apply {how.calibrator_file} {how.new_rows_arguments} --out calibrated.csv",
    )


def other_rows(data: AnyReportData) -> str:
    """Say that the calibrator is for another base rate than these rows have; empty if it is not."""
    positives = data.diagnosis.readings.labels_right
    if isinstance(positives, ClassReading):
        return OTHER_BASE_RATES if data.adjustments else ""
    return other_base_rate(data.adjustments, positives.positives, data.n)


def _loses(data: AnyReportData) -> bool:
    """Whether this calibrator surely raises log loss, by the evidence that deploys a fit anew."""
    noisy, found = data.readings.noise_holds, data.readings.labels_right
    if noisy is not None and data.diagnosis.evidence != "labels":
        return noisy.gain.high < 0.0
    return found.gain.high < 0.0


def _fit(data: AnyReportData, method: str) -> str:
    rows, weight = data.reproduction.rows_arguments, data.reproduction.weight
    if method == "audited" and weight is None:
        return f"lwcal audit merge {rows} SHEET --out audited.json"
    chosen = "--trusted COLUMN" if method == "audited" else f"--method {method}"
    weighted = "" if weight is None else f" {shlex.join(['--weight', weight])}"
    return f"lwcal fit {rows}{weighted} {chosen} --out {method}.json"


def remarks(data: ReportData) -> list[str]:
    """Return remarks on what the verdict does not cover: other calibrators and trusted counts."""
    found = (
        other_calibrator(data, changes_nothing=_changes_nothing(data)),
        other_fit(data),
        _absent_checks(data),
        absent_opinions(data),
        _trusted_counts(data),
    )
    return [remark for remark in found if remark]


def other_calibrator(data: AnyReportData, *, changes_nothing: bool) -> str:
    """Say that the verdict is about another calibrator; empty if it is not."""
    advised = data.diagnosis.recommendation.calibrator
    if data.diagnosis.recommendation.refuses_rows:  # the verdict is about the rows
        return ""
    if data.method == advised or (advised == "identity" and changes_nothing):
        return ""
    name = "the raw score" if advised == "identity" else advised
    return (
        f"The verdict is about {name}; the calibrator on this page is {data.method}. The numbers "
        f"below are those of {data.method}."
    )


def other_fit(data: AnyReportData) -> str:
    """Explain why the table does not repeat the numbers of the verdict; empty if it does."""
    advised = data.diagnosis.recommendation
    if advised.refuses_rows or data.method != advised.calibrator:
        return ""
    if _changes(data.readings) == _changes(data.diagnosis.readings):
        return ""
    return (
        f"The verdict judges {data.method} fitted anew to these rows. The numbers below are those "
        "of the calibrator as it is."
    )


def _changes(readings: Readings | ClassReadings) -> list[str]:
    both = (readings.labels_right, readings.noise_holds)
    return [change(reading.gain.value) for reading in both if reading is not None]


def _changes_nothing(data: ReportData) -> bool:
    curve = data.map_curve
    return bool(abs(curve.probabilities - curve.scores).max() < SAME)


def _lacks_checks(data: ReportData) -> bool:
    """Whether the calibrator learnt from checks of these rows, and the page does not know them."""
    return bool(data.fitted_checks and data.fitted_here and data.audit is None)


def _absent_checks(data: ReportData) -> str:
    if not _lacks_checks(data):
        return ""
    return absent_checks(data.fitted_checks)


def absent_checks(checks: float) -> str:
    """Say that the calibrator knows more than the page."""
    return (
        f"The calibrator learnt from {count(checks)} checked labels, which this page was not given."
        f" So the verdict rests on unchecked labels alone. {NAME_CHECKS}"
    )


def absent_opinions(data: AnyReportData) -> str:
    """Say that the calibrator knows more opinions than the page; empty if it does not."""
    if data.reviews is None:
        return ""
    reviewers = data.reviews.reviewers
    given = count(round(sum(one.labels for one in reviewers)))
    return (
        f"The calibrator learnt from {given} labels of {len(reviewers):,} reviewers. This page was "
        "given one label a row, so the verdict cannot use the others. If these are the rows of the "
        "fit, the numbers below can flatter the calibrator."
    )


def _trusted_counts(data: ReportData) -> str:
    """Say that the verdict cannot use trusted labels that came as counts."""
    trusted = next((view for view in data.views if view.key == "trusted"), None)
    if trusted is None or data.audit is not None:
        return ""
    nll = trusted.qualities[0]
    return (
        "The verdict cannot use the trusted labels: they are counts, which do not say which rows "
        f"were checked. On the {count(trusted.n)} rows that have one, log loss is "
        f"{decimal(nll.before)} before and {decimal(nll.after)} after calibration."
    )
