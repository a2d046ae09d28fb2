"""Arrow files and frames in memory, which DuckDB reads once they are registered."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from lwcal.engines.duckdb.files import check_different, check_same_names
from lwcal.errors import InputError, message
from lwcal.rows.frames import batches_of

REGISTERED = "lwcal_rows"


def frame_query(cursor: Any, frame: Any) -> str:
    """SQL that reads a frame of pandas, polars or pyarrow, or a stream of batches."""
    if type(frame).__module__.partition(".")[0] == "pandas":
        return _register(cursor, pa.Table.from_pandas(frame, preserve_index=False))
    if isinstance(frame, pa.Table) and frame.num_rows:
        return _register(cursor, frame)  # unlike a stream, it can be read again
    batches = batches_of(frame)
    first = next(batches, None)
    if first is None:
        raise InputError("The frame has no rows.")
    return _register(
        cursor, pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    )


def arrow_query(cursor: Any, paths: list[Path]) -> str:
    """SQL that reads Arrow files, which are mapped into memory instead of copied."""
    tables = {path: _read(path) for path in paths}
    (first, schema), *others = ((path, table.schema) for path, table in tables.items())
    for path, other in others:
        check_same_names(schema.names, other.names, first, path)
        for field in other:
            if field.type != schema.field(field.name).type:
                expected = f"column {field.name!r} of {path} to be {schema.field(field.name).type}"
                raise InputError(message(f"{expected} as in {first}", str(field.type)))
    return _register(
        cursor, pa.concat_tables([table.select(schema.names) for table in tables.values()])
    )


def _register(cursor: Any, rows: Any) -> str:
    cursor.register(REGISTERED, rows)
    return f"SELECT * FROM {REGISTERED}"


def _read(path: Path) -> Any:
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
    check_different(table.column_names, str(path))
    return table
