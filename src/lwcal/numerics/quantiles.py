"""Quantiles of values that count as often as their weights say."""

from collections.abc import Sequence

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.kernels.medians import sort_with_cumulative_weights


def weighted_quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the smallest value with at least this share of the weight at or below it.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    (found,) = weighted_quantiles(values, weights, (share,))
    return found


def weighted_quantiles(
    values: FloatArray, weights: FloatArray, shares: Sequence[float]
) -> tuple[float, ...]:
    """Return the quantile of each share; the values are sorted once.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), (0.5, 1.0))
    (2.0, 3.0)
    """
    ordered, cumulative = sort_with_cumulative_weights(values, weights)
    # the factor, because 0.07 * 100 is slightly above 7
    targets = [share * cumulative[-1] * (1.0 - 1e-12) for share in shares]
    return tuple(ordered[np.searchsorted(cumulative, targets, side="left")].tolist())
