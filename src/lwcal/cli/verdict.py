"""The verdict in the terminal: what to do, both readings side by side, and the next command."""

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from lwcal.cli.console import numbers_table
from lwcal.cli.request import RowsRequest
from lwcal.diagnosis import ClassReading, Reading, Readings, Recommendation
from lwcal.diagnosis.findings import Evidence
from lwcal.diagnosis.readings import TOO_LOW, is_too_low
from lwcal.diagnosis.wording import CHECK_WEIGHTED

READING_OF = {
    "labels": "if the noise\nestimate holds",
    "known rates": "by the\nknown rates",
    "checked labels": "by the\nchecked labels",
    "opinions": "by the\nopinions",
}
"""How the second reading is called, by the evidence behind it."""
WHOLE = "Audits take no invalid rows. Remove those from the file first."
SEEN_ROWS = "All of this holds for rows that the model was not trained on."


def print_verdict(console: Console, recommendation: Recommendation) -> None:
    """Print the action, the reason, and what to use until then."""
    console.print(f"[bold]{recommendation.headline}.[/bold] {recommendation.reason}")
    if recommendation.until_then:
        console.print(recommendation.until_then)


class Commands(NamedTuple):
    """The command that a verdict asks for, another one that would do, and what to do before."""

    next: str = ""
    instead: str = ""
    before: str = ""

    def show(self, console: Console) -> None:
        """Print what there is."""
        if self.before:
            console.print(self.before, markup=False)
        for word, line in (("Next", self.next), ("Or", self.instead)):
            if line:
                console.print(f"{word}: {line}", soft_wrap=True, markup=False)


def commands_after(
    recommendation: Recommendation, rows: RowsRequest, trusted: str | None = None
) -> Commands:
    """The commands that a verdict on rows with one label asks for."""
    if recommendation.action != "audit":
        return Commands(next_command(recommendation, rows.to_fit(), trusted))
    again = rows.again()
    if rows.weight is not None:
        named = ["--weight", rows.weight, "--trusted", "COLUMN"]
        checked = shlex.join(["lwcal", "diagnose", *again, *named])
        return Commands(checked, before=CHECK_WEIGHTED.format(recommendation.checks))
    return Commands(
        next_command(recommendation, again, trusted),
        opinions_command(recommendation, again),
        WHOLE if rows.drop_invalid else "",
    )


def readings_table(readings: Readings, evidence: Evidence, *, losses_only: bool = False) -> Table:
    """Both readings side by side; all of them, or only what they say about log loss."""
    table = numbers_table("", "if every\nlabel is right", READING_OF[evidence])
    both = (readings.labels_right, readings.noise_holds)
    table.add_row("log loss, raw score", *(cell_of(one, "raw_loss", ".3f") for one in both))
    table.add_row("log loss, calibrated", *(cell_of(one, "calibrated_loss", ".3f") for one in both))
    table.add_row("change of log loss", *("" if one is None else change_cell(one) for one in both))
    if losses_only:
        return table
    table.add_row("average raw score", *[f"{readings.raw_average:.1%}"] * 2)
    table.add_row("average calibrated", *[f"{readings.calibrated_average:.1%}"] * 2)
    table.add_row("share of positives", *(cell_of(one, "positives", ".1%") for one in both))
    at = f"at {readings.threshold:g}"
    table.add_row(f"wrong {at}, raw score", *(cell_of(one, "raw_errors", ".1%") for one in both))
    table.add_row(
        f"wrong {at}, calibrated", *(cell_of(one, "calibrated_errors", ".1%") for one in both)
    )
    return table


def moved(readings: Readings) -> str:
    """Say how many rows change sides at the threshold."""
    at = f"at {readings.threshold:g}"
    if not readings.moved:
        return f"No row changes sides {at}."
    rows = "row changes" if readings.moved == 1 else "rows change"
    return (
        f"{readings.moved:,.0f} {rows} sides {at}: "
        f"{readings.moved_up:,.0f} to positive, {readings.moved_down:,.0f} to negative."
    )


def next_command(
    recommendation: Recommendation, rows: Sequence[str], trusted: str | None = None
) -> str:
    """The command that the verdict asks for, on these rows; empty if it asks for none."""
    if recommendation.action == "deploy":
        if trusted and recommendation.calibrator == "audited":  # checked labels choose the method
            return fit_command([*rows, "--trusted", trusted])
        return fit_command([*rows, "--method", recommendation.calibrator])
    if recommendation.action != "audit":
        return ""
    budget = ("--budget", str(recommendation.checks))
    return shlex.join(["lwcal", "audit", "serve", *rows, *budget])


def fit_command(rows: Sequence[str]) -> str:
    """The command that fits to these rows and writes the calibrator."""
    return shlex.join(["lwcal", "fit", *rows, "--out", "calibrator.json"])


def opinions_command(recommendation: Recommendation, rows: Sequence[str]) -> str:
    """The command that asks for second opinions instead; empty if they would not do."""
    if recommendation.second_opinions is None:
        return ""
    number = ("--n", str(recommendation.second_opinions))
    return shlex.join(["lwcal", "opinions", "plan", *rows, *number, "--out", "second.csv"])


def cell_of(reading: Reading | ClassReading | None, name: str, form: str) -> str:
    """A number of a reading, if noise fits."""
    if reading is None:
        return "does not fit"
    value = getattr(reading, name)
    return TOO_LOW if is_too_low(value) else format(value, form)


def change_cell(reading: Reading | ClassReading) -> str:
    """Relative change of the log loss, with its interval; none from a loss of about 0."""
    if is_too_low(reading.raw_loss, reading.calibrated_loss):
        return "not known"
    gain = reading.gain
    return f"{-gain.value:+.1%} \\[{-gain.high:+.1%}, {-gain.low:+.1%}]"
