"""Thresholds of scores, from thresholds of calibrated probabilities."""

from __future__ import annotations

import numpy as np

from lwcal.rows.scales import LOGIT, RANGES, to_probabilities
from lwcal.score_map import ScoreMap

LARGEST_LOGIT = 800.0
"""Beyond it, every logit has the probability 0 or 1."""
STEPS = 2200
"""More halvings than any interval of doubles takes."""


def lowest_score(fitted: ScoreMap, probability: float) -> float:
    """The lowest score, on the scale of the fit, whose calibrated probability is not below this.

    Infinity if no score has it. It is exact: the next lower double has a lower probability, so
    comparing scores gives the same decisions as comparing probabilities.

    Examples
    --------
    >>> from lwcal.maps import SigmoidMap
    >>> lowest_score(ScoreMap(SigmoidMap(8.0, -4.0)), 0.5)
    0.5
    >>> lowest_score(ScoreMap(SigmoidMap(0.0, 0.0)), 0.75)
    inf
    """
    low, high = RANGES[fitted.scale]
    if fitted.scale == LOGIT:
        low, high = -LARGEST_LOGIT, LARGEST_LOGIT

    def reaches(score: float) -> bool:
        given = to_probabilities(np.array([score]), fitted.scale)
        return bool(fitted.map.apply_unchecked(given)[0] >= probability)

    if not reaches(high):
        return float("inf")
    if reaches(low):
        return low
    for _ in range(STEPS):
        middle = low + (high - low) / 2.0
        if middle in (low, high):
            break
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high
