"""Count equal rows of class probabilities and labels, in bounded memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, KeyArray
from lwcal.numerics.row_keys import sample_keys, starts_of_equal
from lwcal.rows.counts import CHUNK, LIMIT

MOST_NUMBERS = 1 << 25
"""Probabilities that distinct rows may hold together: 256 MB."""


def most_rows(n_classes: int, limit: int | None = LIMIT) -> int | None:
    """Distinct rows that are kept; None: all of them.

    >>> most_rows(3), most_rows(1000), most_rows(3, limit=None)
    (1048576, 33554, None)
    """
    return None if limit is None else min(limit, MOST_NUMBERS // n_classes)


class ClassCounts(NamedTuple):
    """Distinct rows with their weight.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
        Probabilities as they came.
    labels : integer array of shape (n,)
        Column of each label.
    weights : float64 array of shape (n,)
    total : float
        Weight of all rows. It is larger than the sum of the weights if these are a sample.
    is_sample : bool
    """

    scores: FloatArray
    labels: IndexArray
    weights: FloatArray
    total: float
    is_sample: bool


class ClassCounter:
    """Counts equal rows. If there are too many distinct ones, it keeps a uniform sample of them.

    The sample is the rows with the lowest keys, which only their values decide. So it is the same
    for rows in any order, and complete: all rows that equal one of the sample are counted.

    Parameters
    ----------
    limit : int or None
        Distinct rows that are kept; None: all.
    chunk : int
        Rows that are pooled at once, at least.

    Examples
    --------
    >>> counter = ClassCounter(None)
    >>> counter.add(np.array([[0.2, 0.8], [0.2, 0.8]]), np.array([1, 1]))
    >>> counter.counts().weights
    array([2.])
    """

    def __init__(self, limit: int | None, *, chunk: int = CHUNK) -> None:
        self._limit = limit
        self._chunk = chunk
        self._total = 0.0
        self._highest: np.uint64 | None = None
        self._parts: list[_Part] = []

    def add(self, scores: FloatArray, labels: Any, weights: FloatArray | None = None) -> None:
        """Count valid rows."""
        if weights is not None:
            counted = weights > 0.0
            scores, labels, weights = scores[counted], labels[counted], weights[counted]
        weights = np.ones(len(labels)) if weights is None else weights
        self._total += float(weights.sum())
        # no view of a batch of rows, which would keep all of the batch in memory
        part = _Part(sample_keys(scores, labels), scores + 0.0, labels.astype(np.intp), weights)
        if self._highest is not None:
            part = part.take(np.flatnonzero(part.keys <= self._highest))
        self._parts.append(part)
        first, *waiting = self._parts
        if sum(len(some.keys) for some in waiting) >= max(self._due, len(first.keys)):
            self._pool()

    @property
    def _due(self) -> int:
        return self._chunk if self._limit is None else min(self._chunk, self._limit)

    def counts(self) -> ClassCounts:
        """Distinct rows so far."""
        self._pool()
        (found,) = self._parts
        is_sample = self._highest is not None
        return ClassCounts(found.scores, found.labels, found.weights, self._total, is_sample)

    def _pool(self) -> None:
        found = _pooled(_Part(*(np.concatenate(c) for c in zip(*self._parts, strict=True))))
        if self._limit is not None and len(found.keys) > self._limit:
            found = found.take(np.arange(self._limit))
            self._highest = found.keys[-1]
        self._parts = [found]


class _Part(NamedTuple):
    """Rows with their keys."""

    keys: KeyArray
    scores: FloatArray
    labels: IndexArray
    weights: FloatArray

    def take(self, places: IndexArray) -> _Part:
        keys, scores, labels, weights = self
        return _Part(keys[places], scores[places], labels[places], weights[places])


def _pooled(part: _Part) -> _Part:
    """Distinct rows in the order of their keys, with the sums of their weights."""
    if not len(part.keys):
        return part
    rows = part.take(np.argsort(part.keys, kind="stable"))
    starts = starts_of_equal(rows.scores, rows.labels)
    return rows.take(starts)._replace(weights=np.add.reduceat(rows.weights, starts))
