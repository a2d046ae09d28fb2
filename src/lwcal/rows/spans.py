"""Count rows by spans of time, those with a label apart from those without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError
from lwcal.rows.checks import check_scores, check_weights
from lwcal.rows.classes import MISSING, Classes, class_faults, find_missing
from lwcal.rows.counts import LIMIT, NOTHING, Counts, RowCounter, add_counts
from lwcal.rows.faults import DROP_HINT, DROP_SHARE, InvalidRows, check_drop_share
from lwcal.rows.frames import Frame, columns_of, shown
from lwcal.rows.groups import CHUNK
from lwcal.rows.reducer import Names, check_not_empty, log_rows
from lwcal.rows.scales import AUTO, PROBABILITY, SCALES, SeenScores, check_scale
from lwcal.rows.times import Seconds, TimeReader
from lwcal.rows.values import Column, as_score_numbers, is_arrow, no_rows

UNLABELLED = MISSING
"""Place of the counter of rows without a label."""


class Spans(NamedTuple):
    """Spans of time, and which labels count.

    Attributes
    ----------
    starts : int64 array
        First second of each span. Earlier rows belong to the first span.
    mature_until : int or None
        Labels of rows after this second count as missing.
    needs_labels : bool
        Whether all other rows need a label.
    """

    starts: Seconds
    mature_until: int | None = None
    needs_labels: bool = True


class SpanCounts(NamedTuple):
    """Counts of the rows of a span; those without a label are counted as negatives."""

    labelled: Counts
    unlabelled: Counts


class SpansReduction(NamedTuple):
    """Counts of all spans.

    Attributes
    ----------
    spans : tuple of SpanCounts
    dropped : InvalidRows
    positive : object
        Label of the positive class; None if no row has it.
    scale : str
        Scale of the scores.
    young : int
        Rows whose label counts as missing, because it is young.
    """

    spans: tuple[SpanCounts, ...]
    dropped: InvalidRows
    positive: Any = None
    scale: str = PROBABILITY
    young: int = 0


def reduce_spans(
    batches: Iterable[Frame],
    names: Names,
    time: str,
    spans: Spans,
    *,
    scale: str = PROBABILITY,
    **options: Any,
) -> SpansReduction:
    """Count frames by spans; the options are those of :class:`SpanReducer`.

    Examples
    --------
    >>> frame = {"p": [0.2, 0.9, 0.4], "y": [0, 1, None], "t": ["2024-01-01"] * 3}
    >>> spans = Spans(np.array([0]), needs_labels=False)
    >>> found = reduce_spans([frame], Names("p", "y"), "t", spans)
    >>> found.spans[0].labelled.scores, found.spans[0].unlabelled.scores
    (array([0.2, 0.9]), array([0.4]))
    """
    check_scale(scale)
    scales = SCALES if scale == AUTO else (scale,)
    # as in a reduction without times, an unknown scale is decided in the same pass
    called, by_time = names.shown(), shown(time)
    reducers = {one: SpanReducer(called, by_time, spans, one, **options) for one in scales}
    seen = SeenScores()
    for batch in batches:
        for columns in columns_of(batch, [*names.used, time]):
            if scale == AUTO:
                seen.look_at(as_score_numbers(columns[0]))
            for reducer in reducers.values():
                reducer.add(*columns)
    return reducers[seen.scale(called.score) if scale == AUTO else scale].finish()


class SpanReducer:
    """Takes columns batch by batch: score, label, weight if there is one, and time.

    Parameters
    ----------
    names : Names
        The columns, as messages call them.
    time : str
        The column of times, as messages call it.
    spans : Spans
    scale : str
        Scale of the scores.
    pos_label, drop_invalid, allow_drop_share, limit, drop_hint
        As for :class:`lwcal.rows.reducer.Reducer`.
    """

    def __init__(
        self,
        names: Names,
        time: str,
        spans: Spans,
        scale: str = PROBABILITY,
        *,
        pos_label: Any = None,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
        limit: int | None = LIMIT,
        drop_hint: str = DROP_HINT,
    ) -> None:
        check_drop_share(allow_drop_share)
        self._names, self._spans, self._scale = names, spans, scale
        self._pos_label, self._limit = pos_label, limit
        self._drop, self._allowed, self._drop_hint = drop_invalid, allow_drop_share, drop_hint
        self._times = TimeReader(time)
        self._classes = Classes()
        self._invalid = InvalidRows()
        self._young = 0
        self._counters: dict[tuple[int, int], RowCounter] = {}

    def add(self, scores: Column, labels: Column, *others: Column) -> None:
        """Count a batch of rows, given as arrays of numpy or pyarrow."""
        *weights, times = others
        names, invalid, first_row = self._names, self._invalid, self._invalid.rows
        invalid.rows += len(scores)
        seconds, bad = self._times.read(times, first_row, invalid)
        values, bad = check_scores(scores, first_row, names.score, invalid, self._scale, bad)
        codes, bad = self._encode(labels, seconds, first_row, bad)
        weight = None
        if weights:
            weight, bad = check_weights(weights[0], first_row, str(names.weight), invalid, bad)
        kept = np.ones(len(values), dtype=np.bool_) if bad is None else ~bad
        places = np.searchsorted(self._spans.starts, seconds, side="right") - 1
        self._count(kept, np.maximum(places, 0), codes, values, weight)

    def _encode(
        self, labels: Column, seconds: Seconds, first_row: int, bad: BoolArray | None
    ) -> tuple[npt.NDArray[np.int16], BoolArray | None]:
        """Places of the classes; labels of young rows are not looked at, whatever they are."""
        until = self._spans.mature_until
        mature = None if until is None else seconds <= until
        codes = np.full(len(seconds), UNLABELLED, dtype=np.int16)
        rows = np.arange(len(seconds)) if mature is None else np.flatnonzero(mature)
        self._young += len(seconds) - len(rows)
        if not len(rows):
            return codes, bad
        kept = labels if mature is None else _taken(labels, rows)
        found = self._classes.encode(kept, first_row + rows)
        codes[rows] = found
        if self._spans.needs_labels:
            of_rows = None if bad is None else bad[rows]
            missing = find_missing(
                found, first_row + rows, self._names.label, self._invalid, of_rows
            )
            if missing is not None:
                bad = np.zeros(len(seconds), dtype=np.bool_) if bad is None else bad.copy()
                bad[rows] = missing
        return codes, bad

    def _count(
        self,
        kept: BoolArray,
        places: npt.NDArray[Any],
        codes: npt.NDArray[np.int16],
        values: FloatArray,
        weight: FloatArray | None,
    ) -> None:
        """Give each span and class the rows that it has."""
        width = len(self._classes.keys) + 1
        together = np.where(kept, places * width + codes + 1, -1)
        for number in np.unique(together[kept]).tolist():
            span, code = divmod(number, width)
            rows = together == number
            counter = self._counters.setdefault(
                (span, code - 1), RowCounter(self._limit, chunk=CHUNK)
            )
            labels = np.zeros(int(rows.sum()), dtype=np.uint8)
            counter.add(values[rows], labels, None if weight is None else weight[rows])

    def finish(self) -> SpansReduction:
        """Return the counts of all rows, or refuse them."""
        invalid, names = self._invalid, self._names
        if not invalid.rows:
            raise InputError(no_rows(names.score))
        self._times.refuse_mixture()
        invalid.refuse_mixture(names.score)
        if any(fault.name != names.label for fault in invalid.faults.values()):
            self._refuse_unless_dropping()  # labels of such rows could be anything
        meaning = self._classes.meaning(
            self._pos_label, name=names.label, mean_score=self._mean_score
        )
        for fault in class_faults(self._classes, meaning, names.label):
            invalid.add(fault)
        self._refuse_unless_dropping()
        invalid.check_drop_share(self._allowed)
        spans = tuple(
            SpanCounts(
                self._labelled(span, meaning.codes),
                self._counts(span, UNLABELLED),
            )
            for span in range(len(self._spans.starts))
        )
        distinct = sum(len(counts.low) for span in spans for counts in span)
        check_not_empty(distinct, invalid)
        log_rows(invalid.rows, distinct, dropped=invalid)
        place = next((place for place, code in meaning.codes.items() if code == 1), None)
        positive = None if place is None else self._classes.shown(place)
        return SpansReduction(spans, invalid, positive, self._scale, self._young)

    def _refuse_unless_dropping(self) -> None:
        if not self._drop:
            self._invalid.refuse(drop_hint=self._drop_hint)

    def _counts(self, span: int, place: int) -> Counts:
        counter = self._counters.get((span, place))
        return NOTHING if counter is None else counter.counts()

    def _labelled(self, span: int, codes: dict[int, int]) -> Counts:
        parts = []
        for place, code in codes.items():
            counts = self._counts(span, place)
            nothing = np.zeros(len(counts.low))
            pair = (nothing, counts.negatives) if code else (counts.negatives, nothing)
            parts.append(counts._replace(negatives=pair[0], positives=pair[1]))
        return add_counts([*parts, NOTHING], self._limit)

    def _mean_score(self, place: int) -> float | None:
        """Mean score of the rows of a class."""
        found = [self._counts(span, place) for span in range(len(self._spans.starts))]
        together = add_counts([*found, NOTHING], self._limit)
        weight = together.negatives
        return float(np.average(together.scores, weights=weight)) if weight.any() else None


def _taken(column: Column, rows: npt.NDArray[Any]) -> Column:
    if is_arrow(column):
        import pyarrow as pa

        return column.take(pa.array(rows))
    return column[rows]
