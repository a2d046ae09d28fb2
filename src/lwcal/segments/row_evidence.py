"""Count the labels of very many segments while their rows pass by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators import Calibrator
from lwcal.errors import InputError, message
from lwcal.rows.classes import CodeArray
from lwcal.rows.reducer import Names, Reducer
from lwcal.rows.values import Column
from lwcal.segments.evidence import CLIP, STEP, Evidence, calibrated_log_odds, nodes_between
from lwcal.table import ScoreTable


class SegmentRows(NamedTuple):
    """Places of the segments with rows, the largest first; their rows, or weight; their labels."""

    places: IndexArray
    n: FloatArray
    evidence: Evidence


class ValidRows(NamedTuple):
    """Scores of a batch, numbers of the classes of their labels, weights, and segments."""

    scores: FloatArray
    codes: CodeArray
    weights: FloatArray | None
    places: IndexArray


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
        rows = self.valid_rows(columns, places)
        probabilities = self._pooled.map_.apply_unchecked(rows.scores)
        for code in np.flatnonzero(np.bincount(rows.codes)).tolist():
            if not self._checker.is_countable(code):
                continue
            if code not in self._counts:
                self._counts[code] = np.zeros((self._segments, len(self._nodes)))
            chosen = np.flatnonzero(rows.codes == code)
            weights = None if rows.weights is None else rows.weights[chosen]
            spacing = CLIP, float(self._nodes[0]), STEP
            kernels.count_at_nodes(
                probabilities[chosen], weights, rows.places[chosen], *spacing, self._counts[code]
            )

    def valid_rows(self, columns: Sequence[Column], places: IndexArray) -> ValidRows:
        """The valid rows of a batch, with numbers of the classes of their labels."""
        scores, codes, weights, bad = self._checker.check(*columns)
        if bad is None:
            return ValidRows(scores, codes, weights, places)
        kept = ~bad
        weights = None if weights is None else weights[kept]
        return ValidRows(scores[kept], codes[kept], weights, places[kept])

    def labels(self) -> dict[int, int]:
        """The label 0 or 1 of the number of each class that has one, after all rows were met."""
        return self._checker.understand_classes()

    def finish(self) -> SegmentRows:
        """Return the counts of all rows; refuse rows that are not those of the table."""
        shape = (self._segments, len(self._nodes))
        counts = [np.zeros(shape), np.zeros(shape)]
        for place, code in self.labels().items():
            counts[code] = self._counts.get(place, counts[code])
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
