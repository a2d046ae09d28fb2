"""Tables and views of a DuckDB database."""

from __future__ import annotations

from typing import Any

from lwcal.engines.duckdb.files import is_address, paths_of
from lwcal.engines.duckdb.session import explained, literal, quoted
from lwcal.errors import InputError, message

ATTACHED = "lwcal_source"


def database_query(cursor: Any, source: str, shown: str, table: str | None) -> str:
    """SQL that reads a table of a database; by default its only one."""
    if not is_address(source):
        paths_of(source)
    with explained(shown):
        cursor.execute(f"ATTACH {literal(source)} AS {ATTACHED} (READ_ONLY)")
    names = _tables(cursor)
    if table is None and len(names) == 1:
        table = next(iter(names))
    if table not in names:
        listed = ", ".join(sorted(names)) or "nothing"
        expected = "one table" if table is None else f"a table {table!r}"
        hint = "name one with --table (table=)"
        raise InputError(message(f"{expected} in {shown}", listed, hint))
    place = ".".join(map(quoted, names[table]))
    return f"SELECT * FROM {ATTACHED}.{place}"


def _tables(cursor: Any) -> dict[str, tuple[str, str]]:
    """Schema and name of every table and view, by the name that a user would type."""
    found = cursor.execute(
        f"SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '{ATTACHED}' "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
        f"WHERE database_name = '{ATTACHED}' AND NOT internal"
    ).fetchall()
    return {
        table if schema == "main" else f"{schema}.{table}": (schema, table)
        for schema, table in found
    }
