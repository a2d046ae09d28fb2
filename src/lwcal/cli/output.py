"""Tables to files that are complete or not there, and to standard output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from lwcal.cli.formats import COMPRESSED, Format, format_of, write
from lwcal.cli.progress import late_progress
from lwcal.cli.sources import STANDARD
from lwcal.errors import ParameterError, message
from lwcal.files import check_writable, replacing
from lwcal.parameters import OneOf, check_parameter


def output_format(out: str, form: str | None) -> Format:
    """Tell the format of an output: by its name; CSV or JSON lines on standard output."""
    if out != STANDARD:
        if form is not None:
            raise ParameterError(message("--out-format with --out -", f"--out {out}"))
        return format_of(out)
    check_parameter("--out-format", form or "csv", OneOf(COMPRESSED))
    return Format(form or "csv")


def check_output(out: str, form: str | None = None, *, overwrite: bool) -> Format:
    """Refuse a table's target before any work is done for it."""
    known = output_format(out, form)
    if out != STANDARD:
        check_writable(out, overwrite=overwrite)
    return known


def write_table(
    table: Any, out: str | Path, form: Format | None = None, *, overwrite: bool
) -> None:
    """Write an Arrow table, complete or not at all."""
    known = form or format_of(str(out))
    if str(out) == STANDARD:
        write(table, sys.stdout.buffer, known)
        return
    with (
        late_progress(f"writing {out}"),
        replacing(out, overwrite=overwrite) as temporary,
        temporary.open("wb") as handle,
    ):
        write(table, handle, known)
