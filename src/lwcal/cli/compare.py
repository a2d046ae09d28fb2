"""``lwcal compare``: compare several calibrators on the same rows."""

from typing import Annotated

import typer
from rich.table import Table

from lwcal.cli import options
from lwcal.cli.arguments import ESTIMATE, check_method, known_noise_rates
from lwcal.cli.console import (
    late_progress,
    numbers_table,
    print_json,
    stdout,
    with_interval,
)
from lwcal.cli.options import METHODS
from lwcal.cli.request import ReducedRows, RowsRequest, takes_rows
from lwcal.diagnosis import DEFAULT_METHODS, Comparison
from lwcal.diagnosis import compare as compare_table
from lwcal.estimates import Estimate


@takes_rows()
def compare(
    rows: RowsRequest,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"Calibrators, separated by commas: {', '.join(METHODS)}.",
            autocompletion=options.some_of(METHODS),
        ),
    ] = None,
    noise_rates: Annotated[
        str,
        typer.Option("--noise-rates", help="Known flip rates r0,r1 of the labels, or estimate."),
    ] = ESTIMATE,
    as_json: options.AsJson = False,
) -> None:
    """Cross-fit several calibrators, and compare them with the raw score.

    The metrics are shown as labelled and corrected for label noise.

    Example: lwcal compare lwcal-demo/calibration.csv --method platt,isotonic,gated,auto
    """
    methods = _methods(method)
    known = known_noise_rates(noise_rates)
    found = rows.reduce()
    with late_progress("calibrators", len(methods)) as advance:
        compared = compare_table(
            found.table, methods=methods, noise_rates=known, on_progress=advance
        )
    if as_json:
        print_json({**compared.to_dict(), **found.facts()})
    else:
        stdout().print(_table(compared, found))


def _methods(text: str | None) -> tuple[str, ...]:
    if text is None:
        return DEFAULT_METHODS
    names = [name.strip() for name in text.split(",")]
    for name in names:
        check_method(name)
    return tuple(dict.fromkeys(["identity", *names]))  # the raw score is the yardstick


def _table(compared: Comparison, found: ReducedRows) -> Table:
    caption = (
        f"{compared.n:,} rows, cross-fitted; positive class: {found.positive_class}; score "
        f"scale: {found.table.scale}; NLL (log loss) and ECE corrected for label noise; 90% "
        "intervals, paired with the raw score"
    )
    table = numbers_table(
        "\ncalibrator", "\nNLL", "minus\nraw score", "\nECE", "NLL as\nlabelled", caption=caption
    )
    for one in compared.candidates:
        table.add_row(
            one.method,
            with_interval(one.corrected["nll"]),
            _change(one.corrected_change),
            f"{one.corrected['ece'].value:.3f}",
            f"{one.labelled['nll']:.3f}",
        )
    return table


def _change(found: Estimate) -> str:
    if found.low == found.high == 0.0:
        return ""  # the raw score compared with itself
    return with_interval(found, "+.3f")
