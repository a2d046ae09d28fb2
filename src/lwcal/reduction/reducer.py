"""Batches of rows to counts, with every row checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError, message
from lwcal.inputs import OBVIOUS_POSITIVE, spell
from lwcal.reduction.classes import MISSING, Classes
from lwcal.reduction.counter import CHUNK, Counter
from lwcal.reduction.counts import LIMIT, Counts, added
from lwcal.reduction.faults import bad_weight, class_faults, missing_label
from lwcal.reduction.frames import Frame, columns_of
from lwcal.reduction.invalid import Dropped
from lwcal.reduction.numbers import as_numbers
from lwcal.reduction.scores import check_scores

FIRST_CLASSES = 16
"""Classes that are counted whatever they are called; later ones only if their name is obvious."""
OBVIOUS = frozenset(word for pair in OBVIOUS_POSITIVE for word in pair)


class Names(NamedTuple):
    """Columns that are reduced."""

    score: str
    label: str
    weight: str | None = None

    @property
    def used(self) -> list[str]:
        """All that are named."""
        return [name for name in self if name is not None]


class Reduced(NamedTuple):
    """The counts, the rows that were dropped, and the label of the positive class."""

    counts: Counts
    dropped: Dropped
    positive: Any = None


def reduced(
    batches: Iterable[Frame],
    names: Names,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
    text: bool = False,
) -> Reduced:
    """Reduce frames to counts; ``text`` says that they were read from a text file."""
    reducer = Reducer(names, pos_label=pos_label, drop_invalid=drop_invalid, limit=limit, text=text)
    for batch in batches:
        for columns in columns_of(batch, names.used):
            reducer.add(*columns)
    return reducer.finish()


class Reducer:
    """Takes columns batch by batch; see :func:`reduced`."""

    def __init__(
        self,
        names: Names,
        *,
        pos_label: Any = None,
        drop_invalid: bool = False,
        limit: int | None = LIMIT,
        text: bool = False,
        chunk: int = CHUNK,
    ) -> None:
        self._names = names
        self._chunk = chunk
        self._pos_label = pos_label
        self._drop = drop_invalid
        self._limit = limit
        self._text = text
        self._classes = Classes()
        self._dropped = Dropped()
        # Classes share a counter by twos, which is quickest. But a class that turns out to be
        # invalid must not leave a trace in the bins of another: when rows may be dropped, each
        # class has its own.
        self._shared = 1 if drop_invalid else 2
        self._counters: dict[int, Counter] = {}

    def add(self, scores: Any, labels: Any, weights: Any = None) -> None:
        """Count a batch of rows, given as arrays of numpy or pyarrow."""
        begin = self._dropped.rows
        self._dropped.rows += len(scores)
        values, bad = check_scores(scores, begin, self._names.score, self._dropped)
        codes: Any = self._classes.encode(labels, begin)
        if codes.dtype != np.uint8:
            bad = self._without_label(codes, bad, begin)
        checked = None if weights is None else as_numbers(weights)
        if checked is not None:
            bad = self._check_weights(checked, bad, begin)
        weight = None if checked is None else checked[0]
        if bad is None and codes.dtype == np.uint8 and self._shared == 2:
            self._counter(0).add(values, codes, weight)
            return
        kept = np.ones(len(values), dtype=np.bool_) if bad is None else ~bad
        self._count(values[kept], codes[kept], None if weight is None else weight[kept])

    def _count(self, values: FloatArray, codes: Any, weight: FloatArray | None) -> None:
        pairs = codes // self._shared
        for pair in np.unique(pairs).tolist():
            places = range(pair * self._shared, (pair + 1) * self._shared)
            if any(self._is_countable(place) for place in places):
                rows = pairs == pair
                labels = (codes[rows] % self._shared).astype(np.uint8)
                self._counter(pair).add(
                    values[rows], labels, None if weight is None else weight[rows]
                )

    def _is_countable(self, place: int) -> bool:
        if place < FIRST_CLASSES or place >= len(self._classes.values):
            return place < FIRST_CLASSES
        return spell(self._classes.values[place]) in OBVIOUS

    def _counter(self, pair: int) -> Counter:
        if pair not in self._counters:
            self._counters[pair] = Counter(self._limit, chunk=self._chunk)
        return self._counters[pair]

    def _without_label(self, codes: Any, bad: BoolArray | None, begin: int) -> BoolArray | None:
        missing = codes == MISSING
        return self._note(
            missing,
            bad,
            np.full(len(codes), None, dtype=object),
            begin,
            *missing_label(self._names.label),
        )

    def _check_weights(self, given: Any, bad: BoolArray | None, begin: int) -> BoolArray | None:
        values, not_numbers, came = given
        wrong = ~(np.isfinite(values) & (values >= 0))
        return self._note(
            wrong,
            bad,
            values if not_numbers is None else came,
            begin,
            *bad_weight(str(self._names.weight)),
        )

    def _note(
        self, wrong: BoolArray, bad: BoolArray | None, values: Any, begin: int, *words: str
    ) -> BoolArray | None:
        if not wrong.any():
            return bad
        # a row that is wrong in two ways counts once
        self._dropped.note(wrong if bad is None else wrong & ~bad, values, begin, *words)
        return wrong if bad is None else bad | wrong

    def finish(self) -> Reduced:
        """The counts of everything that was added."""
        if not self._dropped.rows:
            raise InputError(
                message(
                    f"at least one row in column {self._names.score!r}",
                    "none",
                    "check the source of the data",
                )
            )
        score_faults = [f for f in self._dropped.faults.values() if f.column == self._names.score]
        if score_faults and not self._drop:
            self._dropped.refuse()
        codes = self._meaning()
        if not self._drop:
            self._dropped.refuse()
        parts = [self._coloured(pair, counter, codes) for pair, counter in self._counters.items()]
        counts = added([part for part in parts if part is not None] or [_NOTHING], self._limit)
        if not len(counts.low):
            got = str(self._dropped) if self._dropped.faults else "weights of zero only"
            raise InputError(message("at least one row that counts", got, "check the columns"))
        positive = next((self._classes.values[k] for k, code in codes.items() if code == 1), None)
        return Reduced(counts, self._dropped, positive)

    def _meaning(self) -> dict[int, int]:
        """Which classes are negative (0) and positive (1); rows of others are noted as invalid."""
        name = f"column {self._names.label!r}"
        meaning = self._classes.meaning(self._pos_label, name=name, text=self._text)
        for fault in class_faults(self._classes, meaning, self._names.label):
            self._dropped.add(fault)
        return meaning.codes

    def _coloured(self, pair: int, counter: Counter, codes: dict[int, int]) -> Counts | None:
        """Counts of classes as counts of negatives and positives."""
        counts = counter.counts()
        columns = (counts.negatives, counts.positives)
        meant = [codes.get(pair * self._shared + k) for k in range(self._shared)]
        sums = [
            sum((c for c, code in zip(columns, meant, strict=False) if code == wanted), 0.0)
            for wanted in (0, 1)
        ]
        if all(isinstance(total, float) for total in sums):
            return None  # none of these classes is used
        zeros = np.zeros(len(counts.low))
        return counts._replace(negatives=sums[0] + zeros, positives=sums[1] + zeros)


_NOTHING = Counts(np.empty(0), np.empty(0), np.empty(0), np.empty(0))
