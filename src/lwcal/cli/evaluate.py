"""``lwcal evaluate``: measure the quality of raw and calibrated probabilities."""

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from rich.table import Table

from lwcal.calibrators import Calibrator
from lwcal.cli import class_judging
from lwcal.cli.arguments import known_noise_rates, load_calibrator, rows_first
from lwcal.cli.class_calibrator import require_one_column
from lwcal.cli.class_request import refuse_noise_rates
from lwcal.cli.console import note, numbers_table, print_json, stdout, with_interval
from lwcal.cli.doubts import check_rows
from lwcal.cli.noise_matrix import asked_noise, refuse_noise_matrix
from lwcal.cli.options import ESTIMATE
from lwcal.cli.progress import late_progress
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.diagnosis.comparison import not_negative
from lwcal.estimates import Estimate, whole_percent
from lwcal.metrics.intervals import CONFIDENCE, corrected_intervals, trusted_intervals
from lwcal.noise.estimate import estimate_table
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.table import ScoreTable

NAMES = {"brier": "Brier score", "nll": "log loss", "auc": "AUC", "ece": "ECE"}
Metrics: TypeAlias = dict[str, Estimate]


def run(
    rows: RowsRequest,
    *,
    calibrator: Path | None,
    noise_rates: str | None,
    noise_matrix: Path | None,
    as_json: bool,
) -> None:
    """Measure the raw and the calibrated probabilities, and print the metrics."""
    known = known_noise_rates(noise_rates)
    source, path = rows_first(rows.source, calibrator)
    fitted = None if path is None else load_calibrator(path)
    rows = replace(rows, source=source)
    if rows.names_classes():
        refuse_noise_rates(None if noise_rates == ESTIMATE else noise_rates)
        noise = asked_noise(noise_matrix, estimated=noise_rates == ESTIMATE)
        class_judging.evaluate(rows, fitted, noise, as_json=as_json)
        return
    refuse_noise_matrix(rows, noise_matrix)
    if fitted is not None:
        require_one_column(fitted)
    found = rows.reduce(fitted=fitted)
    if fitted is not None:
        check_rows(fitted, found, named=rows.score_scale)
    with late_progress("evaluating"):
        rates = None if noise_rates is None else _rates(found.table, known)
        judged: dict[str, Metrics] = {"raw score": _judge(found.table, rates)}
        if fitted is not None:
            judged["calibrated"] = _judge(_calibrated(found.table, fitted), rates)
    if fitted is not None and fitted.reference_ and fitted.reference_.is_of(found.table):
        note("The calibrator was fitted to these rows, so it looks better here than elsewhere.")
    if as_json:
        print_json(_document(judged, rates, found))
    else:
        stdout().print(_table(judged, rates, found))


def _rates(table: ScoreTable, known: FlipRates | None) -> RatePosterior:
    """Posterior of the flip rates: at the known rates, or estimated from the rows."""
    return estimate_table(table).rates_posterior if known is None else RatePosterior.known(known)


def _calibrated(table: ScoreTable, calibrator: Calibrator) -> ScoreTable:
    probabilities = calibrator.map_(table.scores)
    return ScoreTable.from_counts(probabilities, table.negatives, table.positives)


def _judge(table: ScoreTable, rates: RatePosterior | None) -> Metrics:
    if rates is None:
        return trusted_intervals(table)
    found = corrected_intervals(table, rates)
    return {name: not_negative(one) for name, one in found.items()}


def _document(
    judged: dict[str, Metrics], rates: RatePosterior | None, found: ReducedRows
) -> dict[str, Any]:
    numbers = {
        name: {metric: one.to_dict() for metric, one in metrics.items()}
        for name, metrics in judged.items()
    }
    return {
        **found.facts(),
        "noise_rates": None if rates is None else list(rates.mean()),
        "confidence": CONFIDENCE,
        "metrics": numbers,
    }


def _table(judged: dict[str, Metrics], rates: RatePosterior | None, found: ReducedRows) -> Table:
    labels = "every label counts as right" if rates is None else _correction(rates)
    caption = (
        f"{found.table.n:,} rows; positive class: {found.positive_class}; score scale: "
        f"{found.table.scale}; {labels}; 90% intervals"
    )
    table = numbers_table("", *judged, caption=caption)
    for metric in next(iter(judged.values())):
        table.add_row(NAMES[metric], *(with_interval(one[metric]) for one in judged.values()))
    return table


def _correction(rates: RatePosterior) -> str:
    mean = rates.mean()
    return (
        f"corrected for wrong labels ({whole_percent(mean.negative)} of the "
        f"negatives, {whole_percent(mean.positive)} of the positives)"
    )
