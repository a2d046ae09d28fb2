"""The rows that a segment borrows from all segments for a curve of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.reference import condensed
from lwcal.segments.evidence import calibrated_log_odds
from lwcal.table import ScoreTable

BORROWED = 1024
"""Places of the rows that a segment borrows: next to its own rows, more change no probability by
as much as 0.001 on average, and make no fit better."""


class BorrowedRows(NamedTuple):
    """All rows, scaled down.

    Attributes
    ----------
    rows : ScoreTable
    odds : float64 array
        What the calibrator of all rows says to their scores.
    negatives, positives : float64 arrays
        Weight of the labels, divided by their probability.
    noise : 2 x 2 array
    """

    rows: ScoreTable
    odds: FloatArray
    negatives: FloatArray
    positives: FloatArray
    noise: FloatArray

    @classmethod
    def of(
        cls, everything: ScoreTable, weight: float, pooled: Calibrator, noise: FloatArray
    ) -> Self:
        """Scale all rows down to a weight."""
        few = condensed(everything, kept=BORROWED, pieces=BORROWED)
        rows = few.scaled(weight / few.n)
        odds = np.exp(calibrated_log_odds(pooled, rows.scores))
        label = _positive_label(odds, noise)
        return cls(rows, odds, rows.negatives / (1.0 - label), rows.positives / label, noise)

    def added_to(self, tables: Sequence[ScoreTable], offsets: FloatArray) -> list[ScoreTable]:
        """Add the rows to each table, labelled as expected if its log-odds have an offset."""
        label = _positive_label(self.odds * np.exp(offsets)[:, None], self.noise)
        counts = self.negatives * (1.0 - label), self.positives * label
        if not self._stay_exact(tables):
            return [
                one + self._labelled(*labels) for one, *labels in zip(tables, *counts, strict=True)
            ]
        sums = kernels.add_to_each([one.columns for one in tables], self.rows.scores, *counts)
        return [
            ScoreTable.unchecked(scores, negatives, positives, scale=one.scale)
            for one, (scores, negatives, positives) in zip(tables, sums, strict=True)
        ]

    def _stay_exact(self, tables: Sequence[ScoreTable]) -> bool:
        """Whether no score needs rounding when the rows are added to each table."""
        given = [*tables, self.rows]
        longest = max(map(len, tables)) + len(self.rows)
        limits = [one.limit for one in given if one.limit is not None]
        return all(one.grid is None for one in given) and longest <= min(limits, default=longest)

    def _labelled(self, negatives: FloatArray, positives: FloatArray) -> ScoreTable:
        rows = self.rows
        return ScoreTable.unchecked(
            rows.scores, negatives, positives, rows.low, rows.high, rows.limit, rows.scale
        )


def _positive_label(odds: FloatArray, noise: FloatArray) -> FloatArray:
    flipped, right = float(noise[0, 1]), float(noise[1, 1])
    return (flipped + right * odds) / (1.0 + odds)
