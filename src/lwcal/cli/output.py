"""Write tables atomically to files, or to standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lwcal.atomic_files import check_writable, replacing
from lwcal.cli.options import STANDARD
from lwcal.cli.progress import late_progress
from lwcal.engines.duckdb.session import spill_folder
from lwcal.engines.duckdb.writing import write_rows
from lwcal.errors import ParameterError, message
from lwcal.files import COMPRESSED, Format, format_of
from lwcal.parameters import OneOf, check_parameter


def output_format(out: str, form: str | None) -> Format:
    """Format of an output: its name decides; on standard output it is CSV or JSON lines."""
    if out != STANDARD:
        if form is not None:
            raise ParameterError(message("--out-format with --out -", f"--out {out}"))
        return format_of(out)
    check_parameter("--out-format", form or "csv", OneOf(COMPRESSED))
    return Format(form or "csv")


def check_output(out: str, form: str | None = None, *, overwrite: bool) -> Format:
    """Refuse the target of a table before any work is done."""
    known = output_format(out, form)
    if out != STANDARD:
        check_writable(out, overwrite=overwrite)
    return known


@contextmanager
def writing(out: str, *, overwrite: bool) -> Iterator[Path]:
    """Yield a file to write; it is renamed or printed when the block ends without an error.

    Rows for standard output wait in a file too: if the last row is invalid, none is printed.
    """
    if out != STANDARD:
        with replacing(out, overwrite=overwrite) as temporary:
            yield temporary
        return
    with spill_folder() as folder:
        path = folder / "rows"
        yield path
        with path.open("rb") as handle:
            shutil.copyfileobj(handle, sys.stdout.buffer)


def write_table(table: Any, out: Path, *, overwrite: bool) -> None:
    """Write an Arrow table atomically."""
    with late_progress(f"writing {out}"), replacing(out, overwrite=overwrite) as temporary:
        write_rows(table, temporary, format_of(str(out)), shown=str(out))
