"""Tables to files that are complete or not there, and to standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lwcal.cli.progress import late_progress
from lwcal.cli.sources import STANDARD
from lwcal.engines.duckdb.writing import write_rows
from lwcal.errors import ParameterError, message
from lwcal.files import check_writable, replacing
from lwcal.formats import COMPRESSED, Format, format_of
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


@contextmanager
def writing(out: str, *, overwrite: bool) -> Iterator[Path]:
    """Yield a file to write; it takes the target's name, or is printed, when the block ends well.

    What is printed waits in a file too: when the last row turns out to be wrong, no other was
    handed on.
    """
    if out != STANDARD:
        with replacing(out, overwrite=overwrite) as temporary:
            yield temporary
        return
    with TemporaryDirectory(prefix="lwcal-") as folder:
        path = Path(folder) / "rows"
        yield path
        with path.open("rb") as handle:
            shutil.copyfileobj(handle, sys.stdout.buffer)


def write_table(table: Any, out: Path, *, overwrite: bool) -> None:
    """Write an Arrow table, complete or not at all."""
    with late_progress(f"writing {out}"), replacing(out, overwrite=overwrite) as temporary:
        write_rows(table, temporary, format_of(str(out)), shown=str(out))
