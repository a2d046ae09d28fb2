"""Columns in memory with a column of times: a source of one batch, under the rules of others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.rows.arrays import NAMES, as_columns
from lwcal.rows.checks import known_scale
from lwcal.rows.spans import SpanReducer, Spans, SpansReduction
from lwcal.rows.time_counts import Counted, TimeCounter, TimeCounts, count_seconds
from lwcal.rows.times import FIRST
from lwcal.rows.values import ArrayLike, Column, as_column, check_same_length

HINT = "remove them first"
BEFORE_ALL = FIRST - 1
"""If labels count until this second, none does."""


class TimedColumns(NamedTuple):
    """Columns of the same length, not yet checked otherwise.

    >>> rows = TimedColumns.of([0.2, 0.9], [0, 1], None, ["2024-01-01", "2024-01-02"])
    >>> rows.count_times().rows
    array([1, 1])
    """

    scores: Column
    y: Column
    sample_weight: Column | None
    times: Column
    labelled: bool = True

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        times: ArrayLike,
    ) -> TimedColumns:
        """Convert columns, and compare their lengths."""
        labels = np.zeros(len(as_column(scores, "scores"))) if y is None else y
        columns = as_columns(scores, labels, sample_weight)
        when = as_column(times, "times")
        check_same_length(len(columns.scores), len(when), "times")
        return cls(*columns, when, labelled=y is not None)

    def count_times(self) -> TimeCounts:
        """Number of rows on each day."""
        counter = TimeCounter("times")
        counter.add(self.times)
        return counter.finish(drop_hint=HINT)

    def seconds_of(self, day: int) -> Counted:
        """Distinct seconds of one day."""
        return count_seconds([self.times], day)

    def reduce(self, spans: Spans, *, pos_label: Any, scale: str) -> SpansReduction:
        """Count the rows of each span."""
        known = known_scale(self.scores, scale, "scores")
        if not self.labelled:
            spans = spans._replace(mature_until=BEFORE_ALL)
        reducer = SpanReducer(
            NAMES, "times", spans, known, pos_label=pos_label, limit=None, drop_hint=HINT
        )
        weights = [] if self.sample_weight is None else [self.sample_weight]
        reducer.add(self.scores, self.y, *weights, self.times)
        found = reducer.finish()
        return found if self.labelled else found._replace(young=0)
