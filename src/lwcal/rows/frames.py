"""Read frames of any kind as batches of columns; copy only where the layout requires it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from lwcal.errors import InputError, missing_extra
from lwcal.rows.values import Column, as_column, package_of

Frame: TypeAlias = Any
"""A pandas DataFrame, a polars DataFrame or LazyFrame, an Arrow table, dataset, record batch or
reader, any object with Arrow's stream interface, or a mapping of names to arrays."""
BATCH_ROWS = 1 << 17


def columns_of(frame: Frame, names: Sequence[str]) -> Iterator[tuple[Column, ...]]:
    """Yield the named columns, batch by batch, as arrays of numpy or pyarrow."""
    distinct = list(dict.fromkeys(names))  # rows may be grouped by their score or label
    if isinstance(frame, Mapping) or package_of(frame) == "pandas":
        check_names(list(frame.keys()), names)
        columns = [as_column(frame[name], shown(name), allow_empty=True) for name in distinct]
        batches = _slices(dict(zip(distinct, columns, strict=True)))
    else:
        batches = (
            tuple(batch.column(name) for name in distinct) for batch in batches_of(frame, distinct)
        )
    places = [distinct.index(name) for name in names]
    for batch in batches:
        yield tuple(batch[place] for place in places)


def batches_of(frame: Frame, names: Sequence[str] | None = None) -> Iterator[Any]:
    """Yield record batches of pyarrow, with some columns or with all."""
    pa = _pyarrow()
    if package_of(frame) == "polars":
        frame = _polars_frame(frame, names)
        if hasattr(frame, "collect_batches"):  # a lazy frame: only one batch is in memory
            for part in frame.collect_batches(maintain_order=True, engine="streaming"):
                yield from batches_of(part)
            return
    if isinstance(frame, Mapping):
        frame = _table(frame)
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


def shown(name: str) -> str:
    """A column, as messages call it."""
    return f"column {name!r}"


def check_names(found: Sequence[str], names: Sequence[str] | None) -> None:
    """Refuse a frame that lacks a column."""
    for name in names or ():
        if name not in found:
            listed = ", ".join(map(str, found))
            raise InputError(f"The frame has no column {name!r}. Its columns are {listed}.")
        if found.count(name) > 1:
            raise InputError(f"The frame has {found.count(name)} columns {name!r}. Rename them.")


def _reader(frame: Frame) -> Any:
    pa = _pyarrow()
    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    if hasattr(frame, "__arrow_c_array__"):
        batch = pa.record_batch(frame)
        return pa.RecordBatchReader.from_batches(batch.schema, [batch])
    kind = f"{type(frame).__module__}.{type(frame).__qualname__}"
    raise InputError(
        f"{kind} is not a frame. Pass a frame of pandas, polars or pyarrow, a mapping of names to "
        "arrays, or any object with __arrow_c_stream__."
    )


def _table(columns: Mapping[str, Any]) -> Any:
    pa = _pyarrow()
    try:
        return pa.table(dict(columns))
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise InputError(f"The columns do not make a table: {error}.") from None


def _polars_frame(frame: Any, names: Sequence[str] | None) -> Any:
    is_lazy = hasattr(frame, "collect_schema") and hasattr(frame, "collect")
    check_names(frame.collect_schema().names() if is_lazy else frame.columns, names)
    chosen = frame if names is None else frame.select(list(names))
    if is_lazy and not hasattr(chosen, "collect_batches"):  # polars before 1.34
        return chosen.collect(engine="streaming")
    return chosen


def _slices(columns: dict[str, Column]) -> Iterator[tuple[Column, ...]]:
    (first, one), *others = columns.items()
    for name, column in others:
        if len(column) != len(one):
            raise InputError(
                f"{len(one):,} values in {shown(first)} but {len(column):,} in {shown(name)}. "
                "Columns must have the same length."
            )
    for begin in range(0, len(one), BATCH_ROWS):
        yield tuple(column[begin : begin + BATCH_ROWS] for column in columns.values())


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise missing_extra("pyarrow", "cli", "reading Arrow data") from None
    return pyarrow
