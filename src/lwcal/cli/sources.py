"""Where rows come from: files, a database, or standard input; all read by the DuckDB engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lwcal.engines.duckdb.files import is_address, paths_of
from lwcal.engines.duckdb.interpreting import interpreted
from lwcal.engines.duckdb.session import explained, only_row, quoted
from lwcal.engines.duckdb.source import Source, opened
from lwcal.errors import InputError, message
from lwcal.formats import COMPRESSED, NAMES
from lwcal.parameters import OneOf, check_parameter

STANDARD = "-"
"""Standard input, or output."""
GZIP = b"\x1f\x8b"
PIECE = 1 << 20


@contextmanager
def open_source(
    source: str, form: str | None = None, *, table: str | None = None, id_column: str | None = None
) -> Iterator[Source]:
    """Open the rows of a file, of several, of a database, or of standard input.

    Parameters
    ----------
    source : str
        Name of a file, folder or database; a pattern such as ``scores/*.parquet``; or ``-``.
    form : {"csv", "parquet", "jsonl", "arrow"}, optional
        By default what the names say, and CSV from standard input.
    table : str, optional
        Table of a database.
    id_column : str, optional
        Column in which no value may be missing or occur twice.
    """
    if form is not None:
        check_parameter("--format", form, OneOf(NAMES))
    if source == STANDARD:
        with TemporaryDirectory(prefix="lwcal-") as folder:
            path = _spooled(Path(folder), form or "csv")
            with _called(str(path)), opened(path, name=shown(STANDARD)) as rows:
                check_ids(rows, id_column)
                yield rows
        return
    with opened(source, form=form, table=table) as rows:
        check_ids(rows, id_column)
        yield rows


def read_table(source: str, form: str | None = None, *, id_column: str | None = None) -> Any:
    """Read all rows into an Arrow table, for commands that need each of them."""
    with open_source(source, form, id_column=id_column) as rows:
        return with_rows(interpreted(rows).read(), rows.name)


def read_sample(rows: Source, count: int) -> Any:
    """Read the first rows, by which columns are found and told by their types."""
    return with_rows(interpreted(rows, rows=count).read(), rows.name)


def source_files(source: str) -> list[Path]:
    """Files that rows come from; none for standard input and object stores."""
    return [] if source == STANDARD or is_address(source) else paths_of(source)


def shown(source: str) -> str:
    """Name a source in a message."""
    return "standard input" if source == STANDARD else source


def with_rows(table: Any, source: str) -> Any:
    """Refuse a table without rows."""
    if table.num_rows == 0:
        raise InputError(message(f"at least one row in {source}", "none"))
    return table


def check_ids(rows: Source, name: str | None) -> None:
    """Refuse ids that are missing or occur more than once: such rows would count twice."""
    if name is None:
        return
    rows.require([name])
    column = quoted(name)
    with explained(rows.name):
        missing, extra = only_row(
            rows.cursor,
            f"SELECT count(*) - count({column}), count({column}) - count(DISTINCT {column}) "
            f"FROM ({rows.sql})",
        )
        if missing:
            got = f"{missing:,} rows without one"
            raise InputError(message(f"an id in every row of column {name!r}", got))
        if extra:
            (first,) = only_row(
                rows.cursor,
                f"SELECT {column} FROM ({rows.sql}) GROUP BY 1 HAVING count(*) > 1 "
                "ORDER BY 1 LIMIT 1",
            )
            got = f"{extra:,} repeated row{'s' if extra != 1 else ''}, the first with {first}"
            raise InputError(message(f"every id in column {name!r} once", got, "drop the repeats"))


def _spooled(folder: Path, form: str) -> Path:
    """Keep standard input in a file: rows are looked at before they are read, so more than once."""
    first = sys.stdin.buffer.read(PIECE)
    compressed = form in COMPRESSED and first.startswith(GZIP)
    path = folder / f"rows.{form}{'.gz' if compressed else ''}"
    with path.open("wb") as handle:
        while first:
            handle.write(first)
            first = sys.stdin.buffer.read(PIECE)
    return path


@contextmanager
def _called(path: str) -> Iterator[None]:
    """Let errors speak of standard input: nobody knows the temporary file."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(path, shown(STANDARD))) from None
