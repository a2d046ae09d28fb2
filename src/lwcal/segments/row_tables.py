"""Count the rows of some of very many segments at their scores, while they pass by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lwcal.arrays import IndexArray
from lwcal.rows.classes import MOST_CLASSES
from lwcal.rows.counts import LIMIT, RowCounter
from lwcal.rows.groups import AT_ONCE, CHUNK
from lwcal.rows.values import Column
from lwcal.segments.row_evidence import SegmentCounter, ValidRows
from lwcal.table import ScoreTable

NEITHER = 2
"""Code of a label of neither class."""


class SegmentTables:
    """Counts rows that another counter has met before, so it knows their labels.

    Batches are checked as a whole and then divided: thousands of segments would each pay for the
    checks of every batch.

    Parameters
    ----------
    met : SegmentCounter
        Has met all rows.
    segments : int
        Number of segments.
    scale : str
        Scale of the scores.
    """

    def __init__(self, met: SegmentCounter, segments: int, scale: str) -> None:
        self._met = met
        self._scale = scale
        self._labels = np.full(MOST_CLASSES, NEITHER, dtype=np.uint8)
        for code, label in met.labels().items():
            self._labels[code] = label
        self._counters = [RowCounter(LIMIT, chunk=CHUNK) for _ in range(segments)]
        # few digits are sorted fastest
        self._digits = np.min_scalar_type(segments)
        self._waiting: list[ValidRows] = []

    def add(self, columns: Sequence[Column], places: IndexArray) -> None:
        """Count a batch of rows, given their scores, labels and weights, and their segments."""
        rows = self._met.valid_rows(columns, places)
        labels, digits = self._labels[rows.codes], rows.places.astype(self._digits)
        self._waiting.append(rows._replace(codes=labels, places=digits))
        if sum(len(some.scores) for some in self._waiting) >= AT_ONCE:
            self._divide()

    def _divide(self) -> None:
        """Give the rows that wait to the counters of their segments, in their order."""
        if not self._waiting:
            return
        labels, digits, scores = (
            np.concatenate([getattr(some, name) for some in self._waiting])
            for name in ("codes", "places", "scores")
        )
        given = [some.weights for some in self._waiting if some.weights is not None]
        weights = np.concatenate(given) if given else None
        self._waiting = []
        order = np.argsort(digits, kind="stable")
        order = order[labels[order] != NEITHER]
        ends = np.cumsum(np.bincount(digits[order], minlength=len(self._counters))).tolist()
        scores, labels = scores[order], labels[order]
        weights = None if weights is None else weights[order]
        for counter, start, end in zip(self._counters, [0, *ends[:-1]], ends, strict=True):
            if start < end:
                part = slice(start, end)
                counter.add(scores[part], labels[part], None if weights is None else weights[part])

    def finish(self) -> list[ScoreTable]:
        """Return a table for each segment."""
        self._divide()
        return [ScoreTable.of_counts(one.counts(), LIMIT, self._scale) for one in self._counters]
