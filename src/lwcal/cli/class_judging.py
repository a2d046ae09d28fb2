"""``lwcal evaluate`` and ``lwcal compare`` with several columns of scores."""

from typing import Any

from rich.table import Table

from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.cli.class_calibrator import CLASS_METHODS, check_class_method
from lwcal.cli.class_request import ReadClasses, read_classes
from lwcal.cli.console import numbers_table, print_json, stdout, with_interval
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.diagnosis.class_comparison import ClassComparison, compare_classes
from lwcal.estimates import Estimate
from lwcal.metrics.class_intervals import class_intervals
from lwcal.metrics.intervals import CONFIDENCE
from lwcal.metrics.several_classes import JudgedRows

NAMES = {
    "brier": "Brier score",
    "nll": "log loss",
    "accuracy": "accuracy",
    "top_label_ece": "ECE of the top label",
}


def evaluate(rows: RowsRequest, fitted: Calibrator | None, *, as_json: bool) -> None:
    """Measure the raw and the calibrated probabilities, and print the metrics."""
    found = read_classes(rows, fitted=fitted)
    raw = found.rows
    given = JudgedRows(raw.labels, raw.scores, raw.weights, raw.classes)
    with late_progress("evaluating"):
        judged = {"raw score": class_intervals(given)}
        if isinstance(fitted, ClassCalibrator):
            calibrated = fitted.class_score_map().apply_unchecked(raw.scores)
            judged["calibrated"] = class_intervals(given._replace(probabilities=calibrated))
    if as_json:
        print_json(_document(judged, found))
    else:
        stdout().print(_evaluation(judged, found))


def _document(judged: dict[str, dict[str, Estimate]], found: ReadClasses) -> dict[str, Any]:
    numbers = {
        name: {metric: one.to_dict() for metric, one in metrics.items()}
        for name, metrics in judged.items()
    }
    return {
        "n": found.rows.n,
        **found.facts(),
        "noise_rates": None,
        "confidence": CONFIDENCE,
        "metrics": numbers,
    }


def _evaluation(judged: dict[str, dict[str, Estimate]], found: ReadClasses) -> Table:
    caption = f"{_about(found)}; every label counts as right; 90% intervals"
    table = numbers_table("", *judged, caption=caption)
    for metric, name in NAMES.items():
        table.add_row(name, *(with_interval(one[metric]) for one in judged.values()))
    return table


def compare(rows: RowsRequest, methods: tuple[str, ...] | None, *, as_json: bool) -> None:
    """Cross-fit the calibrators, and print how they compare."""
    names = CLASS_METHODS if methods is None else methods
    for name in names:
        check_class_method(name)
    found = read_classes(rows)
    with late_progress("calibrators", len(names)) as advance:
        compared = compare_classes(found.rows, names, on_progress=advance)
    if as_json:
        print_json({**compared.to_dict(), **found.facts()})
    else:
        stdout().print(_comparison(compared, found))


def _comparison(compared: ClassComparison, found: ReadClasses) -> Table:
    caption = (
        f"{_about(found)}, cross-fitted; NLL (log loss) and ECE corrected for label noise; 90% "
        "intervals, paired with the raw score"
    )
    table = numbers_table(
        "\ncalibrator",
        "\nNLL",
        "minus\nraw score",
        "ECE of the\ntop label",
        "NLL as\nlabelled",
        caption=caption,
    )
    for one in compared.candidates:
        change = one.corrected_change
        table.add_row(
            one.method,
            with_interval(one.corrected["nll"]),
            "" if change.low == change.high == 0.0 else with_interval(change, "+.3f"),
            f"{one.corrected['ece'].value:.3f}",
            f"{one.labelled['nll']:.3f}",
        )
    return table


def _about(found: ReadClasses) -> str:
    return f"{found.rows.n:,.0f} rows, {found.rows.n_classes} classes"
