"""The call of ``lwcal apply``."""

from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.quick_arrays import with_quick_arrays
from lwcal.cli.row_options import takes_rows
from lwcal.files import COMPRESSED

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@with_quick_arrays
@takes_rows("label", "weight", "pos_label")
def apply(
    calibrator: options.CalibratorFile,
    rows: "RowsRequest",
    out: Annotated[
        str,
        typer.Option("--out", help="File to write; the ending decides the format. - prints."),
    ],
    segment: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            help="Column of segments, if the calibrator has several ones and the column is not "
            "called as in the fit. Repeat it for combinations.",
        ),
    ] = None,
    column_name: Annotated[
        str,
        typer.Option(
            "--column",
            help="Name of the new column of probabilities. With several classes, the class follows "
            "it: p_calibrated_cat.",
        ),
    ] = "p_calibrated",
    force_column: Annotated[
        bool, typer.Option("--force-column", help="Replace an existing column of this name.")
    ] = False,
    out_format: Annotated[
        str | None,
        typer.Option(
            "--out-format",
            help="Format for --out -: csv or jsonl.",
            autocompletion=options.one_of(COMPRESSED),
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Add a column of calibrated probabilities to rows of scores.

    All other columns stay as they came, and so does the order of the rows. Columns of CSV are text
    in every format: 007 stays 007.

    Example: lwcal apply lwcal-demo/calibrator.json lwcal-demo/calibration.csv --out new.parquet
    """
    from lwcal.cli.apply import run

    run(
        calibrator,
        rows,
        segment=segment or [],
        out=out,
        column_name=column_name,
        force_column=force_column,
        out_format=out_format,
        force=force,
        as_json=as_json,
    )
