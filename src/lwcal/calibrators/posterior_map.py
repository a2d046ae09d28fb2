"""The map of a posterior: its clean probability, as straight lines between knots."""

from typing import Protocol

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.maps import PiecewiseLinearMap
from lwcal.noise.logit_counts import score_at, soft_logit

KNOTS_PER_LOGIT = 16
"""Knots per unit of log-odds of the score."""
LINEAR_SHARE = 1e-9
"""Share of a straight line in the map. Without it, values near 0 and 1 would round to ties."""


class CleanProbability(Protocol):
    """A posterior: a probability that does not decrease with the score."""

    @property
    def softness(self) -> float:
        """Softening of the log-odds, which says how close to 0 and 1 knots are needed."""

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score."""


def posterior_map(posterior: CleanProbability) -> PiecewiseLinearMap:
    """Strictly increasing map that follows the clean probability of a posterior."""
    x = _knots(posterior.softness)
    # near 0 and 1 the rounding of the average can exceed its rise from knot to knot
    average = np.maximum.accumulate(posterior.clean_probability(x))
    return PiecewiseLinearMap(x, (1.0 - 2.0 * LINEAR_SHARE) * average + LINEAR_SHARE * (0.5 + x))


def _knots(soft: float) -> FloatArray:
    """Scores from 0 to 1 at even steps of their log-odds."""
    top = float(soft_logit(np.ones(1), soft)[0])
    steps = 2 * int(np.ceil(top * KNOTS_PER_LOGIT))
    inner = score_at(np.linspace(-top, top, steps + 1)[1:-1], soft)
    return np.concatenate([[0.0], inner, [1.0]])
