"""The top of the page: facts that a reader needs first, and both readings of the labels."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from lwcal.diagnosis import Reading, Readings
from lwcal.diagnosis.findings import AnyReading
from lwcal.diagnosis.readings import TOO_LOW, is_too_low
from lwcal.report.class_report_data import ClassReportData
from lwcal.report.formats import change, count, decimal, percent
from lwcal.report.report_data import ReportData
from lwcal.report.wording import Fact

AnyReportData: TypeAlias = ReportData | ClassReportData


class Status(NamedTuple):
    """How a verdict looks besides its words: a colour and a sign."""

    kind: str
    icon: str


class Cell(NamedTuple):
    """A value, and what is said in small print beside it."""

    value: str
    beside: str = ""


class ReadingsTable(NamedTuple):
    """Both readings side by side.

    Attributes
    ----------
    titles : tuple of str
        What each column assumes.
    rows : list of pairs of a name and its cells
    misfit : str
        What stands in the second column if noise does not fit; empty otherwise.
    notes : list of str
    """

    titles: tuple[str, str]
    rows: list[tuple[str, list[Cell]]]
    misfit: str
    notes: list[str]


STATUSES = {
    "deploy": Status("good", "✓"),
    "keep raw": Status("neutral", "="),
    "audit": Status("bad", "!"),
    "check scores": Status("bad", "!"),
}
SECOND_READING = {
    "labels": "If the noise estimate holds",
    "known rates": "By the known rates",
    "checked labels": "By the checked labels",
}
"""How the second reading is called, by the evidence behind it."""
NOT_RECORDED = "not recorded"
ASSUMPTION = (
    "Was the model trained on these rows? Then nothing on this page holds. Use rows that the model "
    "has not seen."
)
MISFIT = (
    "Does not apply. Random label noise fits these rows worse than right labels do. So no share of "
    "wrong labels is assumed."
)
LOG_LOSS = "Log loss measures how far probabilities are from the truth. Lower is better."
LEFT_OUT = (
    "This calibrator was fitted to these rows. So the first column judges five fits, each on the "
    "rows it did not see."
)


def facts(data: ReportData) -> list[Fact]:
    """Return the facts that a reader needs first."""
    readings = data.readings
    checked = "" if data.audit is None else f"{count(data.audit.checked)} of them checked"
    return [
        Fact("Positive class", data.positive_class or NOT_RECORDED),
        Fact("Average raw score", percent(readings.raw_average)),
        Fact("Average calibrated", percent(readings.calibrated_average)),
        Fact("Labelled positive", percent(readings.labels_right.positives)),
        Fact(
            f"Change sides at {readings.threshold:g}",
            f"{count(readings.moved)} rows",
            _sides(readings),
        ),
        Fact("Rows", count(data.n), checked),
        Fact("Calibrator", data.method, f"fitted to {fitted_to(data, data.fitted_rows)}"),
        *adjusted(data),
        Fact("Date", data.reproduction.created[:10]),
    ]


def adjusted(data: AnyReportData) -> list[Fact]:
    """Say for which base rate the calibrator is, if that was changed after the fit."""
    return [Fact("Base rate", "changed", change.sentence) for change in data.adjustments]


def _sides(readings: Readings) -> str:
    """Say to which side rows change."""
    if not readings.moved:
        return "no decision changes"
    if not readings.moved_down:
        return "all become positive"
    if not readings.moved_up:
        return "all become negative"
    return f"{count(readings.moved_up)} become positive, {count(readings.moved_down)} negative"


def fitted_to(data: AnyReportData, rows: float) -> str:
    """Say which rows the calibrator was fitted to."""
    if data.fitted_here:
        return "these rows"
    # opinions hide whether their rows are those of the page
    return (
        f"{count(rows)} other rows" if data.reviews is None else f"opinions on {count(rows)} rows"
    )


def readings_table(data: ReportData) -> ReadingsTable | None:
    """Set both readings side by side; None if the rows cannot judge any map."""
    if data.diagnosis.recommendation.refuses_rows:
        return None
    right, noisy = data.readings.labels_right, data.readings.noise_holds
    both = [reading for reading in (right, noisy) if reading is not None]
    columns = [_column(reading) for reading in both]
    names = (
        "Log loss, raw score",
        "Log loss, calibrated",
        "Change of log loss",
        "Share of positives",
        "Wrong decisions, raw score",
        "Wrong decisions, calibrated",
    )
    # the labels judge some in place: they cannot be refitted without checked rows or opinions
    left_out = data.fitted_here and data.method != "audited" and data.reviews is None
    return ReadingsTable(
        ("If every label is right", SECOND_READING[data.diagnosis.evidence]),
        [(name, list(cells)) for name, *cells in zip(names, *columns, strict=True)],
        "" if noisy is not None else MISFIT,
        [
            f"{LOG_LOSS} Intervals are {data.diagnosis.noise.confidence:.0%} intervals. A decision "
            f"is positive from {data.readings.threshold:g} on.",
            *([LEFT_OUT] if left_out else []),
        ],
    )


def _column(reading: Reading) -> list[Cell]:
    return [
        *loss_cells(reading),
        Cell(percent(reading.positives)),
        *error_cells(reading),
    ]


def loss_cells(reading: AnyReading) -> list[Cell]:
    """Log loss before and after, and its change."""
    before, after = (
        TOO_LOW if is_too_low(loss) else decimal(loss)
        for loss in (reading.raw_loss, reading.calibrated_loss)
    )
    if is_too_low(reading.raw_loss, reading.calibrated_loss):
        return [Cell(before), Cell(after), Cell("not known")]
    gain = reading.gain
    word = "better" if gain.low > 0.0 else "worse" if gain.high < 0.0 else "not sure"
    if gain.low == gain.high == 0.0:  # the raw score is kept
        word = "the same"
    return [
        Cell(before),
        Cell(after),
        Cell(f"{change(-gain.value)}, {word}", f"{change(-gain.high)} to {change(-gain.low)}"),
    ]


def error_cells(reading: AnyReading) -> list[Cell]:
    """Wrong decisions before and after."""
    return [Cell(percent(reading.raw_errors)), Cell(percent(reading.calibrated_errors))]
