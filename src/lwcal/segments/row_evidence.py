"""Count the labels of very many segments while their rows pass by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators import Calibrator
from lwcal.errors import InputError, message
from lwcal.rows.reducer import Names, Reducer
from lwcal.rows.values import Column
from lwcal.segments.evidence import Evidence, calibrated_log_odds, nodes_between, shared_out
from lwcal.table import ScoreTable


class SegmentRows(NamedTuple):
    """Places of the segments with rows, the largest first; their rows, or weight; their labels."""

    places: IndexArray
    n: FloatArray
    evidence: Evidence


class SegmentCounter:
    """Counts labels by segment and calibrated log-odds, of rows that were read once before.

    Parameters
    ----------
    names : Names
    segments : int
        Number of segments.
    pooled : Calibrator
        Fitted to all these rows.
    everything : ScoreTable
        All these rows.
    **options
        Of :class:`lwcal.rows.reducer.Reducer`.
    """

    def __init__(
        self,
        names: Names,
        segments: int,
        pooled: Calibrator,
        everything: ScoreTable,
        **options: Any,
    ) -> None:
        self._checker = Reducer(names.shown(), **options)
        self._segments = segments
        self._pooled = pooled
        ends = calibrated_log_odds(pooled, everything.scores[[0, -1]])
        self._nodes = nodes_between(float(ends[0]), float(ends[1]))
        self._total = everything.n
        self._counts: dict[int, FloatArray] = {}

    def add(self, columns: Sequence[Column], places: IndexArray) -> None:
        """Count a batch of rows, given their scores, labels and weights, and their segments."""
        scores, codes, weights, bad = self._checker.check(*columns)
        weights = np.ones(len(scores)) if weights is None else weights
        if bad is not None:
            kept = ~bad
            scores, codes, weights, places = scores[kept], codes[kept], weights[kept], places[kept]
        below, share = shared_out(self._nodes, calibrated_log_odds(self._pooled, scores))
        cells = places * len(self._nodes) + below
        size = self._segments * len(self._nodes)
        for code in filter(self._checker.is_countable, np.unique(codes).tolist()):
            chosen = np.flatnonzero(codes == code)
            above, weight, cell = share[chosen], weights[chosen], cells[chosen]
            if code not in self._counts:
                self._counts[code] = np.zeros(size)
            # a batch has far fewer rows than there are cells, which bincount would all add
            np.add.at(self._counts[code], cell, weight * (1.0 - above))
            np.add.at(self._counts[code], cell + 1, weight * above)

    def finish(self) -> SegmentRows:
        """Return the counts of all rows; refuse rows that are not those of the table."""
        shape = (self._segments, len(self._nodes))
        counts = [np.zeros(shape), np.zeros(shape)]
        for place, code in self._checker.understand_classes().items():
            if place in self._counts:
                counts[code] = self._counts[place].reshape(shape)
        n = counts[0].sum(axis=1) + counts[1].sum(axis=1)
        if not np.isclose(n.sum(), self._total):
            expected = f"the same {self._total:,} rows when they are read again"
            hint = "a stream can be read once; write it to a file first"
            raise InputError(message(expected, f"{n.sum():,.0f}", hint))
        places = np.argsort(-n, kind="stable")
        places = places[n[places] > 0.0]
        # shares of rows add up to whole rows but for rounding
        near = np.isclose(n, np.rint(n), rtol=1e-12, atol=1e-6)
        n = np.where(near, np.rint(n), n)
        evidence = Evidence(self._nodes, counts[0][places], counts[1][places])
        return SegmentRows(places, n[places], evidence)
