"""``lwcal export``: export a calibrator to SQL, ONNX or Python, or write the JSON schema."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.artifact.export import TARGETS
from lwcal.artifact.export import export as export_to
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.atomic_files import check_writable
from lwcal.cli import options
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.console import print_json
from lwcal.cli.options import one_of
from lwcal.errors import ParameterError
from lwcal.parameters import OneOf, check_parameter


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
        str | None, typer.Option("--column", help="Column of scores in the SQL. Default: score.")
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
    """Export a calibrator to SQL, ONNX or Python with the same values.

    Example: lwcal export calibrator.json --to sql --dialect postgres --column score
    """
    _check_call(to, calibrator, out, force=force)
    if as_json and out is None:
        raise ParameterError("--json needs --out with a file name.")
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
        raise ParameterError(f"--to {to} needs a calibrator; give its JSON file.")
    if out is not None:
        check_writable(out, overwrite=force)
    elif to == "onnx":
        raise ParameterError("--to onnx needs --out, because its bytes are not text.")
