"""Frames as people hold them to columns of batches, without copies where the layout allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from lwcal.errors import InputError, message, missing_extra

Frame: TypeAlias = Any
"""A DataFrame of pandas, a DataFrame or LazyFrame of polars, an Arrow table, dataset, record batch
or reader, anything with Arrow's stream interface, or a mapping of names to arrays."""
ROWS_AT_ONCE = 1 << 17


def columns_of(frame: Frame, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Named columns, batch by batch, as arrays of numpy or pyarrow."""
    if isinstance(frame, Mapping):
        check_names(list(frame), names)
        yield from _slices([np.asarray(frame[name]) for name in names])
    elif _package(frame) == "pandas":
        check_names(list(frame.columns), names)
        yield from _slices([_pandas_column(frame[name]) for name in names])
    else:
        for batch in batches_of(frame, names):
            yield tuple(batch.column(name) for name in names)


def batches_of(frame: Frame, names: Sequence[str] | None = None) -> Iterator[Any]:
    """Record batches of pyarrow, of some columns or of all."""
    pa = _pyarrow()
    if _package(frame) == "polars":
        frame = _polars_frame(frame, names)
        if hasattr(frame, "collect_batches"):  # a lazy one: nothing but a batch becomes memory
            for part in frame.collect_batches(maintain_order=True, engine="streaming"):
                yield from batches_of(part)
            return
    if isinstance(frame, pa.RecordBatch):
        check_names(frame.schema.names, names)
        yield frame if names is None else frame.select(list(names))
        return
    if hasattr(frame, "scanner"):  # an Arrow dataset
        check_names(frame.schema.names, names)
        yield from frame.scanner(columns=None if names is None else list(names)).to_batches()
        return
    if isinstance(frame, pa.Table):
        check_names(frame.schema.names, names)
        yield from (frame if names is None else frame.select(list(names))).to_batches()
        return
    reader = _reader(frame)
    check_names(reader.schema.names, names)
    yield from reader


def _reader(frame: Frame) -> Any:
    pa = _pyarrow()
    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    if hasattr(frame, "__arrow_c_array__"):
        batch = pa.record_batch(frame)
        return pa.RecordBatchReader.from_batches(batch.schema, [batch])
    raise InputError(
        message(
            "a frame of pandas, polars or pyarrow, or a mapping of arrays",
            f"{type(frame).__module__}.{type(frame).__qualname__}",
            "anything with __arrow_c_stream__ will do",
        )
    )


def _polars_frame(frame: Any, names: Sequence[str] | None) -> Any:
    lazy = hasattr(frame, "collect_schema") and hasattr(frame, "collect")
    check_names(frame.collect_schema().names() if lazy else frame.columns, names)
    chosen = frame if names is None else frame.select(list(names))
    if lazy and not hasattr(chosen, "collect_batches"):  # polars before 1.34
        return chosen.collect(engine="streaming")
    return chosen


def check_names(found: Sequence[str], names: Sequence[str] | None) -> None:
    """Refuse a frame without the columns that are asked for."""
    for name in names or ():
        if name not in found:
            listed = ", ".join(map(str, found))
            raise InputError(message(f"a column {name!r} in the frame", f"the columns {listed}"))


def _pandas_column(series: Any) -> Any:
    if isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    try:
        import pyarrow as pa
    except ImportError:
        return np.asarray(series)
    column = pa.array(series, from_pandas=True)  # nullable types keep what is missing
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _slices(columns: list[Any]) -> Iterator[tuple[Any, ...]]:
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        got = " and ".join(f"{n:,}" for n in sorted(lengths))
        raise InputError(message("columns of the same length", got))
    for begin in range(0, len(columns[0]), ROWS_AT_ONCE):
        yield tuple(column[begin : begin + ROWS_AT_ONCE] for column in columns)


def _package(frame: Any) -> str:
    return type(frame).__module__.partition(".")[0]


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise missing_extra("pyarrow", "cli", "reading Arrow data") from None
    return pyarrow
