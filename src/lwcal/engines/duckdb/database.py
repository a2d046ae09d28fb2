"""Tables and views of a DuckDB database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from lwcal.engines.duckdb.files import is_address, paths_of
from lwcal.engines.duckdb.session import explained, literal, quoted
from lwcal.errors import InputError, message


@contextmanager
def attached(cursor: Any, source: str, shown: str) -> Iterator[str]:
    """Attach a database to a connection until the block ends, and yield its name there."""
    if not is_address(source):
        paths_of(source)
    name = f"lwcal_{uuid4().hex}"  # a user's connection may have several sources open
    with explained(shown):
        cursor.execute(f"ATTACH {literal(source)} AS {name} (READ_ONLY)")
    try:
        yield name
    finally:
        cursor.execute(f"DETACH {name}")


def table_query(cursor: Any, database: str, shown: str, table: str | None) -> str:
    """SQL that reads a table of an attached database; by default its only one."""
    names = _tables(cursor, database)
    if table is None and len(names) == 1:
        table = next(iter(names))
    if table not in names:
        listed = ", ".join(sorted(names)) or "nothing"
        expected = "one table" if table is None else f"a table {table!r}"
        hint = "name one with --table (table=)"
        raise InputError(message(f"{expected} in {shown}", listed, hint))
    place = ".".join(map(quoted, names[table]))
    return f"SELECT * FROM {database}.{place}"


def _tables(cursor: Any, database: str) -> dict[str, tuple[str, str]]:
    """Schema and name of every table and view, by the name that a user would type."""
    found = cursor.execute(
        f"SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '{database}' "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
        f"WHERE database_name = '{database}' AND NOT internal"
    ).fetchall()
    return {
        table if schema == "main" else f"{schema}.{table}": (schema, table)
        for schema, table in found
    }
