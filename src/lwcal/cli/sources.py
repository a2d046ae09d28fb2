"""Where rows come from: files, a database, or a stream; all read by the DuckDB engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple

from lwcal.cli.progress import late_progress
from lwcal.engines.duckdb.files import GZIP, is_address, paths_of
from lwcal.engines.duckdb.interpreting import interpreted
from lwcal.engines.duckdb.session import explained, only_row, quoted
from lwcal.engines.duckdb.source import Source, opened
from lwcal.errors import InputError, message
from lwcal.formats import COMPRESSED, NAMES, format_of
from lwcal.parameters import OneOf, check_parameter

STANDARD = "-"
"""Standard input, or output."""
PIECE = 1 << 20


class Both(NamedTuple):
    """The same rows twice, as Arrow tables: with types, and as they are written where it is text.

    What names its types, such as Parquet, is the same in both.
    """

    table: Any
    text: Any


@contextmanager
def open_source(
    source: str, form: str | None = None, *, table: str | None = None, id_column: str | None = None
) -> Iterator[Source]:
    """Open the rows of a file, of several, of a database, of a pipe, or of standard input.

    While it is open, a bar shows that something is going on.

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
    with late_progress(f"reading {shown(source)}"), _opened(source, form, table) as rows:
        check_ids(rows, id_column)
        yield rows


def read_table(source: str, form: str | None = None, *, id_column: str | None = None) -> Any:
    """Read all rows into an Arrow table, for commands that need each of them.

    Ids in a text file stay as they are written.
    """
    with open_source(source, form, id_column=id_column) as rows:
        return with_rows(interpreted(rows, words=_id_words(id_column)).read(), rows.name)


def read_both(source: str, form: str | None = None, *, id_column: str | None = None) -> Both:
    """Read all rows with types and as they are written, from a stream that comes once too."""
    with open_source(source, form, id_column=id_column) as rows:
        text = with_rows(rows.read(), rows.name)
        typed = interpreted(rows, words=_id_words(id_column)).read() if rows.text else text
        return Both(typed, text)


def read_sample(rows: Source, count: int) -> Any:
    """Read the first rows, by which columns are found and told by their types."""
    return with_rows(interpreted(rows, rows=count).read(), rows.name)


def source_files(source: str) -> list[Path]:
    """Files that rows come from and that can be read again; none for streams and object stores."""
    return [] if _is_stream(source) or is_address(source) else paths_of(source)


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
    # of words an empty one is none either
    present = f"nullif({column}, '')" if rows.columns[name] == "VARCHAR" else column
    with explained(rows.name):
        missing, extra = only_row(
            rows.cursor,
            f"SELECT count(*) - count({present}), count({present}) - count(DISTINCT {present}) "
            f"FROM ({rows.sql})",
        )
        if missing:
            got = f"{missing:,} row{'s' if missing != 1 else ''} without one"
            raise InputError(message(f"an id in every row of column {name!r}", got))
        if extra:
            (first,) = only_row(
                rows.cursor,
                f"SELECT {column} FROM ({rows.sql}) GROUP BY 1 HAVING count(*) > 1 "
                "ORDER BY 1 LIMIT 1",
            )
            got = f"{extra:,} repeated row{'s' if extra != 1 else ''}, the first with {first!r}"
            raise InputError(message(f"every id in column {name!r} once", got, "drop the repeats"))


def _id_words(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _is_stream(source: str) -> bool:
    """Whether rows come once and in order: standard input, or a named pipe."""
    path = Path(source)
    return source == STANDARD or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def _opened(source: str, form: str | None, table: str | None) -> Iterator[Source]:
    if not _is_stream(source):
        with opened(source, form=form, table=table) as rows:
            yield rows
        return
    if form is None:
        form = "csv" if source == STANDARD else format_of(source).name
    with TemporaryDirectory(prefix="lwcal-") as folder:
        if source == STANDARD:
            path = _spooled(sys.stdin.buffer, Path(folder), form)
        else:
            with Path(source).open("rb") as handle:
                path = _spooled(handle, Path(folder), form)
        with _called(str(path), shown(source)), opened(path, name=shown(source)) as rows:
            yield rows


def _spooled(stream: IO[bytes], folder: Path, form: str) -> Path:
    """Keep a stream in a file: rows are looked at before they are read, so more than once."""
    first = stream.read(PIECE)
    compressed = form in COMPRESSED and first.startswith(GZIP)
    path = folder / f"rows.{form}{'.gz' if compressed else ''}"
    with path.open("wb") as handle:
        while first:
            handle.write(first)
            first = stream.read(PIECE)
    return path


@contextmanager
def _called(path: str, name: str) -> Iterator[None]:
    """Let errors speak of the stream: nobody knows the temporary file."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(path, name)) from None
