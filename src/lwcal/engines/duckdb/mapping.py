"""Batches of rows on their way from a query that reads to one that writes, with columns added.

DuckDB could evaluate the map itself. To copy 10 million rows of Parquet with one more column, for
a map of 792 knots, took 6.0 processor seconds with the exported tree of CASE, 1.4 with a function
of Arrow arrays, which DuckDB calls for every 2,048 rows, and 1.25 this way, which hands over large
batches. Copying without that column took 0.65. Unusable rows are counted on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from lwcal.arrays import BoolArray, FloatArray
from lwcal.engines.duckdb.session import BATCH_ROWS, explained
from lwcal.engines.duckdb.source import Source
from lwcal.rows.checks import check_scores
from lwcal.rows.faults import InvalidRows
from lwcal.rows.frames import shown
from lwcal.rows.probabilities import SCORES, check_class_scores, summing_to_one
from lwcal.rows.scales import PERCENT
from lwcal.score_map import ClassScoreMap, ScoreMap


class ScoreColumn:
    """A column of scores of two classes, and the map that it meets.

    Parameters
    ----------
    fitted : ScoreMap
    name : str
        Column of scores.
    scale : str or None
        Their scale, if it is not that of the fit.
    """

    scalable = True

    def __init__(self, fitted: ScoreMap, name: str, scale: str | None) -> None:
        self._fitted = fitted
        self._name = name
        self._scale = fitted.scale_of(scale)
        self._is_named = scale is not None
        self._highest = 0.0

    def read(
        self, batch: Any, first_row: int, invalid: InvalidRows
    ) -> tuple[FloatArray, BoolArray | None]:
        """Scores of a batch as probabilities, and which rows are invalid."""
        given = as_numbers_or_text(batch.column(self._name))
        scores, bad = check_scores(given, first_row, shown(self._name), invalid, self._scale)
        valid = True if bad is None else ~bad
        self._highest = float(np.max(scores, initial=self._highest, where=valid))
        return scores, bad

    def calibrated(self, scores: FloatArray, batch: Any) -> list[FloatArray]:
        """The new column."""
        return [self._fitted.map.apply_unchecked(scores)]

    def other_segments(self) -> str:
        """Nothing to say: there are no segments."""
        return ""

    def refuse_mixture(self, invalid: InvalidRows) -> None:
        """Refuse scores of which some have a percent sign, once all rows are read."""
        invalid.refuse_mixture(shown(self._name))

    def refuse_doubtful(self, invalid: InvalidRows) -> None:
        """Refuse scores that are probably not on their scale, once all rows are read."""
        if not self._is_named and self._scale == PERCENT and invalid.percent is None:
            self._fitted.refuse_probabilities(self._highest, self._name)


class ClassColumns:
    """Columns of class probabilities, in the order of the classes, and the map that they meet."""

    scalable = False

    def __init__(self, fitted: ClassScoreMap, names: Sequence[str]) -> None:
        self._map = fitted
        self._names = names

    def read(
        self, batch: Any, first_row: int, invalid: InvalidRows
    ) -> tuple[FloatArray, BoolArray | None]:
        """Probabilities of a batch as they came, and which rows are invalid."""
        columns = [as_numbers_or_text(batch.column(name)) for name in self._names]
        of_columns = list(map(shown, self._names))
        return check_class_scores(columns, first_row, of_columns, SCORES, invalid)

    def calibrated(self, scores: FloatArray, batch: Any) -> list[FloatArray]:
        """A new column for each class."""
        found = self._map.apply_unchecked(summing_to_one(scores))
        return list(np.ascontiguousarray(found.T))

    def other_segments(self) -> str:
        """Nothing to say: there are no segments."""
        return ""

    def refuse_mixture(self, invalid: InvalidRows) -> None:
        """Nothing to refuse: a row of both kinds would not sum to 1."""

    def refuse_doubtful(self, invalid: InvalidRows) -> None:
        """Nothing to refuse: rows that sum to 1 are probabilities."""


class CalibratedRows:
    """The batches of a source with columns of calibrated probabilities.

    Parameters
    ----------
    source : Source
    scores : ScoreColumn or ClassColumns
    columns : sequence of str
        Columns to add; an existing one is replaced at its position.
    drop_invalid : bool
        Whether to drop rows without valid scores; they are counted in either case.
    """

    def __init__(
        self,
        source: Source,
        scores: ScoreColumn | ClassColumns,
        columns: Sequence[str],
        *,
        drop_invalid: bool,
    ) -> None:
        self.invalid = InvalidRows()
        self.failure: BaseException | None = None
        self.row_bytes = 0.0
        self._source = source
        self._scores = scores
        self._columns = columns
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
        for name in self._columns:
            field = pa.field(name, pa.float64())
            place = given.get_field_index(name)
            given = given.append(field) if place < 0 else given.set(place, field)
        return given

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
        scores, bad = self._scores.read(batch, begin, self.invalid)
        if bad is not None and self._drop:
            batch, scores = batch.filter(pa.array(~bad)), scores[~bad]
        elif bad is not None:
            scores = scores.copy()
            scores[bad] = 0.5  # any valid score: these rows are refused in the end
        found = self._scores.calibrated(scores, batch)
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns |= {name: _arrow(values) for name, values in zip(self._columns, found, strict=True)}
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
