"""Rows wherever they lie, as one relation: files, folders, databases, frames."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from lwcal.engines.duckdb import text, typed
from lwcal.engines.duckdb.files import (
    common_format,
    is_address,
    is_database,
    is_partitioned,
    paths_of,
)
from lwcal.engines.duckdb.session import BATCH_ROWS, explained, literal, quoted, session
from lwcal.errors import InputError, ParameterError, message
from lwcal.formats import NAMES, Format, format_of
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.frames import batches_of


@dataclass(frozen=True)
class Source:
    """An open source.

    Attributes
    ----------
    cursor : DuckDB connection
    sql : str
        A query for all rows.
    name : str
        What to call the source in messages.
    columns : dict of str to str
        Names of the columns, with DuckDB's types.
    text : bool
        Whether everything was read as text, so that numbers have yet to be told from words.
    """

    cursor: Any
    sql: str
    name: str
    columns: dict[str, str]
    text: bool = False

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield record batches of some columns, in the order of the rows."""
        chosen = ", ".join(map(quoted, self.require(names)))
        with explained(self.name):
            query = self.cursor.sql(f"SELECT {chosen} FROM ({self.sql})")
            # closed at the end whoever breaks off: an open result blocks the connection
            with query.to_arrow_reader(BATCH_ROWS) as reader:
                yield from reader

    def read(self) -> Any:
        """Read all rows into an Arrow table."""
        with explained(self.name):
            return self.cursor.sql(self.sql).to_arrow_table()

    def require(self, names: Sequence[str]) -> Sequence[str]:
        """Refuse names of columns that are not there."""
        for name in names:
            if name not in self.columns:
                listed = ", ".join(f"{known} ({kind})" for known, kind in self.columns.items())
                expected = f"a column {name!r} in {self.name}"
                raise InputError(message(expected, f"the columns {listed}"))
        return names


@contextmanager
def opened(
    source: Any,
    *,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
    name: str | None = None,
) -> Iterator[Source]:
    """Open a source for as long as the block lasts.

    Parameters
    ----------
    source : path, pattern, folder, address or frame
    form : {"csv", "parquet", "jsonl", "arrow"}, optional
        By default what the names say.
    table : str, optional
        Table or view of a database; by default the only one.
    connection : DuckDB connection, optional
        Where the user has set up object stores, extensions or limits.
    threads : int, optional
        By default all cores.
    name : str, optional
        What to call the source in messages.
    """
    if form is not None:
        check_parameter("format", form, OneOf(NAMES))
    is_named = isinstance(source, (str, os.PathLike))
    shown = name or (os.fspath(source) if is_named else "the frame")
    with session(connection, threads) as cursor:
        if is_named:
            sql, is_text = _named(cursor, os.fspath(source), shown, form, table)
        else:
            sql, is_text = _frame(cursor, source), False
        with explained(shown):
            described = cursor.execute(f"DESCRIBE {sql}").fetchall()
        yield Source(cursor, sql, shown, {row[0]: row[1] for row in described}, is_text)


def _named(
    cursor: Any, source: str, shown: str, form: str | None, table: str | None
) -> tuple[str, bool]:
    if form is None and is_database(source):
        return _database(cursor, source, shown, table), False
    if table is not None:
        raise ParameterError(message("a database with --table (table=)", shown))
    if is_address(source):
        known = Format(form) if form else format_of(source)
        if known.name == "csv":
            return text.address_query(source), True
        return typed.address_query(source, known.name), False
    paths = paths_of(source)
    known = common_format(paths, form, shown)
    hive = is_partitioned(paths)
    if known.name == "arrow":
        return _register(cursor, _arrow_batches(paths)), False
    for path in paths:
        with path.open("rb"):  # what cannot be opened is told by the system, with its own number
            pass
    if known.name == "csv":
        return text.csv_query(paths, hive=hive), True
    return typed.typed_query(cursor, paths, known.name, hive=hive), False


def _database(cursor: Any, source: str, shown: str, table: str | None) -> str:
    if not is_address(source):
        paths_of(source)
    with explained(shown):
        cursor.execute(f"ATTACH {literal(source)} AS lwcal_source (READ_ONLY)")
    found = cursor.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'lwcal_source' "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
        "WHERE database_name = 'lwcal_source' AND NOT internal"
    ).fetchall()
    names = {_table_name(*pair): pair for pair in found}
    if table is None and len(names) == 1:
        table = next(iter(names))
    if table not in names:
        listed = ", ".join(sorted(names)) or "nothing"
        what = "one table" if table is None else f"a table {table!r}"
        raise InputError(message(f"{what} in {shown}", listed, "name one with --table (table=)"))
    place = ".".join(map(quoted, names[table]))
    return f"SELECT * FROM lwcal_source.{place}"


def _table_name(schema: str, table: str) -> str:
    return table if schema == "main" else f"{schema}.{table}"


def _frame(cursor: Any, frame: Any) -> str:
    if type(frame).__module__.partition(".")[0] == "pandas":
        return _register(cursor, pa.Table.from_pandas(frame, preserve_index=False))
    batches = batches_of(frame)
    first = next(batches, None)
    if first is None:
        raise InputError(message("at least one row in the frame", "none"))
    return _register(
        cursor, pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    )


def _register(cursor: Any, rows: Any) -> str:
    cursor.register("lwcal_rows", rows)
    return "SELECT * FROM lwcal_rows"


def _arrow_batches(paths: list[Path]) -> Any:
    """Arrow files, which DuckDB does not read: mapped into memory, not copied into it."""
    tables = {path: _arrow_table(path) for path in paths}
    (first, schema), *others = ((path, table.schema) for path, table in tables.items())
    for path, other in others:
        text.check_same_names(schema.names, other.names, first, path)
        for field in other:
            if field.type != schema.field(field.name).type:
                expected = f"column {field.name!r} of {path} to be {schema.field(field.name).type}"
                raise InputError(message(f"{expected} as in {first}", str(field.type)))
    return pa.concat_tables([table.select(schema.names) for table in tables.values()])


def _arrow_table(path: Path) -> Any:
    try:
        with path.open("rb") as handle:
            magic = handle.read(6)
        if not magic:
            raise pa.ArrowInvalid("Empty file")
        mapped = pa.memory_map(str(path))
        opened = ipc.open_file(mapped) if magic == b"ARROW1" else ipc.open_stream(mapped)
        table = opened.read_all()
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"{path} cannot be read: {reason.removesuffix('.')}.") from None
    text.check_different(table.column_names, str(path))
    return table
