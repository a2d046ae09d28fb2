"""``lwcal export``: export a calibrator to SQL, ONNX, Python or dbt, or write the JSON schema."""

from pathlib import Path

from lwcal.artifact.export import TARGETS
from lwcal.artifact.export import export as export_to
from lwcal.atomic_files import check_writable, refuse_inputs
from lwcal.calibrators import Calibrator
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.calibrator_file import holds_segments, load_with_segments
from lwcal.cli.console import print_json
from lwcal.errors import ParameterError
from lwcal.parameters import OneOf, check_parameter
from lwcal.segments import Segments


def run(
    calibrator: Path | None,
    *,
    to: str,
    dialect: str | None,
    column: list[str] | None,
    from_table: str | None,
    keep: list[str] | None,
    segment: list[str],
    max_error: float | None,
    append_to: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write or print the exported calibrator."""
    _check_call(to, calibrator, out, force=force)
    refuse_inputs(out, calibrator, append_to)
    if as_json and out is None:
        raise ParameterError("--json needs --out with a file name.")
    fitted = None if calibrator is None else _load(calibrator, segment)
    content = export_to(
        fitted,
        to,
        dialect=dialect,
        column=column[0] if column and len(column) == 1 else column or None,
        from_table=from_table,
        keep=keep or None,
        segment=fitted.columns if isinstance(fitted, Segments) and to == "sql" else segment or None,
        max_error=max_error,
        append_to=append_to,
        out=out,
        overwrite=force,
    )
    written = [] if out is None else [out]
    if to == "dbt":
        written += [file.with_suffix(".yml") for file in written]
    if as_json:
        print_json({"to": to, "written": [str(file) for file in written]})
    elif written:
        print(f"wrote {' and '.join(map(str, written))}")
    elif isinstance(content, str):
        print(content, end="")


def _load(path: Path, segment: list[str]) -> Calibrator | Segments:
    return load_with_segments(path, segment) if holds_segments(path) else load_calibrator(path)


def _check_call(to: str, calibrator: Path | None, out: Path | None, *, force: bool) -> None:
    """Refuse what cannot work before anything is read."""
    check_parameter("--to", to, OneOf(TARGETS))
    if calibrator is None and to != "json-schema":
        raise ParameterError(f"--to {to} needs a calibrator; give its JSON file.")
    if out is not None:
        check_writable(out, overwrite=force)
    elif to == "onnx":
        raise ParameterError("--to onnx needs --out, because its bytes are not text.")
