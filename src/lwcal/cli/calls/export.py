"""The call of ``lwcal export``."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.cli import options
from lwcal.cli.options import DIALECTS, TARGETS, one_of


def export(
    to: Annotated[
        str,
        typer.Option("--to", help=f"Target: {', '.join(TARGETS)}.", autocompletion=one_of(TARGETS)),
    ],
    calibrator: Annotated[
        Path | None, typer.Argument(help="JSON file of a calibrator; not needed for json-schema.")
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            help=f"Dialect of SQL: {', '.join(DIALECTS)}. Default: duckdb.",
            autocompletion=one_of(DIALECTS),
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="NAME",
            help="Column of scores in the SQL. Default: score. More than two classes: a name with "
            "{class} in it, or one for each class (may be repeated). Default: score_{class}.",
        ),
    ] = None,
    from_table: Annotated[
        str | None,
        typer.Option(
            "--from-table",
            metavar="NAME",
            help="More than two classes: table that the SQL reads. Default: scores.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="NAME",
            help="More than two classes: column that the SQL returns too, such as a key. May be "
            "repeated.",
        ),
    ] = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            metavar="NAME",
            help="Calibrators by segment: column of segments in the SQL, if it is not called as in "
            "the fit. Repeat it for combinations.",
        ),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option("--max-error", help="Drop knots while no value changes by more than this."),
    ] = None,
    append_to: Annotated[
        Path | None,
        typer.Option("--append-to", help="ONNX classifier to add the calibrator to."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write. Default: standard output.")
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Export a calibrator to SQL, ONNX, Python or dbt with the same values.

    Example: lwcal export calibrator.json --to sql --dialect postgres --column score
    """
    from lwcal.cli.export import run

    run(
        calibrator,
        to=to,
        dialect=dialect,
        column=column,
        from_table=from_table,
        keep=keep,
        segment=segment or [],
        max_error=max_error,
        append_to=append_to,
        out=out,
        force=force,
        as_json=as_json,
    )
