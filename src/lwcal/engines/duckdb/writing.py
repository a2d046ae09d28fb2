"""Rows to a file, in the format of its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pyarrow import ipc

from lwcal.engines.duckdb.session import explained, literal, only_row, quoted, session
from lwcal.files import PathLike
from lwcal.formats import Format

ROW_GROUP = 122_880
"""Rows that DuckDB collects before it writes them to Parquet."""
DICTIONARY = ROW_GROUP // 5
"""Distinct values up to which a column of a row group is written as a dictionary and places in it.
To build one for scores that hardly ever repeat, and drop it, took a third of the time."""
OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"'",
    "parquet": f"FORMAT parquet, COMPRESSION snappy, DICTIONARY_SIZE_LIMIT {DICTIONARY}",
    "jsonl": "FORMAT json, ARRAY false",
}
MEMORY = 1 << 30
FLOATS = ("DOUBLE", "FLOAT")


def write_rows(
    rows: Any, target: PathLike, form: Format, *, shown: str, row_bytes: float = 0.0
) -> int:
    """Write an Arrow table or stream of batches, in its order; return the number of rows.

    Parameters
    ----------
    rows : Arrow table or reader of batches
    target : path
    form : Format
    shown : str
        What to call the target in messages.
    row_bytes : float
        About how long a row is, where that is known.
    """
    path = os.fspath(target)
    if form.name == "arrow":  # which DuckDB does not write
        return _write_arrow(rows, path)
    # a connection of its own: the rows may come out of a query that is still running
    with session() as cursor, explained(shown, writing=shown):
        _limit_memory(cursor, row_bytes)
        cursor.register("lwcal_rows", rows)
        compression = ", COMPRESSION gzip" if form.compressed else ""
        # the target is a temporary file already, and needs no other one
        options = f"{OPTIONS[form.name]}{compression}, USE_TMP_FILE false"
        sql = _without_nan(cursor) if form.name == "jsonl" else "FROM lwcal_rows"
        (count,) = only_row(cursor, f"COPY ({sql}) TO {literal(path)} ({options})")
        return int(count)


def _limit_memory(cursor: Any, row_bytes: float) -> None:
    """Let rows that wait for their turn to be written fill less memory.

    DuckDB lets them fill a quarter of what it is allowed, which by default is most of the machine.
    Long rows are allowed more: some groups of them must fit, or nothing could be written at all.
    """
    (threads,) = only_row(cursor, "SELECT current_setting('threads')")
    needed = max(MEMORY, int(8 * threads * ROW_GROUP * row_bytes))
    if needed < _memory_of_the_machine() // 2:
        cursor.execute(f"SET memory_limit = '{needed >> 20}MiB'")


def _memory_of_the_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0  # unknown: DuckDB decides


def _without_nan(cursor: Any) -> str:
    """Strict JSON has no word for NaN and infinity; null is what readers expect for them."""
    columns = cursor.execute("DESCRIBE FROM lwcal_rows").fetchall()
    replaced = ", ".join(
        f"CASE WHEN isfinite({quoted(name)}) THEN {quoted(name)} END AS {quoted(name)}"
        for name, kind, *_ in columns
        if kind in FLOATS
    )
    return f"SELECT * REPLACE ({replaced}) FROM lwcal_rows" if replaced else "FROM lwcal_rows"


def _write_arrow(rows: Any, path: str) -> int:
    count = 0
    batches = rows.to_batches() if hasattr(rows, "to_batches") else rows
    with Path(path).open("wb") as handle, ipc.new_file(handle, rows.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            count += batch.num_rows
    return count
