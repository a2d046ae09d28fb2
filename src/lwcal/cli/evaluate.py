"""``lwcal evaluate``: how good are scores, raw and calibrated."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lwcal.arrays import FloatArray
from lwcal.cli import options
from lwcal.cli.columns import Asked, Rows, read_rows
from lwcal.cli.console import print_json, stdout
from lwcal.cli.loading import load_calibrator, rows_first
from lwcal.cli.progress import late_progress
from lwcal.cli.rates import parse_noise, rates_posterior
from lwcal.cli.tables import numbers_table, with_interval
from lwcal.estimates import Estimate
from lwcal.metrics.intervals import CONFIDENCE, corrected_intervals, trusted_intervals
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

NAMES = {"brier": "Brier", "nll": "NLL", "auc": "AUC", "ece": "ECE"}


def evaluate(
    scores: options.ScoresFile,
    calibrator: Annotated[
        Path | None,
        typer.Argument(
            help="JSON file that `fit` wrote, here or before SCORES; default: the score alone."
        ),
    ] = None,
    score: options.Score = None,
    label: options.Label = None,
    noise: Annotated[
        str | None,
        typer.Option(
            "--noise",
            help="Flip rates of the labels, r0,r1, or: estimate. Default: the labels are right.",
        ),
    ] = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    as_json: options.AsJson = False,
) -> None:
    """Score the raw and the calibrated probabilities, with intervals.

    Use rows that the calibrator was not fitted to. Labels count as right unless --noise is given.

    Example: lwcal evaluate lwcal-demo/calibrated.csv lwcal-demo/calibrator.json --noise estimate
    """
    known = parse_noise(noise)
    source, path = rows_first(scores, calibrator)
    fitted = None if path is None else load_calibrator(path)
    positive = None if fitted is None else fitted.pos_label
    asked = Asked(score, label, weight, pos_label, id_column, form, fitted=positive)
    rows = read_rows(source, asked)
    with late_progress("judging"):
        rates = None if noise is None else rates_posterior(known, rows)
        judged = {"raw score": _judge(rows.scores, rows, rates)}
        if fitted is not None:
            judged["calibrated"] = _judge(fitted.predict(rows.scores), rows, rates)
    if as_json:
        print_json(_document(judged, rates))
    else:
        stdout().print(_shown(judged, rates, len(rows.scores)))


def _judge(
    probabilities: FloatArray, rows: Rows, rates: RatePosterior | None
) -> dict[str, Estimate]:
    table = ScoreTable.from_arrays(probabilities, rows.labels, rows.weights)
    if rates is None:
        return trusted_intervals(table)
    return corrected_intervals(table, rates)


def _document(
    judged: dict[str, dict[str, Estimate]], rates: RatePosterior | None
) -> dict[str, Any]:
    numbers = {
        name: {metric: found.to_dict() for metric, found in metrics.items()}
        for name, metrics in judged.items()
    }
    flip_rates = None if rates is None else list(rates.mean())
    return {"flip_rates": flip_rates, "confidence": CONFIDENCE, "metrics": numbers}


def _shown(judged: dict[str, dict[str, Estimate]], rates: RatePosterior | None, rows: int) -> Table:
    labels = "labels taken as right" if rates is None else _believed(rates)
    shown = numbers_table("", *judged, caption=f"{rows:,} rows, {labels}; 90% intervals")
    for metric in next(iter(judged.values())):
        shown.add_row(NAMES[metric], *(with_interval(found[metric]) for found in judged.values()))
    return shown


def _believed(rates: RatePosterior) -> str:
    mean = rates.mean()
    return (
        f"corrected for wrong labels ({mean.negative:.0%} of the negatives, "
        f"{mean.positive:.0%} of the positives)"
    )
