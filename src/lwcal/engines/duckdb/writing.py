"""Write rows to a file, in the format of its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pyarrow import ipc

from lwcal.engines.duckdb.session import explained, literal, only_row, quoted, session
from lwcal.files import Format, PathLike

ROW_GROUP = 122_880
"""Rows that DuckDB collects before it writes a group to Parquet."""
DICTIONARY = ROW_GROUP // 5
"""Largest number of distinct values for which a column is written with a dictionary. Building a
dictionary of scores, which hardly ever repeat, and dropping it took a third of the time."""
USUAL_COLUMNS = 100
"""Columns of a table beyond which their dictionaries become smaller. DuckDB holds one for each
column at once, and needs memory for its largest size: 16 GB for 10,000 columns."""
OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"'",
    "parquet": "FORMAT parquet, COMPRESSION snappy",
    "jsonl": "FORMAT json, ARRAY false",
}
MEMORY = 1 << 30
FLOATS = ("DOUBLE", "FLOAT")


def write_rows(
    rows: Any, target: PathLike, form: Format, *, shown: str, row_bytes: float = 0.0
) -> int:
    """Write an Arrow table or stream of batches in order, and return the number of rows.

    Parameters
    ----------
    rows : Arrow table or reader of batches
    target : path
    form : Format
    shown : str
        Name of the target in messages.
    row_bytes : float
        Approximate size of a row, if known.
    """
    path = os.fspath(target)
    if form.name == "arrow":  # a format that DuckDB does not write
        return _write_arrow(rows, path)
    # a separate connection: the rows may come from a query that is still running
    with session() as cursor, explained(shown, writing=shown):
        _limit_memory(cursor, row_bytes)
        cursor.register("lwcal_rows", rows)
        compression = ", COMPRESSION gzip" if form.compressed else ""
        # the target is already a temporary file
        options = f"{OPTIONS[form.name]}{compression}, USE_TMP_FILE false"
        if form.name == "parquet":
            options += f", DICTIONARY_SIZE_LIMIT {_dictionary(len(rows.schema))}"
        sql = _without_nan(cursor) if form.name == "jsonl" else "FROM lwcal_rows"
        (count,) = only_row(cursor, f"COPY ({sql}) TO {literal(path)} ({options})")
        return int(count)


def _dictionary(columns: int) -> int:
    return DICTIONARY * USUAL_COLUMNS // max(columns, USUAL_COLUMNS)


def _limit_memory(cursor: Any, row_bytes: float) -> None:
    """Limit the memory of rows that wait to be written.

    DuckDB lets them fill a quarter of its limit, which by default is most of the machine's memory.
    Long rows get more: a few row groups must fit, or nothing could be written at all.
    """
    (threads,) = only_row(cursor, "SELECT current_setting('threads')")
    needed = max(MEMORY, int(8 * threads * ROW_GROUP * row_bytes))
    if needed < _memory_of_the_machine() // 2:
        cursor.execute(f"SET memory_limit = '{needed >> 20}MiB'")


def _memory_of_the_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0  # unknown, so DuckDB decides


def _without_nan(cursor: Any) -> str:
    """Replace NaN and infinity, which strict JSON lacks, by null."""
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
