"""Counts that grow with every batch of rows, in bounded memory."""

from __future__ import annotations

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, LabelArray
from lwcal.numerics.tabulate import tabulate
from lwcal.reduction.counts import BINS, LIMIT, Counts, added, exact, on_grid

CHUNK = 1 << 21
"""Rows that are pooled at once, at least, while counts are exact. The number depends on the rows
alone, so that sums of fractional weights do not depend on how large the batches are."""

Columns = tuple[FloatArray, LabelArray, FloatArray | None]


class Counter:
    """Counts checked rows: exactly up to a limit of distinct scores, then on the grid.

    Parameters
    ----------
    limit : int or None
        Distinct scores that are kept; None keeps all of them.
    chunk : int
        Rows that are pooled at once, at least.

    Examples
    --------
    >>> counter = Counter()
    >>> counter.add(np.array([0.5, 0.25]), np.array([0, 1], dtype=np.uint8))
    >>> counter.add(np.array([0.5]), np.array([1], dtype=np.uint8))
    >>> counter.counts().scores, counter.counts().positives
    (array([0.25, 0.5 ]), array([1., 1.]))
    """

    def __init__(self, limit: int | None = LIMIT, *, chunk: int = CHUNK) -> None:
        self._limit = limit
        self._chunk = chunk
        self._waiting: list[Columns] = []
        self._rows_waiting = 0
        self._exact: Counts | None = None
        self._bins: FloatArray | None = None

    def add(
        self, scores: FloatArray, labels: LabelArray, weights: FloatArray | None = None
    ) -> None:
        """Count rows: scores in [0, 1], labels 0 or 1, weights finite and not negative."""
        if self._bins is not None:
            kernels.count_on_grid(scores, labels, weights, self._bins)
            return
        self._waiting.append((scores, labels, weights))
        self._rows_waiting += len(scores)
        while self._rows_waiting >= self._due():
            rows, due = _joined(self._waiting), self._due()
            rest = _sliced(rows, slice(due, None))
            self._waiting, self._rows_waiting = [rest], len(rest[0])
            self._pool(_sliced(rows, slice(None, due)))
            if self._bins is not None:
                kernels.count_on_grid(*rest, self._bins)
                self._waiting, self._rows_waiting = [], 0

    def _due(self) -> int:
        """Rows to wait for: as many as are pooled already, so that merging stays a small part."""
        return max(self._chunk, 0 if self._exact is None else len(self._exact.low))

    def counts(self) -> Counts:
        """Everything that was counted so far."""
        if self._rows_waiting:
            self._pool(_joined(self._waiting))
            self._waiting, self._rows_waiting = [], 0
        if self._bins is not None:
            low, high, negatives, positives = self._bins[
                self._bins[:, 2] + self._bins[:, 3] > 0
            ].T.copy()
            return Counts(low, high, negatives, positives, rounded=True)
        nothing = np.empty(0)
        return self._exact or exact(nothing, nothing, nothing)

    def _pool(self, rows: Columns) -> None:
        pooled = exact(*tabulate(*rows))
        counts = pooled if self._exact is None else added([self._exact, pooled], limit=None)
        if self._limit is None or len(counts.low) <= self._limit:
            self._exact = counts
            return
        self._bins = _bins(self._exact)
        kernels.count_on_grid(*rows, self._bins)
        self._exact = None


def _bins(counts: Counts | None) -> FloatArray:
    """All bins of the grid, with what was counted so far; they can be added to in place."""
    bins = np.empty((BINS, 4))
    bins[:] = (np.inf, -np.inf, 0.0, 0.0)
    if counts is not None and len(counts.low):
        rounded = on_grid([counts])
        bins[(rounded.low * (BINS - 1)).astype(np.intp)] = np.stack(rounded[:4], axis=1)
    return bins


def _joined(rows: list[Columns]) -> Columns:
    if len(rows) == 1:
        return rows[0]
    scores, labels, weights = zip(*rows, strict=True)
    return (
        np.concatenate(scores),
        np.concatenate(labels),
        None if weights[0] is None else np.concatenate(weights),
    )


def _sliced(rows: Columns, part: slice) -> Columns:
    scores, labels, weights = rows
    return scores[part], labels[part], None if weights is None else weights[part]
