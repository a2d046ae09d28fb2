"""``fit_segments``: a calibrator for each of very many segments, straight from their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from lwcal.arrays import IndexArray
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.calibrators import Auto, Calibrator
from lwcal.engines.duckdb.session import explained, quoted
from lwcal.engines.duckdb.source import Source, opened
from lwcal.errors import InputError, message
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import DROP_SHARE
from lwcal.rows.groups import MOST_GROUPS
from lwcal.rows.reducer import Names, Reduction
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import Column
from lwcal.segments import Segments
from lwcal.segments.fitting import PRIOR_ROWS, check_prior_rows, partly_pooled
from lwcal.segments.row_evidence import SegmentCounter
from lwcal.segments.row_tables import SegmentTables
from lwcal.table import ScoreTable

MOST_SEGMENTS = 1_000_000
"""A column with more values is probably an id."""
MOST_CURVES = MOST_GROUPS
"""Segments that get a curve of their own: each keeps a table in memory while it is fitted."""
SPARE_BITS = 3
"""With eight times as many groups of numbers as numbers, most groups hold one."""
KEY = "lwcal_segment_key"


def fit_segments(
    source: Any,
    by: str | Sequence[str],
    score: str,
    label: str,
    weight: str | None = None,
    *,
    calibrator: Calibrator | None = None,
    prior_rows: float = PRIOR_ROWS,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> Segments:
    r"""Fit one calibrator for each segment of a source, of which there may be a million.

    It does what :func:`lwcal.fit_segments` does, without a table for each segment. Of the segments
    with at least ``prior_rows`` rows, the 1,000 largest get a curve of their own. The rows are read
    three times: for the calibrator of all rows, for the names of the segments, and for their odds;
    and once more for curves.

    Parameters
    ----------
    source, score, label, weight, pos_label, scale, drop_invalid, allow_drop_share, form
        As for :func:`reduce`.
    table, connection, threads
        As for :func:`reduce`.
    by : str or list of str
        Columns whose values define the segments, which with several columns are tuples. Rows
        without a value form the segment None.
    calibrator : Calibrator, optional
        The calibrator to fit; default: :class:`lwcal.Auto`.
    prior_rows : float, default 1000
        Number of rows from which a segment gets a curve of its own.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> rows = "p,y,land\n" + "0.2,0,NL\n0.9,1,NL\n0.4,0,DE\n0.5,1,DE\n" * 50
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text(rows)
    ...     fitted = lwcal.engines.duckdb.fit_segments(
    ...         f"{folder}/a.csv", "land", "p", "y", calibrator=lwcal.Platt()
    ...     )
    >>> {name: segment.n for name, segment in fitted.segments.items()}
    {'DE': 100.0, 'NL': 100.0}
    """
    check_prior_rows(prior_rows)
    names = Names.checked(score, label, weight)
    columns = [by] if isinstance(by, str) else list(by)
    made = Auto() if calibrator is None else calibrator
    with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
        found = fit_source(
            rows,
            columns,
            names,
            clone(made),
            prior_rows,
            pos_label=pos_label,
            scale=scale,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
        )
    found.reduction.dropped.warn()
    return found.segments


class FittedSource(NamedTuple):
    """Calibrators by segment, all rows, and how these were read."""

    segments: Segments
    table: ScoreTable
    reduction: Reduction


def fit_source(
    rows: Source,
    columns: list[str],
    names: Names,
    calibrator: Calibrator,
    prior_rows: float,
    **options: Any,
) -> FittedSource:
    """Fit the segments of an open source; see :func:`fit_segments`."""
    found = rows.reduce(names, **options)
    everything = ScoreTable.of_counts(found.counts, LIMIT, found.scale)
    pooled = calibrator.fit_table(everything)
    options |= {"pos_label": found.positive, "scale": found.scale}
    segments = SegmentKeys.of(rows, columns)
    counter = SegmentCounter(names, len(segments.keys), pooled, everything, **options)
    for used, places in segments.batches(names.used):
        counter.add(used, places)
    counted = counter.finish()
    keys = segments.names(counted.places)
    large = counted.places[:MOST_CURVES][counted.n[:MOST_CURVES] >= prior_rows]
    tables = dict(zip(keys, _tables(segments, names, large, counter, found.scale), strict=False))
    fitted = partly_pooled(
        pooled, everything, keys, counted.n, counted.evidence, tables, prior_rows
    )
    return FittedSource(replace(fitted, columns=columns), everything, found)


class SegmentKeys(NamedTuple):
    """The segments of a source, each with a number that DuckDB computes from its values.

    Numbers are far faster to look up than texts.

    Attributes
    ----------
    rows : Source
        The rows, with the number of their segment.
    values : list of list
        Values of each segment, column by column.
    keys : uint64 array
        The numbers, in order.
    starts : int array
        Place of the first number with given leading bits, or with higher ones.
    shift : uint64
        Number of the other bits.
    """

    rows: Source
    values: list[list[Any]]
    keys: npt.NDArray[np.uint64]
    starts: IndexArray
    shift: np.uint64

    @classmethod
    def of(cls, rows: Source, by: list[str]) -> Self:
        """Find the segments; one more pass over the rows."""
        columns = ", ".join(_present(name, rows.columns[name]) for name in rows.require(by))
        sql = f"SELECT *, hash({columns}) AS {KEY} FROM ({rows.sql})"
        keyed = replace(rows, sql=sql, columns={**rows.columns, KEY: "UBIGINT"})
        aliased = ", ".join(
            f"{_present(name, rows.columns[name])} AS {quoted(name)}" for name in by
        )
        # numbers are computed of the few distinct values, not of every row
        query = (
            f"SELECT *, hash({', '.join(map(quoted, by))}) AS {KEY} "
            f"FROM (SELECT DISTINCT {aliased} FROM ({rows.sql})) ORDER BY {KEY}"
        )
        with explained(rows.name):
            found = rows.cursor.sql(f"{query} LIMIT {MOST_SEGMENTS + 1}").to_arrow_table()
        if found.num_rows > MOST_SEGMENTS:
            expected = f"{MOST_SEGMENTS:,} segments at most"
            raise InputError(message(expected, "more", "choose columns with fewer values"))
        *values, keys = found.columns
        numbers = keys.to_numpy()
        if (numbers[1:] == numbers[:-1]).any():  # practically never
            raise InputError(
                "Two segments have the same number. Rename one of the columns' values."
            )
        bits = len(numbers).bit_length() + SPARE_BITS
        shift = np.uint64(64 - bits)
        starts = np.searchsorted(numbers >> shift, np.arange(1 << bits, dtype=np.uint64))
        return cls(keyed, [column.to_pylist() for column in values], numbers, starts, shift)

    def names(self, places: IndexArray) -> list[Any]:
        """The value of each segment, or the tuple of its values if there are several columns."""
        found = self.values[0] if len(self.values) == 1 else list(zip(*self.values, strict=True))
        return [found[place] for place in places.tolist()]

    def places_of(self, keys: npt.NDArray[np.uint64]) -> IndexArray:
        """Place of the segment of each row, of which the number is known to be there.

        Numbers are spread evenly, so the leading bits lead to the place, or to one just before.
        """
        # leading bits fit a signed integer, which needs no conversion
        places: IndexArray = self.starts.take((keys >> self.shift).view(np.intp))
        wrong = np.flatnonzero(self.keys.take(places) != keys)
        while len(wrong):
            places[wrong] += 1
            wrong = wrong[self.keys[places[wrong]] != keys[wrong]]
        return places

    def batches(self, names: list[str]) -> Iterator[tuple[list[Column], IndexArray]]:
        """Yield some columns of the rows, batch by batch, with the place of each row's segment."""
        columns = [*names, KEY]
        for batch in self.rows.batches(columns):
            *used, keys = (batch.column(name) for name in columns)
            yield used, self.places_of(keys.to_numpy(zero_copy_only=False))

    def only(self, places: IndexArray) -> Self:
        """The rows of some segments, whose places stay as they are."""
        listed = ", ".join(map(str, self.keys[places].tolist()))
        sql = f"SELECT * FROM ({self.rows.sql}) WHERE {KEY} IN ({listed})"
        return self._replace(rows=replace(self.rows, sql=sql))


def _present(name: str, kind: str) -> str:
    """SQL of a column in which NaN, too, is a missing value."""
    column = quoted(name)
    if kind not in ("FLOAT", "DOUBLE"):
        return column
    return DIALECTS["duckdb"].without_nan(column)


def _tables(
    segments: SegmentKeys, names: Names, chosen: IndexArray, met: SegmentCounter, scale: str
) -> list[ScoreTable]:
    """Tables of some segments."""
    if not len(chosen):
        return []
    number = np.empty(len(segments.keys), dtype=np.intp)
    number[chosen] = np.arange(len(chosen))
    tables = SegmentTables(met, len(chosen), scale)
    for used, places in segments.only(chosen).batches(names.used):
        tables.add(used, number[places])
    return tables.finish()
