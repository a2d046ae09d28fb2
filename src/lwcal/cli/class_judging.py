"""``lwcal evaluate`` and ``lwcal compare`` with several columns of scores."""

from functools import partial
from typing import Any, Literal

import numpy as np
from rich.table import Table

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.cli.candidates import corrected_for
from lwcal.cli.class_calibrator import CLASS_METHODS, check_class_method
from lwcal.cli.class_request import ReadClasses, read_classes, refuse_two_columns
from lwcal.cli.console import numbers_table, print_json, stdout, with_interval
from lwcal.cli.noise_matrix import NoiseMatrixFile
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.diagnosis.class_comparison import ClassComparison, compare_classes, noise_of_labels
from lwcal.estimates import Estimate, whole_percent
from lwcal.metrics.class_intervals import class_intervals
from lwcal.metrics.corrected import N_RESAMPLES
from lwcal.metrics.corrected_classes import corrected_class_metrics
from lwcal.metrics.intervals import CONFIDENCE
from lwcal.metrics.plausible_noise import InverseNoise, known_noise
from lwcal.metrics.resampling import Resampling
from lwcal.metrics.several_classes import JudgedRows
from lwcal.multiclass.class_rows import ClassRows

NAMES = {
    "brier": "Brier score",
    "nll": "log loss",
    "accuracy": "accuracy",
    "top_label_ece": "ECE of the top label",
}


def evaluate(
    rows: RowsRequest,
    fitted: Calibrator | None,
    noise: NoiseMatrixFile | Literal["estimate"] | None,
    *,
    as_json: bool,
) -> None:
    """Measure the raw and the calibrated probabilities, and print the metrics."""
    found = read_classes(rows, fitted=fitted)
    raw = found.rows
    if noise == "estimate":
        refuse_two_columns(found.names, "--noise-rates estimate")
    given = JudgedRows(raw.labels, raw.scores, raw.weights, raw.classes)
    with late_progress("evaluating"):
        known = None if noise is None else _noise(noise, raw)
        judge = (
            class_intervals
            if known is None
            else partial(
                corrected_class_metrics,
                noise=known,
                resampling=Resampling(CONFIDENCE, N_RESAMPLES, 0),
            )
        )
        judged = {"raw score": judge(given)}
        if isinstance(fitted, ClassCalibrator):
            calibrated = fitted.class_score_map().apply_unchecked(raw.scores)
            judged["calibrated"] = judge(given._replace(probabilities=calibrated))
    matrix = None if known is None else np.asarray(np.linalg.inv(known.expected))
    if as_json:
        print_json(_document(judged, found, matrix))
    else:
        stdout().print(_evaluation(judged, found, matrix))


def _noise(noise: NoiseMatrixFile | Literal["estimate"], rows: ClassRows) -> InverseNoise:
    """The noise as told, or as these rows say."""
    if isinstance(noise, NoiseMatrixFile):
        return known_noise(noise.of_classes(rows.classes), rows.n_classes)
    return noise_of_labels(rows)


def _document(
    judged: dict[str, dict[str, Estimate]], found: ReadClasses, matrix: FloatArray | None
) -> dict[str, Any]:
    numbers = {
        name: {metric: one.to_dict() for metric, one in metrics.items()}
        for name, metrics in judged.items()
    }
    return {
        "n": found.rows.n,
        **found.facts(),
        "noise_matrix": None if matrix is None else matrix.tolist(),
        "confidence": CONFIDENCE,
        "metrics": numbers,
    }


def _evaluation(
    judged: dict[str, dict[str, Estimate]], found: ReadClasses, matrix: FloatArray | None
) -> Table:
    labels = "every label counts as right" if matrix is None else _correction(found.rows, matrix)
    caption = f"{_about(found)}; {labels}; 90% intervals"
    table = numbers_table("", *judged, caption=caption)
    for metric, name in NAMES.items():
        table.add_row(name, *(with_interval(one[metric]) for one in judged.values()))
    return table


def _correction(rows: ClassRows, matrix: FloatArray) -> str:
    """Say for how many wrong labels the metrics are corrected."""
    labelled = np.bincount(rows.labels, rows.weights, minlength=rows.n_classes) / rows.n
    true = np.clip(labelled @ np.linalg.inv(matrix), 0.0, None)
    wrong = float(true / true.sum() @ (1.0 - np.diagonal(matrix)))
    return f"corrected for wrong labels ({whole_percent(wrong)} of all)"


def compare(
    rows: RowsRequest,
    methods: tuple[str, ...] | None,
    noise_matrix: NoiseMatrixFile | None,
    *,
    as_json: bool,
) -> None:
    """Cross-fit the calibrators, and print how they compare."""
    names = CLASS_METHODS if methods is None else methods
    for name in names:
        check_class_method(name)
    found = read_classes(rows)
    known = None if noise_matrix is None else noise_matrix.of_classes(found.rows.classes)
    with late_progress("calibrators", len(names)) as advance:
        compared = compare_classes(found.rows, names, noise_matrix=known, on_progress=advance)
    if as_json:
        print_json({**compared.to_dict(), **found.facts()})
    else:
        stdout().print(_comparison(compared, found, estimated=known is None))


def _comparison(compared: ClassComparison, found: ReadClasses, *, estimated: bool) -> Table:
    caption = (
        f"{_about(found)}, cross-fitted; NLL (log loss) and ECE "
        f"{corrected_for(estimated=estimated)}; 90% intervals, paired with the raw score"
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
