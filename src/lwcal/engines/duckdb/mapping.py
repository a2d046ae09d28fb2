"""Batches of rows on their way from a query that reads to one that writes, with a column added.

DuckDB could evaluate the map itself. To copy 10 million rows of Parquet with one more column, for
a map of 792 knots, took 6.0 processor seconds with the exported tree of CASE, 1.4 with a function
of Arrow arrays, which DuckDB calls for every 2,048 rows, and 1.25 this way, which hands over large
batches. Copying without that column took 0.65. Unusable rows are counted on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from lwcal.arrays import FloatArray
from lwcal.engines.duckdb.session import BATCH_ROWS, explained
from lwcal.engines.duckdb.source import Source
from lwcal.maps import Map
from lwcal.rows.checks import check_scores
from lwcal.rows.faults import InvalidRows
from lwcal.rows.frames import shown


class CalibratedRows:
    """The batches of a source with a column of calibrated probabilities.

    Parameters
    ----------
    source : Source
    fitted : Map
    score : str
        Column of scores.
    scale : str
        Their scale.
    column : str
        Column to add; an existing one is replaced at its position.
    drop_invalid : bool
        Whether to drop rows without a valid score; they are counted in either case.
    """

    def __init__(
        self,
        source: Source,
        fitted: Map,
        score: str,
        column: str,
        *,
        scale: str,
        drop_invalid: bool,
    ) -> None:
        self.invalid = InvalidRows()
        self.failure: BaseException | None = None
        self.row_bytes = 0.0
        self.highest = 0.0
        self._map = fitted
        self._scale = scale
        self._source = source
        self._score = score
        self._column = column
        self._drop = drop_invalid

    @contextmanager
    def reader(self) -> Iterator[Any]:
        """Open a stream of batches, for one pass."""
        with _all_types(self._source.cursor), explained(self._source.name):
            query = self._source.cursor.sql(self._source.sql)
            with query.to_arrow_reader(BATCH_ROWS) as rows:
                schema = self._schema(rows.schema)
                batches = self._batches(rows, schema)
                first = next(batches, None)
                some = batches if first is None else chain([first], batches)
                if first is not None and first.num_rows:
                    self.row_bytes = first.nbytes / first.num_rows
                yield pa.RecordBatchReader.from_batches(schema, some)

    def _schema(self, given: Any) -> Any:
        field = pa.field(self._column, pa.float64())
        place = given.get_field_index(self._column)
        return given.append(field) if place < 0 else given.set(place, field)

    def _batches(self, rows: Any, schema: Any) -> Iterator[Any]:
        try:
            for batch in rows:
                yield self._mapped(batch, schema)
        except BaseException as error:
            self.failure = error  # the writer would report it in other words
            raise

    def _mapped(self, batch: Any, schema: Any) -> Any:
        begin = self.invalid.rows
        self.invalid.rows += batch.num_rows
        given = as_numbers_or_text(batch.column(self._score))
        name = shown(self._score)
        scores, bad = check_scores(given, begin, name, self.invalid, self._scale)
        if bad is not None and self._drop:
            batch, scores, bad = batch.filter(pa.array(~bad)), scores[~bad], None
        probabilities = self._map.apply_unchecked(
            scores if bad is None else np.where(bad, 0.5, scores)
        )
        valid = True if bad is None else ~bad
        self.highest = float(np.max(scores, initial=self.highest, where=valid))
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns[self._column] = _arrow(probabilities)
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


def as_numbers_or_text(column: Any) -> Any:
    """Text as numbers if each value is one; otherwise the checks read it value by value.

    The checks would cast it with ``pyarrow.compute``, which describes hundreds of functions when it
    is imported. That takes longer than a small file takes to be read and written.
    """
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    from pyarrow._compute import CastOptions, call_function

    try:
        return call_function("cast", [column], CastOptions.safe(pa.float64()))
    except pa.ArrowInvalid:
        return column


def _arrow(values: FloatArray) -> Any:
    """The same numbers for Arrow; ``pyarrow.array`` would import pandas."""
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])


@contextmanager
def _all_types(cursor: Any) -> Iterator[None]:
    """Pass types that Arrow lacks, such as JSON and UUID, through it unchanged."""
    name = "arrow_lossless_conversion"
    ((before,),) = cursor.execute(f"SELECT current_setting('{name}')").fetchall()
    cursor.execute(f"SET {name} = true")
    try:
        yield
    finally:
        cursor.execute(f"SET {name} = {before}")
