"""Parquet and JSON lines: files that say what type their columns have."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from lwcal.engines.duckdb.files import is_compressed
from lwcal.engines.duckdb.session import explained, literal
from lwcal.engines.duckdb.text import check_different, check_same_names
from lwcal.errors import InputError, message

NUMBERS = [
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
    "FLOAT",
    "DOUBLE",
]


def typed_query(cursor: Any, paths: list[Path], form: str, *, hive: bool) -> str:
    """SQL that reads the files as one, after their columns were compared."""
    kinds: dict[str, tuple[str, Path]] = {}
    for path in paths:
        with explained(str(path)):
            columns = _columns(cursor, _read([path], form, hive=False))
        check_different(list(columns), str(path))
        if kinds:
            check_same_names(kinds, columns, paths[0], path)
        for name, kind in columns.items():
            _check_kind(kinds, name, kind, path)
    if form == "parquet":
        return _read(paths, form, hive=hive)
    parts = [_read(list(group), form, hive=hive) for _, group in groupby(paths, key=is_compressed)]
    return " UNION ALL BY NAME ".join(parts)


def address_query(address: str, form: str) -> str:
    """SQL that reads what lies in an object store; files that differ are DuckDB's to refuse."""
    return f"SELECT * FROM {_reader(literal(address), form)})"


def _check_kind(kinds: dict[str, tuple[str, Path]], name: str, kind: str, path: Path) -> None:
    """Whole and other numbers may mix; a column without values agrees with any."""
    seen, where = kinds.get(name, ("NULL", path))
    if _kind(seen) is None:
        kinds[name] = (kind, path)
    elif _kind(kind) not in (None, _kind(seen)):
        expected = f"column {name!r} of {path} to be {seen} as in {where}"
        raise InputError(message(expected, kind))


def _kind(duckdb_type: str) -> str | None:
    if duckdb_type in ("NULL", '"NULL"', "JSON"):  # JSON: nothing but nulls, or a mixture
        return None
    return "number" if duckdb_type in NUMBERS or "DECIMAL" in duckdb_type else duckdb_type


def _columns(cursor: Any, sql: str) -> dict[str, str]:
    return {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {sql}").fetchall()}


def _read(paths: list[Path], form: str, *, hive: bool) -> str:
    files = ", ".join(literal(str(path)) for path in paths)
    options = ", hive_partitioning = true" if hive else ""
    if form == "jsonl":  # by the content of the files, which are all of a kind here
        options += f", compression = '{'gzip' if is_compressed(paths[0]) else 'none'}'"
    return f"SELECT * FROM {_reader(f'[{files}]', form)}{options})"


def _reader(files: str, form: str) -> str:
    if form == "parquet":
        return f"read_parquet({files}, union_by_name = true"
    # all rows are looked at, so that no column and no type is missed that appears late
    return (
        f"read_json({files}, format = 'newline_delimited', sample_size = -1, union_by_name = true"
    )
