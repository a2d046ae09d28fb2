"""The call of ``lwcal compare``."""

from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.options import ESTIMATE, METHODS
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows(timed=True)
def compare(
    rows: "RowsRequest",
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
    noise_matrix: options.NoiseMatrix = None,
    split_time: Annotated[
        str | None,
        typer.Option(
            "--split-time",
            metavar="COLUMN",
            help="Column of dates or timestamps: fit to earlier rows, and judge on later ones.",
        ),
    ] = None,
    split_at: Annotated[
        str | None,
        typer.Option(
            "--split-at",
            metavar="DATE",
            help="First time of the later rows. Default: they are about the latest 30%.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Cross-fit several calibrators, and compare them with the raw score.

    With --split-time, they are fitted to earlier rows and judged on later ones, as in use. The
    metrics are shown as labelled and corrected for label noise.

    Example: lwcal compare lwcal-demo/calibration.csv --method platt,isotonic,gated,auto
    """
    from lwcal.cli.compare import run

    run(
        rows,
        method=method,
        noise_rates=noise_rates,
        noise_matrix=noise_matrix,
        split_time=split_time,
        split_at=split_at,
        as_json=as_json,
    )
