"""Rows whose score makes the true class nearly certain: only there do wrong labels show."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.table import ScoreTable

CLEAR_CASE = 0.05
"""A row is a clear case if its clean probability is below this, or above 1 minus this."""


def clear_cases(
    table: ScoreTable, clean: Callable[[FloatArray], FloatArray]
) -> tuple[float, float]:
    """Shares of rows that are clearly negative, and clearly positive.

    The probability ``clean`` of a true positive does not decrease with the score.
    """
    share = (table.negatives + table.positives) / table.n
    low, high = count_below(clean, table.scores, np.array([CLEAR_CASE, 1.0 - CLEAR_CASE]))
    # rounding can carry a sum of shares above 1
    return min(float(share[:low].sum()), 1.0), min(float(share[high:].sum()), 1.0)


def count_below(
    curve: Callable[[FloatArray], FloatArray], x: FloatArray, levels: FloatArray
) -> IndexArray:
    """Count the increasing x at which a non-decreasing curve is below each level.

    The curve is costly, so it is evaluated at some x, and then between two of them.

    >>> count_below(np.sqrt, np.arange(100.0), np.array([-1.0, 3.0, 9.5, 20.0]))
    array([  0,   9,  91, 100])
    """
    step = isqrt(len(x)) + 1
    values = curve(x[::step])
    starts = step * np.maximum(np.searchsorted(values, levels) - 1, 0)
    fine = np.minimum(starts[:, None] + np.arange(step), len(x) - 1)
    inside = curve(x[fine.ravel()]).reshape(fine.shape)
    below = (inside < levels[:, None]).sum(axis=1)
    return np.asarray(np.minimum(starts + below, len(x)))
