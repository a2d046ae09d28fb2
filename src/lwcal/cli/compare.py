"""``lwcal compare``: several calibrators on one file."""

from typing import Annotated

import typer
from rich.table import Table

from lwcal.cli import options
from lwcal.cli.columns import Asked, read_rows
from lwcal.cli.completion import some_of
from lwcal.cli.console import print_json, stdout
from lwcal.cli.methods import METHODS, check_method
from lwcal.cli.progress import late_progress
from lwcal.cli.rates import parse_noise
from lwcal.cli.tables import numbers_table, with_interval
from lwcal.diagnosis import DEFAULT_METHODS, Comparison
from lwcal.diagnosis import compare as compare_rows
from lwcal.estimates import Estimate


def compare(
    scores: options.ScoresFile,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"Some of {', '.join(METHODS)}, with commas.",
            autocompletion=some_of(METHODS),
        ),
    ] = None,
    score: options.Score = None,
    label: options.Label = None,
    noise: Annotated[
        str, typer.Option("--noise", help="Known flip rates r0,r1, or: estimate.")
    ] = "estimate",
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    as_json: options.AsJson = False,
) -> None:
    """Cross-fit calibrators, and score them with labels as they are and corrected for noise.

    Example: lwcal compare lwcal-demo/calibration.csv --method platt,isotonic,gated,auto
    """
    methods = _methods(method)
    known = parse_noise(noise)
    rows = read_rows(scores, Asked(score, label, weight, pos_label, id_column, form))
    table = rows.table()
    with late_progress("calibrators", len(methods)) as advance:
        found = compare_rows(table, methods=methods, noise_rates=known, on_progress=advance)
    if as_json:
        print_json(found.to_dict())
    else:
        stdout().print(_shown(found))


def _methods(text: str | None) -> tuple[str, ...]:
    if text is None:
        return DEFAULT_METHODS
    names = [name.strip() for name in text.split(",")]
    for name in names:
        check_method(name)
    return tuple(dict.fromkeys(["identity", *names]))  # the raw score is what they are held to


def _shown(found: Comparison) -> Table:
    caption = (
        f"{found.n:,} rows, cross-fitted; NLL and ECE corrected for noise; "
        "90% intervals, paired with the raw score"
    )
    shown = numbers_table(
        "\ncalibrator", "\nNLL", "\nless raw", "\nECE", "NLL as\nlabelled", caption=caption
    )
    for one in found.candidates:
        shown.add_row(
            one.method,
            with_interval(one.corrected["nll"]),
            _change(one.corrected_change),
            f"{one.corrected['ece'].value:.3f}",
            f"{one.labelled['nll']:.3f}",
        )
    return shown


def _change(found: Estimate) -> str:
    if found.low == found.high == 0.0:
        return ""  # the raw score against itself
    return with_interval(found, "+.3f")
