"""Weights of the draws of a posterior."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.arrays import BoolArray, FloatArray
from lwcal.kernels.importance import normalise

NEGLIGIBLE_WEIGHT = 1e-7
"""Draws below this weight are dropped."""


class KeptDraws(NamedTuple):
    """Which draws are kept, and the weights of those, which add up to 1."""

    mask: BoolArray
    weights: FloatArray


def drop_negligible(log_weights: FloatArray) -> KeptDraws:
    """Drop draws whose weight does not matter.

    >>> import numpy as np
    >>> drop_negligible(np.array([0.0, 0.0, -40.0]))
    KeptDraws(mask=array([ True,  True, False]), weights=array([0.5, 0.5]))
    """
    weights = normalise(log_weights)
    mask = weights > NEGLIGIBLE_WEIGHT
    return KeptDraws(mask, weights[mask] / weights[mask].sum())
