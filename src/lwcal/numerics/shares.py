"""Intervals of shares."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from lwcal.arrays import FloatArray


def jeffreys_interval(
    found: FloatArray | float, n: FloatArray | float, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Ends of Jeffreys' interval of a share of which some were found among n.

    >>> low, high = jeffreys_interval(19.0, 100.0, 0.9)
    >>> f"{low:.0%} to {high:.0%}"
    '13% to 26%'
    """
    tail = (1.0 - confidence) / 2.0
    hits, misses = np.asarray(found) + 0.5, np.maximum(np.asarray(n) - found, 0.0) + 0.5
    low, high = (np.asarray(betaincinv(hits, misses, end), float) for end in (tail, 1.0 - tail))
    return low, high
