"""Rows of a query to a file, in the format of its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pyarrow import ipc

from lwcal.engines.duckdb.session import BATCH_ROWS, explained, literal, only_row, quoted
from lwcal.engines.duckdb.source import Source
from lwcal.files import PathLike
from lwcal.formats import Format

OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"'",
    "parquet": "FORMAT parquet, COMPRESSION snappy",
    "jsonl": "FORMAT json, ARRAY false",
}
FLOATS = ("DOUBLE", "FLOAT")


def write_query(source: Source, sql: str, target: PathLike, form: Format, *, shown: str) -> int:
    """Write the rows of a query; return their number. ``shown`` names the target in messages."""
    path = os.fspath(target)
    with explained(source.name, writing=shown):
        if form.name == "arrow":
            return _write_arrow(source.cursor, sql, path)
        if form.name == "jsonl":
            sql = _without_nan(source.cursor, sql)
        compression = ", COMPRESSION gzip" if form.compressed else ""
        # the target is a temporary file already, and needs no other one
        options = f"{OPTIONS[form.name]}{compression}, USE_TMP_FILE false"
        (rows,) = only_row(source.cursor, f"COPY ({sql}) TO {literal(path)} ({options})")
        return int(rows)


def _without_nan(cursor: Any, sql: str) -> str:
    """Strict JSON has no word for NaN and infinity; null is what readers expect for them."""
    columns = cursor.execute(f"DESCRIBE {sql}").fetchall()
    replaced = ", ".join(
        f"CASE WHEN isfinite({quoted(name)}) THEN {quoted(name)} END AS {quoted(name)}"
        for name, kind, *_ in columns
        if kind in FLOATS
    )
    return f"SELECT * REPLACE ({replaced}) FROM ({sql})" if replaced else sql


def _write_arrow(cursor: Any, sql: str, path: str) -> int:
    rows = 0
    with (
        cursor.sql(sql).to_arrow_reader(BATCH_ROWS) as reader,
        Path(path).open("wb") as handle,
        ipc.new_file(handle, reader.schema) as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows
