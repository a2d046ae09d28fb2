"""``lwcal monitor``: do new rows still look like those of the fit."""

from typing import Any

from rich.table import Table

from lwcal.cli import options
from lwcal.cli.columns import (
    Asked,
    checked_labels,
    checked_scores,
    read_weights,
    say_found,
)
from lwcal.cli.console import note, print_json, stdout
from lwcal.cli.diagnose import NEGATIVE
from lwcal.cli.finding import find_label, find_score, has_label
from lwcal.cli.loading import load_calibrator
from lwcal.cli.progress import late_progress
from lwcal.cli.sources import read_table
from lwcal.cli.tables import numbers_table, with_interval
from lwcal.monitoring import Monitoring, reference_of
from lwcal.monitoring import monitor as monitor_rows
from lwcal.monitoring.verdict import THRESHOLDS, Snapshot


def monitor(
    calibrator: options.CalibratorFile,
    scores: options.ScoresFile,
    score: options.Score = None,
    label: options.Label = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    as_json: options.AsJson = False,
) -> int:
    """Compare new rows with those of the fit; exits with 1 when the calibrator needs a refit.

    Without labels only the scores are compared.

    Example: lwcal monitor lwcal-demo/calibrator.json lwcal-demo/calibrated.csv
    """
    fitted = load_calibrator(calibrator)
    reference_of(fitted)  # which refuses what cannot be monitored, before any row is read
    asked = Asked(score, label, weight, pos_label, id_column, form, fitted=fitted.pos_label)
    columns = _columns(scores, asked)
    with late_progress("comparing"):
        found = monitor_rows(fitted, *columns, pos_label=1)
    if as_json:
        print_json(found.to_dict())
    else:
        _print(found)
    return NEGATIVE if found.verdict == "refit" else 0


def _columns(source: str, asked: Asked) -> tuple[Any, Any, Any]:
    """Scores, labels if there are some, weights if they are named."""
    table = read_table(source, asked.form, id_column=asked.id)
    score = asked.score or find_score(table, source)
    label = asked.label or (find_label(table, source) if has_label(table) else None)
    scores = checked_scores(table, score, source)
    labels = None if label is None else checked_labels(table, label, asked, source)
    weights = read_weights(table, asked.weight, source)
    say_found("score", asked.score, score)
    if label is None:
        note("no labels: only the scores are compared")
    else:
        say_found("label", asked.label, label)
    return scores, labels, weights


def _print(found: Monitoring) -> None:
    console = stdout()
    console.print(f"[bold]{found.sentence}[/bold]\n")
    console.print(_tests(found))
    console.print()
    console.print(_snapshots(found))


EFFECTS = {
    "scores": "PSI",
    "disagreement": "change of d",
    "labels": "change at equal scores",
}


def _tests(found: Monitoring) -> Table:
    shown = numbers_table("compared", "effect", "size", "watch", "refit", "p (Holm)", "says")
    shown.columns[1].justify = "left"
    for test in found.tests:
        watch, refit = THRESHOLDS[test.name]
        cells = (f"{test.effect:.3f}", f"{watch:g}", f"{refit:g}", f"{test.p_adjusted:.2g}")
        shown.add_row(test.name, EFFECTS[test.name], *cells, test.level)
    return shown


def _snapshots(found: Monitoring) -> Table:
    shown = numbers_table("", "at the fit", "now")
    columns = [_cells(snapshot) for snapshot in (found.fitted, found.new)]
    names = ("rows", "positive labels", "disagreement d", "gate rho", "ECE against these labels")
    for name, before, after in zip(names, *columns, strict=True):
        shown.add_row(name, before, after)
    return shown


def _cells(snapshot: Snapshot) -> list[str]:
    numbers = (snapshot.base_rate, snapshot.d, snapshot.rho)
    ece = snapshot.ece
    return [
        f"{snapshot.n:,}",
        *("" if number is None else f"{number:.3f}" for number in numbers),
        "" if ece is None else with_interval(ece),
    ]
