"""``lwcal export``: a calibrator to SQL, ONNX or Python, or the schema of its file."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.artifact.export import TARGETS
from lwcal.artifact.export import export as export_to
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.cli import options
from lwcal.cli.completion import one_of
from lwcal.cli.console import print_json
from lwcal.cli.loading import load_calibrator
from lwcal.errors import ParameterError, message
from lwcal.files import check_writable
from lwcal.parameters import OneOf, check_parameter


def export(
    to: Annotated[
        str,
        typer.Option("--to", help=f"One of {', '.join(TARGETS)}.", autocompletion=one_of(TARGETS)),
    ],
    calibrator: Annotated[
        Path | None, typer.Argument(help="JSON file that `fit` wrote; not needed for json-schema.")
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            help="duckdb (the default), postgres, sqlite, spark, bigquery, snowflake or tsql.",
            autocompletion=one_of(DIALECTS),
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Column of scores in the SQL; default: score.")
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option("--max-error", help="Leave out knots; no value moves by more than this."),
    ] = None,
    append_to: Annotated[
        Path | None,
        typer.Option("--append-to", help="ONNX classifier to which the calibrator is added."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write; default: standard output.")
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write a calibrator in another language, with the same values.

    Example: lwcal export calibrator.json --to sql --dialect postgres --column score
    """
    _check_call(to, calibrator, out, force=force)
    if as_json and out is None:
        raise ParameterError(message("--out with a file name when --json is given", "none"))
    fitted = None if calibrator is None else load_calibrator(calibrator)
    content = export_to(
        fitted,
        to,
        dialect=dialect,
        column=column,
        max_error=max_error,
        append_to=append_to,
        out=out,
        overwrite=force,
    )
    if as_json:
        print_json({"to": to, "written": [str(out)]})
    elif out is not None:
        print(f"wrote {out}")
    elif isinstance(content, str):
        print(content, end="")


def _check_call(to: str, calibrator: Path | None, out: Path | None, *, force: bool) -> None:
    """Refuse what cannot work before anything is read."""
    check_parameter("--to", to, OneOf(TARGETS))
    if calibrator is None and to != "json-schema":
        raise ParameterError(message(f"a calibrator with --to {to}", "none"))
    if out is not None:
        check_writable(out, overwrite=force)
    elif to == "onnx":
        raise ParameterError(message("--out with --to onnx", "none", "its bytes are not text"))
