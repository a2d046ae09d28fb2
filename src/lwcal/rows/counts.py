"""Pooled counts, exact or on a grid, that add up to the same bits in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, LabelArray
from lwcal.errors import InputError
from lwcal.kernels.pure import pool_rows
from lwcal.numerics.tabulate import counted, tabulate
from lwcal.rows.checks import is_weight
from lwcal.rows.fault_kinds import HEAVIEST, LIGHTEST
from lwcal.rows.values import as_floats

GRID = 2.0**-20
"""Width of a bin of the grid; bins are closed below and open above."""
BINS = 2**20 + 1
"""Number of bins: those in [0, 1), and one for the score 1."""
LIMIT = 2**20
"""Distinct scores that are kept exactly; beyond, scores are rounded to the grid."""
CHUNK = 1 << 21
"""Rows that are pooled at once, at least, while counts are exact. This depends on the rows alone,
so sums of fractional weights do not depend on the size of the batches."""


class Counts(NamedTuple):
    """Weight of both labels at every distinct score, or in every bin of the grid.

    A bin keeps its lowest and highest score. In exact counts they are equal. They are also equal
    in a bin whose scores are all equal, so ties stay exact. The sum of two counts follows from the
    two alone. The same rows therefore give the same counts, however they were divided.
    """

    low: FloatArray
    high: FloatArray
    negatives: FloatArray
    positives: FloatArray
    rounded: bool = False

    @property
    def scores(self) -> FloatArray:
        """The score that represents each bin: the middle of its lowest and highest."""
        # the sum of two scores cannot overflow, and halving is exact
        return np.asarray((self.low + self.high) * 0.5) if self.rounded else self.low

    def problem(self) -> str | None:
        """Say what is wrong with counts that came from outside; None when nothing is.

        >>> Counts(*np.array([[0.2, 0.1], [0.2, 0.1], [1.0, 1.0], [0.0, 0.0]])).problem()
        'scores must increase strictly'
        """
        if not all(np.isfinite(column).all() for column in self[:4]):
            return "every number must be finite"
        bins = np.floor(self.low / GRID) if self.rounded else self.low
        if not (np.diff(bins) > 0).all():
            return "scores must increase strictly"
        if (self.low > self.high).any() or (self.rounded and (self.high // GRID != bins).any()):
            return "scores must lie within their bins"
        if len(bins) and not (self.low[0] >= 0.0 and self.high[-1] <= 1.0):
            return "scores must lie in [0, 1]"
        if (self.negatives < 0).any() or (self.positives < 0).any():
            return "counts must not be negative"
        if not (self.negatives + self.positives > 0).all():
            return "every score must have a positive count"
        if not (is_weight(self.negatives) & is_weight(self.positives)).all():
            return f"a count must be 0, or lie between {LIGHTEST:g} and {HEAVIEST:g}"
        return None


def check_counts(
    scores: Any, negatives: Any, positives: Any, low: Any = None, high: Any = None
) -> dict[str, FloatArray]:
    """Copy counts that came from outside to float64 arrays by name, or refuse them."""
    given = {"scores": scores, "negatives": negatives, "positives": positives}
    if low is not None or high is not None:
        given |= {"low": low, "high": high}
    found = {name: _as_one_column(values, name) for name, values in given.items()}
    for name, column in found.items():
        if len(column) != len(found["scores"]):
            raise InputError(f"{len(found['scores']):,} scores but {len(column):,} {name}.")
    if not len(found["scores"]):
        raise InputError("A table needs at least one score.")
    problem = _problem(found)
    if problem:
        hint = "ScoreTable.from_counts takes counts in any order, with repeated scores and zeros."
        raise InputError(f"The counts cannot be used: {problem}. {hint}")
    return found


def _as_one_column(values: Any, name: str) -> FloatArray:
    column = as_floats(values, name) + 0.0  # turns -0.0 into 0.0
    if column.ndim != 1:
        raise InputError(f"{name} has the shape {column.shape}, expected one column of numbers.")
    return column


def _problem(found: dict[str, FloatArray]) -> str | None:
    problem = counts_of(**found).problem()
    if problem or "low" not in found:
        return problem
    is_between = (found["low"] <= found["scores"]) & (found["scores"] <= found["high"])
    return None if is_between.all() else "scores must lie within their bins"


def counts_of(
    scores: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    low: FloatArray | None = None,
    high: FloatArray | None = None,
) -> Counts:
    """Counts of a table: rounded if it has bins, else exact."""
    if low is None or high is None:
        return exact_counts(scores, negatives, positives)
    return rounded_counts(low, high, negatives, positives)


def exact_counts(scores: FloatArray, negatives: FloatArray, positives: FloatArray) -> Counts:
    """Counts at distinct, increasing scores."""
    return Counts(scores, scores, negatives, positives)


def rounded_counts(
    low: FloatArray, high: FloatArray, negatives: FloatArray, positives: FloatArray
) -> Counts:
    """Counts in bins of the grid."""
    return Counts(low, high, negatives, positives, rounded=True)


def round_to_grid(parts: Sequence[Counts]) -> Counts:
    """Pool counts by the bins that their scores fall into.

    >>> scores = np.array([0.5, 0.5 + 2**-22])
    >>> found = round_to_grid([exact_counts(scores, np.array([1.0, 2.0]), np.zeros(2))])
    >>> found.negatives, (found.scores - 0.5) * 2**23
    (array([3.]), array([1.]))
    """
    low, high, negatives, positives = (
        np.concatenate(columns) for columns in zip(*(part[:4] for part in parts), strict=True)
    )
    order = np.argsort(low, kind="stable")
    low, high, negatives, positives = low[order], high[order], negatives[order], positives[order]
    bins = np.floor(low / GRID)  # exact: the width is a power of two
    starts = np.flatnonzero(np.concatenate(([True], bins[1:] != bins[:-1])))
    return rounded_counts(
        low[starts],
        np.maximum.reduceat(high, starts),
        np.add.reduceat(negatives, starts),
        np.add.reduceat(positives, starts),
    )


def add_counts(parts: Sequence[Counts], limit: int | None) -> Counts:
    """Add counts; the sum is rounded if a part is, or if it has more scores than the limit.

    >>> two = exact_counts(np.array([0.25, 0.75]), np.ones(2), np.zeros(2))
    >>> add_counts([two, two], limit=2).rounded, add_counts([two, two], limit=1).rounded
    (False, True)
    """
    parts = [part for part in parts if len(part.low)] or [parts[0]]
    if len(parts) == 1:
        pooled = parts[0]
    elif any(part.rounded for part in parts):
        pooled = round_to_grid(parts)
    elif len(parts) == 2:
        one, other = ((part.low, part.negatives, part.positives) for part in parts)
        pooled = exact_counts(*kernels.add_tables(*one, *other))
    else:
        columns = zip(*((part.low, part.negatives, part.positives) for part in parts), strict=True)
        pooled = exact_counts(*pool_rows(*(np.concatenate(column) for column in columns)))
    is_too_long = limit is not None and len(pooled.low) > limit and not pooled.rounded
    return round_to_grid([pooled]) if is_too_long else pooled


Columns = tuple[FloatArray, LabelArray, FloatArray | None]


class RowCounter:
    """Counts valid rows: exactly up to a limit of distinct scores, then on the grid.

    Parameters
    ----------
    limit : int or None
        Distinct scores that are kept exactly; None keeps all of them.
    chunk : int
        Rows that are pooled at once, at least.

    Examples
    --------
    >>> counter = RowCounter()
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
        """Count rows: scores in [0, 1], labels 0 or 1, weights finite and not negative.

        The arrays may change afterwards: rows that have to wait are copied.
        """
        rows = (scores, labels, weights)
        while self._bins is None and self._rows_waiting + len(rows[0]) >= self._due():
            cut = self._due() - self._rows_waiting
            ready = _join([*self._waiting, _slice(rows, slice(None, cut))])
            self._waiting, self._rows_waiting = [], 0
            rows = _slice(rows, slice(cut, None))
            self._pool(ready)
        if self._bins is not None:
            kernels.count_on_grid(*rows, self._bins)
        elif len(rows[0]):
            self._waiting.append(_copy(rows))
            self._rows_waiting += len(rows[0])

    def _due(self) -> int:
        """Rows to wait for: at least as many as there are scores, so that merging stays cheap."""
        return max(self._chunk, 0 if self._exact is None else len(self._exact.low))

    def counts(self) -> Counts:
        """Counts of all rows so far."""
        if self._rows_waiting:
            self._pool(_join(self._waiting))
            self._waiting, self._rows_waiting = [], 0
        if self._bins is not None:
            is_used = self._bins[:, 2] + self._bins[:, 3] > 0
            return rounded_counts(*self._bins[is_used].T.copy())
        return self._exact or NOTHING

    def _pool(self, rows: Columns) -> None:
        pooled = exact_counts(*counted(*tabulate(*rows)))
        counts = pooled if self._exact is None else add_counts([self._exact, pooled], limit=None)
        if self._limit is None or len(counts.low) <= self._limit:
            self._exact = counts
            return
        self._bins = _as_bins(self._exact)
        kernels.count_on_grid(*rows, self._bins)
        self._exact = None


NOTHING = exact_counts(np.empty(0), np.empty(0), np.empty(0))


def _as_bins(counts: Counts | None) -> FloatArray:
    """All bins of the grid, with the counts so far; more can be added in place."""
    bins = np.empty((BINS, 4))
    bins[:] = (np.inf, -np.inf, 0.0, 0.0)
    if counts is not None and len(counts.low):
        rounded = round_to_grid([counts])
        bins[(rounded.low * (BINS - 1)).astype(np.intp)] = np.stack(rounded[:4], axis=1)
    return bins


def _join(rows: list[Columns]) -> Columns:
    if len(rows) == 1:
        return rows[0]
    scores, labels, weights = zip(*rows, strict=True)
    return (
        np.concatenate(scores),
        np.concatenate(labels),
        None if weights[0] is None else np.concatenate(weights),
    )


def _slice(rows: Columns, part: slice) -> Columns:
    scores, labels, weights = rows
    return scores[part], labels[part], None if weights is None else weights[part]


def _copy(rows: Columns) -> Columns:
    scores, labels, weights = rows
    return scores.copy(), labels.copy(), None if weights is None else weights.copy()
