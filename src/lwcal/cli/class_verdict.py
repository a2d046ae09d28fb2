"""``lwcal diagnose`` with several columns of scores."""

from rich.markup import escape
from rich.table import Table

from lwcal.cli import NEGATIVE
from lwcal.cli.candidates import print_candidates
from lwcal.cli.class_request import ReadClasses
from lwcal.cli.console import facts_table, numbers_table, print_json, stdout
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.cli.verdict import (
    READING_OF,
    SEEN_ROWS,
    Commands,
    cell_of,
    change_cell,
    commands_after,
    print_verdict,
)
from lwcal.diagnosis import DEFAULT_CLASS_METHODS, ClassDiagnosis, ClassReadings
from lwcal.diagnosis.class_diagnosis import diagnose_classes
from lwcal.diagnosis.findings import Evidence
from lwcal.estimates import whole_percent

MOST_CLASSES = 12
"""Classes that are listed."""


def run(rows: RowsRequest, found: ReadClasses, trusted: str | None, *, as_json: bool) -> int:
    """Judge the labels, print the verdict, and return the exit code."""
    with late_progress("calibrators", len(DEFAULT_CLASS_METHODS)) as advance:
        diagnosis = diagnose_classes(found.rows, found.audited, on_progress=advance)
    commands = commands_after(diagnosis.recommendation, rows, trusted)
    if as_json:
        print_json({**diagnosis.to_dict(), **found.facts(), "next": commands.next or None})
    else:
        _print(diagnosis, commands)
    return 0 if diagnosis.recommendation.is_settled else NEGATIVE


def _print(diagnosis: ClassDiagnosis, commands: Commands) -> None:
    console = stdout()
    print_verdict(console, diagnosis.recommendation)
    commands.show(console)
    console.print(f"{SEEN_ROWS}\n")
    if not diagnosis.recommendation.refuses_rows:
        console.print(class_readings_table(diagnosis.readings, diagnosis.evidence))
        console.print(f"{_changed(diagnosis.readings)} {diagnosis.noise.sentence}\n", markup=False)
        console.print(_rates(diagnosis))
        console.print()
    console.print(_numbers(diagnosis))
    console.print()
    print_candidates(console, diagnosis, "top label")


def class_readings_table(readings: ClassReadings, evidence: Evidence) -> Table:
    """Both readings side by side."""
    table = numbers_table("", "if every\nlabel is right", READING_OF[evidence])
    both = (readings.labels_right, readings.noise_holds)
    table.add_row("log loss, raw scores", *(cell_of(one, "raw_loss", ".3f") for one in both))
    table.add_row("log loss, calibrated", *(cell_of(one, "calibrated_loss", ".3f") for one in both))
    table.add_row("change of log loss", *("" if one is None else change_cell(one) for one in both))
    wrong = "top class wrong"
    table.add_row(f"{wrong}, raw scores", *(cell_of(one, "raw_errors", ".1%") for one in both))
    table.add_row(
        f"{wrong}, calibrated", *(cell_of(one, "calibrated_errors", ".1%") for one in both)
    )
    return table


def _changed(readings: ClassReadings) -> str:
    """Say in how many rows another class becomes the most probable one."""
    if not readings.changed:
        return "The most probable class changes in no row."
    rows = "row" if readings.changed == 1 else "rows"
    return f"The most probable class changes in {readings.changed:,.0f} {rows}."


def _rates(diagnosis: ClassDiagnosis) -> Table:
    """Share of wrong labels of each class, the most frequent classes first."""
    shares = sorted(enumerate(diagnosis.label_shares), key=lambda pair: -pair[1])
    left = len(shares) - MOST_CLASSES
    caption = "if some labels are wrong; 90% intervals"
    table = numbers_table(
        "\nclass",
        "share of\nlabels",
        "wrong labels\nof this class",
        "most often\nlabelled",
        caption=caption if left <= 0 else f"{caption}; {left} more classes: --json",
    )
    noise = diagnosis.noise
    for k, share in shares[:MOST_CLASSES]:
        rate = noise.rates[k]
        value = (
            "not known"
            if rate.value is None
            else f"{whole_percent(rate.value)} \\[{rate.interval}]"
        )
        others = noise.matrix[k].copy()
        others[k] = -1.0
        goal = int(others.argmax())
        # without clear cases, where wrong labels go is not known either
        often = (
            "" if rate.value is None else f"{noise.classes[goal]} ({whole_percent(others[goal])})"
        )
        table.add_row(escape(str(noise.classes[k])), f"{share:.1%}", value, escape(often))
    return table


def _numbers(diagnosis: ClassDiagnosis) -> Table:
    facts = facts_table()
    told = []
    if diagnosis.checked:
        told.append(f"{diagnosis.checked:,.0f} of them checked")
    if diagnosis.used != diagnosis.n:
        told.append(f"{diagnosis.used:,.0f} used for the fits")
    facts.add_row("rows", f"{diagnosis.n:,.0f}", ", ".join(told))
    facts.add_row("classes", f"{len(diagnosis.classes):,}", "")
    accuracy = diagnosis.ranking.accuracy.value
    facts.add_row("top class is the label", f"{accuracy:.1%}", "by the labels as they are")
    return facts
