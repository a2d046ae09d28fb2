"""Read frames of any kind batch by batch, check every row, and reduce them to counts."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, missing_extra
from lwcal.rows.checks import (
    DROP_HINT,
    DROP_SHARE,
    InvalidRows,
    RowNumbers,
    check_drop_share,
    check_scores,
    check_weights,
)
from lwcal.rows.classes import OBVIOUS_KEYS, Classes, CodeArray, class_faults, find_missing
from lwcal.rows.counts import CHUNK, LIMIT, NOTHING, Counts, RowCounter, add_counts
from lwcal.rows.scales import AUTO, PROBABILITY, SCALES, SeenScores, check_scale
from lwcal.rows.values import Column, as_column, as_score_numbers, no_rows, package_of

Frame: TypeAlias = Any
"""A pandas DataFrame, a polars DataFrame or LazyFrame, an Arrow table, dataset, record batch or
reader, any object with Arrow's stream interface, or a mapping of names to arrays."""
BATCH_ROWS = 1 << 17
FIRST_CLASSES = 16
"""Classes that are counted whatever they are called; later ones only if their name is obvious."""
logger = logging.getLogger(__name__)


def columns_of(frame: Frame, names: Sequence[str]) -> Iterator[tuple[Column, ...]]:
    """Yield the named columns, batch by batch, as arrays of numpy or pyarrow."""
    if isinstance(frame, Mapping) or package_of(frame) == "pandas":
        check_names(list(frame.keys()), names)
        yield from _slices(
            {name: as_column(frame[name], shown(name), allow_empty=True) for name in names}
        )
    else:
        for batch in batches_of(frame, names):
            yield tuple(batch.column(name) for name in names)


def batches_of(frame: Frame, names: Sequence[str] | None = None) -> Iterator[Any]:
    """Yield record batches of pyarrow, with some columns or with all."""
    pa = _pyarrow()
    if package_of(frame) == "polars":
        frame = _polars_frame(frame, names)
        if hasattr(frame, "collect_batches"):  # a lazy frame: only one batch is in memory
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


def shown(name: str) -> str:
    """A column, as messages call it."""
    return f"column {name!r}"


def check_names(found: Sequence[str], names: Sequence[str] | None) -> None:
    """Refuse a frame that lacks a column."""
    for name in names or ():
        if name not in found:
            listed = ", ".join(map(str, found))
            raise InputError(f"The frame has no column {name!r}. Its columns are {listed}.")


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


class Names(NamedTuple):
    """Names of the columns that are reduced."""

    score: str
    label: str
    weight: str | None = None

    @property
    def used(self) -> list[str]:
        """All names that are given."""
        return [name for name in self if name is not None]

    def shown(self) -> Names:
        """The columns, as messages call them."""
        score, label, *weight = map(shown, self.used)
        return Names(score, label, *weight)


class Reduction(NamedTuple):
    """Counts, the dropped rows, the label of the positive class, and the scale of the scores."""

    counts: Counts
    dropped: InvalidRows
    positive: Any = None
    scale: str = PROBABILITY


def log_rows(
    rows: int, distinct: int, *, rounded: bool = False, dropped: InvalidRows | None = None
) -> None:
    """Log what was read, pooled, rounded and dropped."""
    if not logger.isEnabledFor(logging.INFO):
        return
    kind = "bins of width 2^-20, to which scores were rounded" if rounded else "distinct scores"
    logger.info(f"read {rows:,} rows, pooled to {distinct:,} {kind}")
    if dropped is not None and dropped.faults:
        logger.info(str(dropped))


def reduce_batches(
    batches: Iterable[Frame], names: Names, *, scale: str = PROBABILITY, **options: Any
) -> Reduction:
    """Reduce frames to counts; the options are those of :class:`Reducer`."""
    reducer = make_reducer(names.shown(), scale=scale, **options)
    for batch in batches:
        for columns in columns_of(batch, names.used):
            reducer.add(*columns)
    return reducer.finish()


def make_reducer(names: Names, *, scale: str = PROBABILITY, **options: Any) -> AnyReducer:
    """Make a reducer for a scale, or for one that the values decide."""
    check_scale(scale)
    if scale == AUTO:
        return AutoReducer(names, **options)
    return Reducer(names, scale=scale, **options)


class Reducer:
    """Takes columns batch by batch.

    Parameters
    ----------
    names : Names
        The columns, as messages call them.
    pos_label : object, optional
        The positive class, if it was named.
    scale : str
        Scale of the scores.
    drop_invalid : bool
        Whether invalid rows are dropped instead of refused.
    allow_drop_share : float
        Share of the rows that may be dropped.
    limit : int or None
        Distinct scores beyond which scores are rounded.
    chunk : int
        Rows that are pooled at once, at least.
    drop_hint : str
        How messages suggest to drop invalid rows.
    """

    def __init__(
        self,
        names: Names,
        *,
        pos_label: Any = None,
        scale: str = PROBABILITY,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
        limit: int | None = LIMIT,
        chunk: int = CHUNK,
        drop_hint: str = DROP_HINT,
    ) -> None:
        check_drop_share(allow_drop_share)
        self._names = names
        self._scale = scale
        self._allowed = allow_drop_share
        self._pos_label = pos_label
        self._drop = drop_invalid
        self._limit = limit
        self._chunk = chunk
        self._drop_hint = drop_hint
        self._classes = Classes()
        self._invalid = InvalidRows()
        # Two classes share a counter, which is fastest. When rows may be dropped, each class has
        # its own: a class that turns out to be invalid must not change the bins of another.
        self._shared = 1 if drop_invalid else 2
        self._counters: dict[int, RowCounter] = {}

    def add(
        self,
        scores: Column,
        labels: Column,
        weights: Column | None = None,
        *,
        rows: RowNumbers | None = None,
    ) -> None:
        """Count a batch of rows, given as arrays of numpy or pyarrow.

        Parameters
        ----------
        scores, labels, weights : arrays
        rows : int array, optional
            Numbers of the rows in their source; by default they follow those before.
        """
        first_row = self._invalid.rows if rows is None else rows
        self._invalid.rows += len(scores)
        names, invalid = self._names, self._invalid
        values, bad = check_scores(scores, first_row, names.score, invalid, self._scale)
        codes = self._classes.encode(labels, first_row)
        bad = find_missing(codes, first_row, names.label, invalid, bad)
        weight = None
        if weights is not None:
            weight, bad = check_weights(weights, first_row, str(names.weight), invalid, bad)
        if bad is None and codes.dtype == np.uint8 and self._shared == 2:
            self._counter(0).add(values, codes, weight)  # type: ignore[arg-type]  # 0 and 1
            return
        kept = slice(None) if bad is None else ~bad
        self._count(values[kept], codes[kept], None if weight is None else weight[kept])

    def _count(self, values: FloatArray, codes: CodeArray, weight: FloatArray | None) -> None:
        """Give each counter the rows of its classes."""
        counter_of = codes // self._shared
        for number in np.unique(counter_of).tolist():
            first = number * self._shared
            if any(map(self._is_countable, range(first, first + self._shared))):
                rows = counter_of == number
                labels = (codes[rows] % self._shared).astype(np.uint8)
                given = None if weight is None else weight[rows]
                self._counter(number).add(values[rows], labels, given)

    def _is_countable(self, place: int) -> bool:
        keys = self._classes.keys
        return place < FIRST_CLASSES or (place < len(keys) and keys[place] in OBVIOUS_KEYS)

    def _counter(self, number: int) -> RowCounter:
        if number not in self._counters:
            self._counters[number] = RowCounter(self._limit, chunk=self._chunk)
        return self._counters[number]

    def finish(self) -> Reduction:
        """Return the counts of all rows, or refuse them."""
        invalid, names = self._invalid, self._names
        if not invalid.rows:
            raise InputError(no_rows(names.score))
        invalid.refuse_mixture(names.score)
        if any(fault.name == names.score for fault in invalid.faults.values()):
            self._refuse_unless_dropping()  # labels of rows without a score could be anything
        codes = self._understand_classes()
        self._refuse_unless_dropping()
        invalid.check_drop_share(self._allowed)
        parts = [self._by_label(number, codes) for number in self._counters]
        positive = next((place for place, code in codes.items() if code == 1), None)
        shown_class = None if positive is None else self._classes.shown(positive)
        counted = add_counts([*parts, NOTHING], self._limit)
        found = Reduction(counted, invalid, shown_class, self._scale)
        check_not_empty(found)
        counts = found.counts
        log_rows(invalid.rows, len(counts.low), rounded=counts.rounded, dropped=invalid)
        return found

    def _refuse_unless_dropping(self) -> None:
        if not self._drop:
            self._invalid.refuse(drop_hint=self._drop_hint)

    def _understand_classes(self) -> dict[int, int]:
        """Find the negative (0) and positive (1) classes; rows of others are invalid."""
        name = self._names.label
        meaning = self._classes.meaning(self._pos_label, name=name, mean_score=self._mean_score)
        for fault in class_faults(self._classes, meaning, name):
            self._invalid.add(fault)
        return meaning.codes

    def _mean_score(self, place: int) -> float | None:
        """Mean score of the rows of a class."""
        number, offset = divmod(place, self._shared)
        counter = self._counters.get(number)
        if counter is None:
            return None  # none of its rows is valid
        counts = counter.counts()
        weight = (counts.negatives, counts.positives)[offset]
        return float(np.average(counts.scores, weights=weight)) if weight.any() else None

    def _by_label(self, number: int, codes: dict[int, int]) -> Counts:
        """Turn a counter's counts of classes into counts of negatives and positives."""
        counts = self._counters[number].counts()
        totals = np.zeros((2, len(counts.low)))
        is_used = False
        for offset, column in enumerate((counts.negatives, counts.positives)[: self._shared]):
            code = codes.get(number * self._shared + offset)
            if code is not None:
                totals[code] += column
                is_used = True
        return counts._replace(negatives=totals[0], positives=totals[1]) if is_used else NOTHING


class AutoReducer:
    """Takes columns batch by batch while their scale is unknown, and decides it from all values.

    It counts the rows on every scale at once. So one pass is enough, as a stream allows only one.

    Parameters
    ----------
    names : Names
        The columns, as messages call them.
    **options
        As for :class:`Reducer`.
    """

    def __init__(self, names: Names, **options: Any) -> None:
        self.seen = SeenScores()
        self._name = names.score
        self._of_scale = {scale: Reducer(names, scale=scale, **options) for scale in SCALES}

    def add(
        self,
        scores: Column,
        labels: Column,
        weights: Column | None = None,
        *,
        rows: RowNumbers | None = None,
    ) -> None:
        """Count a batch of rows, given as arrays of numpy or pyarrow."""
        self.seen.look_at(as_score_numbers(scores))
        for reducer in self._of_scale.values():
            reducer.add(scores, labels, weights, rows=rows)

    def finish(self, scale: str | None = None) -> Reduction:
        """Return the counts of all rows on the scale that they tell, or on this one."""
        return self._of_scale[scale or self.seen.scale(self._name)].finish()


AnyReducer: TypeAlias = Reducer | AutoReducer


def check_not_empty(found: Reduction) -> None:
    """Refuse counts without a single row."""
    if len(found.counts.low):
        return
    if found.dropped.faults:
        raise InputError(f"No row is left: {found.dropped}. Check the columns.")
    raise InputError("No row counts, because every weight is zero. Check the column of weights.")
