"""``lwcal monitor`` with several columns of scores."""

from rich.table import Table

from lwcal.calibrators import ClassCalibrator
from lwcal.cli import NEGATIVE
from lwcal.cli.class_calibrator import read_new
from lwcal.cli.console import numbers_table, print_json, stdout, with_interval
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.estimates import Estimate
from lwcal.monitoring import ClassDriftTest, ClassMonitoring, ClassSnapshot, reference_of
from lwcal.monitoring.class_comparison import monitor_classes
from lwcal.monitoring.grading import ALARMS, LEVELS, THRESHOLDS

MOST_TESTS = 12
"""Comparisons that are listed, the most serious first."""
EFFECTS = {"scores": "PSI", "disagreement": "change of d", "labels": "change at equal scores"}

NOT_CORRECTED = (
    "Log loss and ECE of the new rows are left out: labels at equal scores changed, so the noise "
    "of the fit may not be theirs."
)


def run(fitted: ClassCalibrator, rows: RowsRequest, *, as_json: bool) -> int:
    """Compare the rows with those of the fit, print the result, and return the exit code."""
    found = read_new(rows, fitted)
    with late_progress("comparing"):
        monitoring = monitor_classes(fitted, reference_of(fitted), found.rows)
    if as_json:
        print_json({**monitoring.to_dict(), **found.facts})
    else:
        _print(monitoring)
    return NEGATIVE if monitoring.verdict in ALARMS else 0


def _print(monitoring: ClassMonitoring) -> None:
    console = stdout()
    console.print(f"{monitoring.sentence}\n", style="bold", markup=False)
    console.print(_tests(monitoring))
    console.print()
    console.print(_snapshots(monitoring))
    if monitoring.new.d is not None and monitoring.fitted.nll and not monitoring.new.nll:
        console.print(NOT_CORRECTED)


def _tests(monitoring: ClassMonitoring) -> Table:
    ordered = sorted(monitoring.tests, key=_seriousness)
    left = len(ordered) - MOST_TESTS
    verb = "comparison with less evidence is" if left == 1 else "comparisons with less evidence are"
    caption = f"{left:,} {verb} not shown" if left > 0 else None
    table = numbers_table(
        *("compared", "of", "effect", "size", "watch", "alarm", "p (Holm)", "verdict"),
        caption=caption,
    )
    for column in (1, 2):
        table.columns[column].justify = "left"
    for test in ordered[:MOST_TESTS]:
        watch, refit = THRESHOLDS[test.name]
        cells = (f"{test.effect:.3f}", f"{watch:g}", f"{refit:g}", f"{test.p_adjusted:.2g}")
        of = "highest score" if test.label is None else str(test.label)
        table.add_row(test.name, of, EFFECTS[test.name], *cells, test.level)
    return table


def _seriousness(test: ClassDriftTest) -> tuple[int, float, float]:
    effect = abs(test.effect) / THRESHOLDS[test.name].refit
    return -LEVELS.index(test.level), test.p_adjusted, -effect


def _snapshots(monitoring: ClassMonitoring) -> Table:
    table = numbers_table("", "at the fit", "now")
    columns = [_cells(snapshot) for snapshot in (monitoring.fitted, monitoring.new)]
    names = ("rows", "disagreement d", "log loss", "ECE of the top label")
    for name, before, after in zip(names, *columns, strict=True):
        table.add_row(name, before, after)
    return table


def _cells(snapshot: ClassSnapshot) -> list[str]:
    return [
        f"{snapshot.n:,.12g}",
        "" if snapshot.d is None else f"{snapshot.d:.3f}",
        *(_cell(one) for one in (snapshot.nll, snapshot.top_label_ece)),
    ]


def _cell(estimate: Estimate | None) -> str:
    return "" if estimate is None else with_interval(estimate)
