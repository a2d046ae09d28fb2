"""``lwcal monitor``: compare new rows with the rows of the fit."""

from pathlib import Path

import numpy as np
from rich.table import Table

from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.cli import NEGATIVE, class_monitor
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.class_calibrator import as_class_calibrator, read_new, require_one_column
from lwcal.cli.console import numbers_table, print_json, stdout, with_interval
from lwcal.cli.progress import late_progress
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.monitoring import Monitoring, monitor_two_classes, reference_of
from lwcal.monitoring.verdict import ALARMS, THRESHOLDS, Snapshot
from lwcal.rows.scales import PROBABILITY
from lwcal.table import ScoreTable

EFFECTS = {
    "scores": "PSI",
    "disagreement": "change of d",
    "labels": "change at equal scores",
}
SNAPSHOT = ("rows", "positive labels", "disagreement d", "gate rho", "ECE against these labels")


def run(calibrator: Path, rows: RowsRequest, *, as_json: bool) -> int:
    """Compare the rows with those of the fit, print the result, and return the exit code."""
    fitted = load_calibrator(calibrator)
    reference_of(fitted)  # refuses calibrators that cannot be monitored, before any row is read
    if rows.names_classes():
        classes = as_class_calibrator(fitted)
        if classes.n_classes_ > 2:
            return class_monitor.run(classes, rows, as_json=as_json)
        found = _second_column(rows, classes)
    else:
        require_one_column(fitted)
        found = rows.reduce(fitted=fitted, needs_labels=False)
    with late_progress("comparing"):
        monitoring = _monitor(fitted, found)
    if as_json:
        print_json({**monitoring.to_dict(), **found.facts()})
    else:
        _print(monitoring, found)
    return NEGATIVE if monitoring.verdict in ALARMS else 0


def _second_column(rows: RowsRequest, calibrator: ClassCalibrator) -> ReducedRows:
    """Rows of two columns as those of the second, to which the calibrator was fitted."""
    read = read_new(rows, calibrator)
    scores, weights, labels = read.rows
    counted = np.zeros(len(weights)) if labels is None else labels
    table = ScoreTable.from_arrays(scores[:, 1], counted, weights, pos_label=1)
    positive = calibrator.classes_.tolist()[1]
    return ReducedRows(table, str(positive), positive, read.labelled)


def _monitor(calibrator: Calibrator, found: ReducedRows) -> Monitoring:
    if found.labelled:
        return monitor_two_classes(calibrator, found.table)
    table = found.table
    weights = table.negatives
    return monitor_two_classes(calibrator, table.scores, sample_weight=weights, scale=PROBABILITY)


def _print(monitoring: Monitoring, found: ReducedRows) -> None:
    console = stdout()
    console.print(f"[bold]{monitoring.sentence}[/bold]\n")
    console.print(_tests(monitoring))
    console.print()
    console.print(_snapshots(monitoring))
    console.print()
    if found.labelled:
        console.print(f"positive class: {found.positive_class}", markup=False)
    console.print(f"score scale: {found.table.scale}")


def _tests(monitoring: Monitoring) -> Table:
    table = numbers_table("compared", "effect", "size", "watch", "alarm", "p (Holm)", "verdict")
    table.columns[1].justify = "left"
    for test in monitoring.tests:
        watch, refit = THRESHOLDS[test.name]
        cells = (f"{test.effect:.3f}", f"{watch:g}", f"{refit:g}", f"{test.p_adjusted:.2g}")
        table.add_row(test.name, EFFECTS[test.name], *cells, test.level)
    return table


def _snapshots(monitoring: Monitoring) -> Table:
    table = numbers_table("", "at the fit", "now")
    columns = [_cells(snapshot) for snapshot in (monitoring.fitted, monitoring.new)]
    for name, before, after in zip(SNAPSHOT, *columns, strict=True):
        table.add_row(name, before, after)
    return table


def _cells(snapshot: Snapshot) -> list[str]:
    numbers = (snapshot.base_rate, snapshot.d, snapshot.rho)
    ece = snapshot.ece
    return [
        f"{snapshot.n:,}",
        *("" if number is None else f"{number:.3f}" for number in numbers),
        "" if ece is None else with_interval(ece),
    ]
