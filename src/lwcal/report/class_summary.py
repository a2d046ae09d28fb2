"""Words of the page of several classes: facts, both readings, next step, what is not known."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.estimates import whole_percent
from lwcal.multiclass.class_hypotheses import DEFAULT, FREE, ONE_RATE, SIMILAR
from lwcal.noise.hypotheses import CALIBRATED, KNOWN, NO_NOISE, OVERCONFIDENT
from lwcal.report.class_report_data import ClassReportData
from lwcal.report.class_views import MOST_PANELS
from lwcal.report.formats import bounded_percent, count, decimal, percent
from lwcal.report.next_step import (
    NextStep,
    absent_checks,
    absent_opinions,
    other_calibrator,
    other_fit,
    step_after,
)
from lwcal.report.report_data import AuditCounts
from lwcal.report.summary import (
    LEFT_OUT,
    LOG_LOSS,
    SECOND_READING,
    ReadingsTable,
    adjusted,
    error_cells,
    fitted_to,
    loss_cells,
)
from lwcal.report.wording import UNKNOWN, Fact

FEW_ROWS = 10
"""A class with fewer labels is not judged."""
MOST_NAMED = 6
UNREADABLE = (
    "Does not apply. Through the noise that these rows leave possible, labels would say next to "
    "nothing about the truth."
)
EXPLANATIONS = {
    NO_NOISE: "every label is right",
    CALIBRATED: "every label is right, and so are the raw scores",
    OVERCONFIDENT: "every label is right, and the model is too sure of itself",
    KNOWN: "the matrix that was given",
    ONE_RATE: "one rate of wrong labels, to any class",
    SIMILAR: "wrong labels go to similar classes",
    DEFAULT: "some labels are replaced by a default class, or by a few",
    FREE: "wrong labels go anywhere",
    f"{CALIBRATED}, {ONE_RATE}": "one rate of wrong labels, and the raw scores are right",
    f"{CALIBRATED}, {FREE}": "wrong labels go anywhere, and the raw scores are right",
}
"""Hypotheses in plain words, where their names are short."""
NOT_SETTLED = {
    "labels": "No label was checked. Which of the two readings is right, unchecked labels cannot "
    "say.",
    "known rates": "The noise matrix was given. These rows do not confirm it.",
    "checked labels": "Whether the checked rows are like the others: they are if they were drawn, "
    "and not picked.",
}
"""What stays open, by the evidence of the verdict."""


class ClassLine(NamedTuple):
    """One class in the table of classes."""

    name: str
    labelled: str
    raw: str
    calibrated: str
    true: str
    wrong: str
    interval: str


def facts(data: ClassReportData) -> list[Fact]:
    """Return the facts that a reader needs first."""
    readings, diagnosis = data.readings, data.diagnosis
    shares = diagnosis.label_shares
    most = max(range(len(shares)), key=shares.__getitem__)
    accuracy = diagnosis.ranking.accuracy
    sampled = f"a sample of {count(data.sampled_from)}" if data.sampled_from else ""
    checked = "" if data.audit is None else f"{count(data.audit.checked)} of them checked"
    changed = readings.changed / diagnosis.used
    return [
        Fact("Classes", f"{len(data.names):,}", _listed(data.names)),
        Fact("Most frequent label", percent(shares[most]), data.names[most]),
        Fact("Raw score agrees with label", percent(accuracy.value), "in its most probable class"),
        Fact("Most probable class changes", percent(changed), "of the rows"),
        Fact("Rows", count(data.n), sampled or checked),
        Fact("Calibrator", data.method, f"fitted to {fitted_to(data, data.fitted.n)}"),
        *adjusted(data),
        Fact("Date", data.reproduction.created[:10]),
    ]


def readings_table(data: ClassReportData) -> ReadingsTable | None:
    """Set both readings side by side; None if the rows cannot judge any map."""
    if data.diagnosis.recommendation.refuses_rows:
        return None
    right, noisy = data.readings.labels_right, data.readings.noise_holds
    both = [reading for reading in (right, noisy) if reading is not None]
    columns = [[*loss_cells(reading), *error_cells(reading)] for reading in both]
    names = (
        "Log loss, raw score",
        "Log loss, calibrated",
        "Change of log loss",
        "Wrong class, raw score",
        "Wrong class, calibrated",
    )
    return ReadingsTable(
        ("If every label is right", SECOND_READING[data.diagnosis.evidence]),
        [(name, list(cells)) for name, *cells in zip(names, *columns, strict=True)],
        "" if noisy is not None else UNREADABLE,
        [
            f"{LOG_LOSS} Intervals are {data.confidence:.0%} intervals. Wrong class: the most "
            "probable class is not the true one.",
            *([LEFT_OUT] if data.refitted else []),
        ],
    )


def next_step(data: ClassReportData) -> NextStep:
    """Say what to do next."""
    return step_after(data, lacks_checks=_lacks_checks(data), changes_nothing=data.changes_nothing)


def remarks(data: ClassReportData) -> list[str]:
    """Return remarks on what the verdict does not cover."""
    found = (
        other_calibrator(data, changes_nothing=data.changes_nothing),
        other_fit(data),
        absent_checks(data.fitted.checks) if _lacks_checks(data) else "",
        absent_opinions(data),
    )
    return [remark for remark in found if remark]


def _lacks_checks(data: ClassReportData) -> bool:
    """Whether the calibrator learnt from checks of these rows, and the page does not know them."""
    return bool(data.fitted.checks and data.fitted_here and data.audit is None)


def noise_sentence(data: ClassReportData) -> str:
    """Say how noisy the labels are."""
    if data.diagnosis.recommendation.refuses_rows:
        return UNKNOWN
    sentence = data.diagnosis.noise.sentence
    return sentence if data.audit is None else f"{_checks(data.audit)} {sentence}"


def _checks(audit: AuditCounts) -> str:
    return f"{count(audit.wrong)} of the {count(audit.checked)} checked labels were wrong."


def confused_pairs(data: ClassReportData) -> list[str]:
    """Name the pairs of classes where wrong labels pile up."""
    return [
        f"{whole_percent(pair.share)} of true {data.name_of(pair.true)} are labelled "
        f"{data.name_of(pair.label)} ({whole_percent(pair.low)} to {whole_percent(pair.high)})"
        for pair in data.diagnosis.noise.confused
    ]


def class_lines(data: ClassReportData) -> list[ClassLine]:
    """Shares and rates of every class, the most frequent first."""
    diagnosis, readings = data.diagnosis, data.readings
    noisy = None if diagnosis.recommendation.refuses_rows else readings.noise_holds
    order = sorted(range(len(data.names)), key=lambda k: -diagnosis.label_shares[k])

    def line(k: int) -> ClassLine:
        rate = diagnosis.noise.rates[k]
        value = None if noisy is None else rate.value
        return ClassLine(
            data.names[k],
            percent(diagnosis.label_shares[k]),
            percent(readings.raw_average[k]),
            percent(readings.calibrated_average[k]),
            "" if noisy is None else percent(noisy.shares[k]),
            "not known" if value is None else whole_percent(value),
            "" if value is None else rate.interval,
        )

    return [line(k) for k in order]


def fitted_facts(data: ClassReportData) -> list[Fact]:
    """The numbers of the calibrator."""
    fitted = data.fitted
    rows = [Fact("Rows of the fit", count(fitted.n))]
    if fitted.sampled_from is not None:
        rows.append(Fact("Sampled from", f"{count(fitted.sampled_from)} rows"))
    return [
        Fact("Method", fitted.method),
        Fact("Number of classes", f"{len(data.names):,}"),
        *rows,
        *(
            Fact(name, decimal(value), fitted.meanings[name])
            for name, value in fitted.diagnostics.items()
        ),
    ]


def hypotheses(data: ClassReportData) -> list[tuple[str, list[str]]]:
    """Explanations of the labels: their probability at the fit, and by these rows."""
    at_fit, here = data.fitted.hypotheses, data.diagnosis.noise.hypotheses
    return [
        (
            EXPLANATIONS.get(name, name),
            [bounded_percent(part[name]) if name in part else "" for part in (at_fit, here)],
        )
        for name in dict.fromkeys([*at_fit, *here])
    ]


def unknowns(data: ClassReportData) -> list[str]:
    """What these rows do not say."""
    diagnosis = data.diagnosis
    found = [NOT_SETTLED[diagnosis.evidence]]
    if diagnosis.recommendation.refuses_rows:
        return [*found, UNKNOWN]
    if not diagnosis.noise.identified:
        named = _listed([data.name_of(label) for label in diagnosis.noise.unidentified])
        found.append(
            f"How many labels of {named} are wrong: too few rows of {_these(data)} are clear "
            "cases. So reliability is not shown corrected for noise."
        )
    rare = [
        name
        for name, share in zip(data.names, diagnosis.label_shares, strict=True)
        if share * data.n < FEW_ROWS
    ]
    if rare:
        found.append(
            f"Whether the probabilities of {_listed(rare)} are right: fewer than {FEW_ROWS} rows "
            "have such a label."
        )
    if data.sampled_from is not None or diagnosis.used < data.n:
        found.append(
            f"What all rows would show exactly: noise and readings rest on a sample of "
            f"{count(diagnosis.used)} rows, chosen by their values."
        )
    return found


def candidates_note(data: ClassReportData) -> str:
    """Say what the corrected numbers rest on, where these rows do not identify it."""
    if data.diagnosis.noise.identified or data.diagnosis.recommendation.refuses_rows:
        return ""
    return "The correction rests on rates that these rows identify only in part."


def panels_note(data: ClassReportData) -> str:
    """Say which classes have a diagram."""
    shown = len(data.views[0].panels)
    if shown == len(data.names):
        return "Each class against all others."
    if shown < MOST_PANELS:
        return "Each class that occurs as a label, against all others."
    return f"The {shown} most frequent of {len(data.names):,} classes, each against all others."


def _these(data: ClassReportData) -> str:
    return "this class" if len(data.diagnosis.noise.unidentified) == 1 else "these classes"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    """Name some of them.

    >>> _listed(["a", "b"]), _listed(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e, f and 2 more')
    """
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
