"""Weighted median and median absolute deviation, for the numpy kernels."""

from bisect import bisect_left

import numpy as np

from lwcal.arrays import FloatArray


def weighted_median_and_mad(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the median and the median absolute deviation of weighted values.

    A weight is the number of times that a value counts.

    >>> weighted_median_and_mad(np.array([3.0, 1.0, 8.0]), np.array([1.0, 1.0, 1.0]))
    (3.0, 2.0)
    >>> weighted_median_and_mad(np.array([3.0, 1.0]), np.array([1.0, 2.0]))
    (1.0, 0.0)
    """
    if (weights == 1.0).all():
        return _median_and_mad(np.sort(values))  # much faster than sorting positions
    m = _weighted_median(values, weights)
    return m, _weighted_median(np.abs(values - m), weights)


def _median_and_mad(ordered: FloatArray) -> tuple[float, float]:
    n = len(ordered)
    m = _middle(ordered[(n - 1) // 2], ordered[n // 2])
    # Deviations rise to the left and to the right of m: two sorted runs, so no second sort.
    turn = int(np.searchsorted(ordered, m))

    def kth_deviation(k: int) -> float:
        """Find how many of the k + 1 smallest deviations lie on the left."""
        fewest, most = max(0, k + 1 - (n - turn)), min(k + 1, turn)
        left = bisect_left(
            range(fewest, most),
            True,
            key=lambda i: m - ordered[turn - 1 - i] >= ordered[turn + k - i] - m,
        )
        left += fewest
        candidates = []
        if left > 0:
            candidates.append(m - ordered[turn - left])
        if k + 1 - left > 0:
            candidates.append(ordered[turn + k - left] - m)
        return float(max(candidates))

    return m, _middle(kth_deviation((n - 1) // 2), kth_deviation(n // 2))


def _weighted_median(values: FloatArray, weights: FloatArray) -> float:
    ordered, cumulative = sort_with_cumulative_weights(values, weights)
    half = cumulative[-1] / 2
    lower = ordered[np.searchsorted(cumulative, half, side="left")]
    upper = ordered[min(np.searchsorted(cumulative, half, side="right"), len(ordered) - 1)]
    return _middle(lower, upper)


def _middle(lower: float, upper: float) -> float:
    """Return the mean of the two middle values; they are equal for an odd number of values."""
    return float(lower + (upper - lower) / 2)


def sort_with_cumulative_weights(
    values: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sort values and add up their weights in that order.

    >>> sort_with_cumulative_weights(np.array([3.0, 1.0]), np.array([1.0, 2.0]))
    (array([1., 3.]), array([2., 3.]))
    """
    order = np.argsort(values)
    return values[order], np.cumsum(weights[order])
