"""The call of ``lwcal evaluate``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows()
def evaluate(
    rows: "RowsRequest",
    calibrator: Annotated[
        Path | None,
        typer.Argument(
            help="JSON file of a calibrator, before or after SCORES. Default: only the raw score."
        ),
    ] = None,
    noise_rates: Annotated[
        str | None,
        typer.Option(
            "--noise-rates",
            help="Flip rates r0,r1 of the labels, or estimate. Default: every label is right.",
        ),
    ] = None,
    noise_matrix: options.NoiseMatrix = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure the quality of raw and calibrated probabilities, with intervals.

    Use rows that the calibrator was not fitted to. Labels count as right unless you give
    --noise-rates or, for several classes, --noise-matrix.

    Example: lwcal evaluate lwcal-demo/calibrated.csv --noise-rates estimate
    """
    from lwcal.cli.evaluate import run

    run(
        rows,
        calibrator=calibrator,
        noise_rates=noise_rates,
        noise_matrix=noise_matrix,
        as_json=as_json,
    )
