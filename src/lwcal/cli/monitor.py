"""``lwcal monitor``: compare new rows with the rows of the fit."""

from pathlib import Path

import numpy as np

from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.cli import NEGATIVE, class_monitor, period_monitor
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.class_calibrator import (
    as_class_calibrator,
    read_new,
    require_one_column,
    require_two_classes,
)
from lwcal.cli.console import note, print_json, stdout
from lwcal.cli.doubts import check_rows
from lwcal.cli.monitoring_tables import print_monitoring
from lwcal.cli.period_monitor import check_period
from lwcal.cli.progress import late_progress
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.monitoring import Monitoring, monitor_two_classes, reference_of
from lwcal.monitoring.grading import ALARMS
from lwcal.rows.scales import PROBABILITY
from lwcal.table import ScoreTable


def run(calibrator: Path, rows: RowsRequest, *, period: str | None, as_json: bool) -> int:
    """Compare the rows with those of the fit, print the result, and return the exit code."""
    check_period(rows, period)
    fitted = load_calibrator(calibrator)
    reference_of(fitted)  # refuses calibrators that cannot be monitored, before any row is read
    if rows.weight is not None:
        note("a weight counts as that many rows; sampling weights make the tests too sure")
    if rows.time is not None:
        instead = "without --time, run it on the rows of each period"
        require_two_classes(fitted, "lwcal monitor --time", instead)
        return period_monitor.run(fitted, rows, period=period, as_json=as_json)
    if rows.names_classes():
        classes = as_class_calibrator(fitted)
        if classes.n_classes_ > 2:
            return class_monitor.run(classes, rows, as_json=as_json)
        found = _second_column(rows, classes)
    else:
        require_one_column(fitted)
        found = rows.reduce(fitted=fitted, needs_labels=False)
        check_rows(fitted, found, named=rows.score_scale)
    with late_progress("comparing"):
        monitoring = _monitor(fitted, found)
    if as_json:
        print_json({**monitoring.to_dict(), **found.facts()})
    else:
        print_monitoring(monitoring, found.positive_class if found.labelled else None)
        stdout().print(f"score scale: {found.table.scale}")
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
