"""Quantiles of values that count as often as their weights say."""

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.kernels.medians import sort_with_cumulative_weights


def weighted_quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest value with at least this share of the weight at or below it.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    ordered, cumulative = sort_with_cumulative_weights(values, weights)
    target = share * cumulative[-1] * (1.0 - 1e-12)  # 0.07 * 100 is slightly above 7
    return float(ordered[np.searchsorted(cumulative, target, side="left")])
