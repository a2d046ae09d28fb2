"""Pooled counts, exact or on a grid, that add up to the same bits in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.numerics.tabulate import pool_rows

GRID = 2.0**-20
"""Width of a bin, where scores are rounded at all: bins are closed below and open above."""
BINS = 2**20 + 1
"""One more than fit into [0, 1), for the score 1."""
LIMIT = 2**20
"""Distinct scores that are kept exactly; beyond, scores are rounded to the grid."""


class Counts(NamedTuple):
    """Weight of both labels at every distinct score, or in every bin of the grid.

    A bin keeps its lowest and highest score. They are equal in exact counts, and where all scores
    of a bin are: ties stay exact. Everything about the sum of two counts follows from the two, so
    the same rows give the same counts whichever way they were divided.
    """

    low: FloatArray
    high: FloatArray
    negatives: FloatArray
    positives: FloatArray
    rounded: bool = False

    @property
    def scores(self) -> FloatArray:
        """The score that stands for each bin: the middle of its lowest and highest."""
        # the sum of two scores cannot overflow, and halving is exact: it stays in between
        return np.asarray((self.low + self.high) * 0.5) if self.rounded else self.low


def exact(scores: FloatArray, negatives: FloatArray, positives: FloatArray) -> Counts:
    """Counts at distinct scores, as :func:`pool_rows` gives them."""
    return Counts(scores, scores, negatives, positives)


def on_grid(parts: Sequence[Counts]) -> Counts:
    """Pool counts by the bins that their scores fall into.

    >>> found = on_grid([exact(np.array([0.5, 0.5 + 2**-22]), np.array([1.0, 2.0]), np.zeros(2))])
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
    return Counts(
        low[starts],
        np.maximum.reduceat(high, starts),
        np.add.reduceat(negatives, starts),
        np.add.reduceat(positives, starts),
        rounded=True,
    )


def added(parts: Sequence[Counts], limit: int | None) -> Counts:
    """Add counts up; on the grid when some are, or when there are more scores than the limit.

    >>> two = exact(np.array([0.25, 0.75]), np.ones(2), np.zeros(2))
    >>> added([two, two], limit=2).rounded, added([two, two], limit=1).rounded
    (False, True)
    """
    parts = [part for part in parts if len(part.low)] or [parts[0]]
    if len(parts) == 1:
        pooled = parts[0]
    elif any(part.rounded for part in parts):
        pooled = on_grid(parts)
    else:
        columns = zip(*((part.low, part.negatives, part.positives) for part in parts), strict=True)
        pooled = exact(*pool_rows(*(np.concatenate(column) for column in columns)))
    is_too_long = limit is not None and len(pooled.low) > limit and not pooled.rounded
    return on_grid([pooled]) if is_too_long else pooled
