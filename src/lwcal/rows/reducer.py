"""Reduce batches of rows to counts, and check every row."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.checks import check_scores, check_weights
from lwcal.rows.classes import OBVIOUS_KEYS, Classes, CodeArray, class_faults, find_missing
from lwcal.rows.counts import CHUNK, LIMIT, NOTHING, Counts, RowCounter, add_counts
from lwcal.rows.faults import DROP_HINT, DROP_SHARE, InvalidRows, RowNumbers, check_drop_share
from lwcal.rows.frames import Frame, columns_of, shown
from lwcal.rows.scales import AUTO, PROBABILITY, SCALES, SeenScores, check_scale
from lwcal.rows.values import Column, as_score_numbers, no_rows

FIRST_CLASSES = 16
"""Classes that are counted whatever they are called; later ones only if their name is obvious."""
logger = logging.getLogger(__name__)


class Names(NamedTuple):
    """Names of the columns that are reduced."""

    score: str
    label: str
    weight: str | None = None

    @classmethod
    def checked(cls, score: str, label: str, weight: str | None = None) -> Names:
        """Refuse one column in two roles: labels as scores would look like a perfect model.

        >>> Names.checked("p", "y")
        Names(score='p', label='y', weight=None)
        """
        names = cls(score, label, weight)
        if len(set(names.used)) < len(names.used):
            listed = ", ".join(
                f"{role} {name!r}" for role, name in names._asdict().items() if name is not None
            )
            raise ParameterError(message("a different column in each role", listed))
        return names

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


class CheckedRows(NamedTuple):
    """A batch of rows: scores, numbers of classes, weights, and which rows are not valid."""

    scores: FloatArray
    codes: CodeArray
    weights: FloatArray | None
    bad: BoolArray | None


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
        values, codes, weight, bad = self.check(scores, labels, weights, rows=rows)
        if bad is None and codes.dtype == np.uint8 and self._shared == 2:
            self._counter(0).add(values, codes, weight)  # type: ignore[arg-type]  # 0 and 1
            return
        kept = slice(None) if bad is None else ~bad
        self._count(values[kept], codes[kept], None if weight is None else weight[kept])

    def check(
        self,
        scores: Column,
        labels: Column,
        weights: Column | None = None,
        *,
        rows: RowNumbers | None = None,
    ) -> CheckedRows:
        """Check a batch of rows and note what is wrong with them, without counting any."""
        first_row = self._invalid.rows if rows is None else rows
        self._invalid.rows += len(scores)
        names, invalid = self._names, self._invalid
        values, bad = check_scores(scores, first_row, names.score, invalid, self._scale)
        codes = self._classes.encode(labels, first_row)
        bad = find_missing(codes, first_row, names.label, invalid, bad)
        weight = None
        if weights is not None:
            weight, bad = check_weights(weights, first_row, str(names.weight), invalid, bad)
        return CheckedRows(values, codes, weight, bad)

    def _count(self, values: FloatArray, codes: CodeArray, weight: FloatArray | None) -> None:
        """Give each counter the rows of its classes."""
        counter_of = codes // self._shared
        for number in np.unique(counter_of).tolist():
            first = number * self._shared
            if any(map(self.is_countable, range(first, first + self._shared))):
                rows = counter_of == number
                labels = (codes[rows] % self._shared).astype(np.uint8)
                given = None if weight is None else weight[rows]
                self._counter(number).add(values[rows], labels, given)

    def is_countable(self, place: int) -> bool:
        """Whether rows of a class are counted: of the first ones, and of obvious names."""
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
        codes = self.understand_classes()
        self._refuse_unless_dropping()
        invalid.check_drop_share(self._allowed)
        parts = [self._by_label(number, codes) for number in self._counters]
        positive = next((place for place, code in codes.items() if code == 1), None)
        shown_class = None if positive is None else self._classes.shown(positive)
        counted = add_counts([*parts, NOTHING], self._limit)
        found = Reduction(counted, invalid, shown_class, self._scale)
        counts = found.counts
        check_not_empty(len(counts.low), invalid)
        log_rows(invalid.rows, len(counts.low), rounded=counts.rounded, dropped=invalid)
        return found

    def _refuse_unless_dropping(self) -> None:
        if not self._drop:
            self._invalid.refuse(drop_hint=self._drop_hint)

    def understand_classes(self) -> dict[int, int]:
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


def check_not_empty(kept: int, dropped: InvalidRows) -> None:
    """Refuse counts without a single row."""
    if kept:
        return
    if dropped.faults:
        raise InputError(f"No row is left: {dropped}. Check the columns.")
    raise InputError("No row counts, because every weight is zero. Check the column of weights.")
