"""Order statistics of a union of sorted, weighted runs, by bisection instead of merging."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lwcal.kernels.arrays import FloatArray


class Run(NamedTuple):
    """Weighted values in increasing order."""

    values: FloatArray
    cumulative: FloatArray

    def weight_up_to(self, limit: float) -> float:
        """Weight of the values that are at most the limit."""
        rows = int(np.searchsorted(self.values, limit, side="right"))
        return float(self.cumulative[rows - 1]) if rows else 0.0


def sorted_run(values: FloatArray, weights: FloatArray) -> Run:
    """Take values that are sorted, up or down, and put the smallest first."""
    if len(values) and values[0] > values[-1]:
        values, weights = values[::-1], weights[::-1]
    return Run(values, np.cumsum(weights))


def _select(runs: Sequence[Run], target: float, bisect: Callable[..., int]) -> float:
    """Find the smallest value at which the weight up to it reaches the target.

    With ``bisect_left`` reaching means at least the target, with ``bisect_right`` above it.
    """

    def weight_up_to(value: float) -> float:
        return sum(run.weight_up_to(value) for run in runs)

    positions = (bisect(run.values, target, key=weight_up_to) for run in runs)
    reached = [run.values[j] for run, j in zip(runs, positions, strict=True) if j < len(run.values)]
    return float(min(reached, default=np.inf))


def weighted_median(runs: Sequence[Run], total: float) -> float:
    """Median of the union of sorted runs, by bisection instead of merging them.

    Like numpy's median of the rows written out: the mean of the two middle values.
    """
    lower = _select(runs, total / 2, bisect_left)
    upper = _select(runs, total / 2, bisect_right)
    return lower if np.isinf(upper) else lower + (upper - lower) / 2


def weighted_quantile(runs: Sequence[Run], share: float, total: float) -> float:
    """Smallest value that at least this share of the weight does not exceed."""
    return _select(runs, share * total * (1.0 - 1e-12), bisect_left)  # 0.07 * 100 is above 7
