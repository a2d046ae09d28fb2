"""Order statistics in which a weight is how often a value counts."""

import numpy as np

from lwcal.kernels.arrays import FloatArray


def weighted_median(values: FloatArray, weights: FloatArray) -> float:
    """Median of the values written out as often as their weight says.

    The mean of the two middle values when the weight splits evenly between them.

    >>> weighted_median(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    2.0
    >>> weighted_median(np.array([3.0, 1.0]), np.array([1.0, 2.0]))
    1.0
    """
    if (weights == 1.0).all():
        ordered = np.sort(values)  # in numpy quicker than selecting, and than sorting positions
        lower, upper = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    else:
        ordered, cumulative = _ordered(values, weights)
        half = cumulative[-1] / 2
        lower = ordered[np.searchsorted(cumulative, half, side="left")]
        upper = ordered[min(np.searchsorted(cumulative, half, side="right"), len(ordered) - 1)]
    return float(lower + (upper - lower) / 2)


def weighted_quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    """Smallest value that at least this share of the weight does not exceed.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    ordered, cumulative = _ordered(values, weights)
    target = share * cumulative[-1] * (1.0 - 1e-12)  # 0.07 * 100 is above 7
    return float(ordered[np.searchsorted(cumulative, target, side="left")])


def _ordered(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(values)
    return values[order], np.cumsum(weights[order])
