"""The call of ``lwcal report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows()
def report(
    calibrator: options.CalibratorFile,
    rows: "RowsRequest",
    out: Annotated[Path, typer.Option("--out", help="HTML file to write.")] = Path("report.html"),
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = options.TITLE,
    trusted: options.Trusted = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            help="Column of segments, such as a country: the page says in which the calibrator "
            "holds. Repeat it for combinations.",
        ),
    ] = None,
    cost_false_positive: Annotated[
        float | None,
        typer.Option("--cost-false-positive", help="As for lwcal decide: adds its thresholds."),
    ] = None,
    cost_false_negative: Annotated[
        float | None, typer.Option("--cost-false-negative", help="As for lwcal decide.")
    ] = None,
    cost_review: Annotated[
        float | None, typer.Option("--cost-review", help="As for lwcal decide.")
    ] = None,
    capacity: Annotated[
        float | None,
        typer.Option("--capacity", help="Share of the rows that people can review."),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write an HTML page about a calibrator.

    The page opens with the verdict and both readings of the labels. Evidence, thresholds and
    labels to check follow. With --trusted, the verdict rests on the checked labels. Saved tables,
    Spark and --drop-invalid give the page without the list of labels. For a calibrator of several
    classes, --score names a column for each, such as --score "p_*".

    Example: lwcal report lwcal-demo/calibrator.json lwcal-demo/calibration.csv --out report.html
    """
    from lwcal.cli.report import run

    run(
        calibrator,
        rows,
        out=out,
        title=title,
        trusted=trusted,
        segment=segment or [],
        costs={
            "cost_false_positive": cost_false_positive,
            "cost_false_negative": cost_false_negative,
            "cost_review": cost_review,
            "capacity": capacity,
        },
        force=force,
        as_json=as_json,
    )
