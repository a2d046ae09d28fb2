"""The logistic function, also where there is no scipy or where its import would take longest."""

from __future__ import annotations

import sys
from math import exp

import numpy as np

from lwcal.arrays import FloatArray

OVERFLOW = 709.782712893384
"""Above this, Python's ``exp`` raises, while C's returns infinity."""
FEW = 20_000
"""So many values take a tenth of the time that the import of ``scipy.special`` takes."""


def expit(values: FloatArray) -> FloatArray:
    """``1 / (1 + exp(-z))``: the bits of ``scipy.special.expit``.

    >>> expit(np.array([0.0, 800.0]))
    array([0.5, 1. ])
    """
    if values.size <= FEW and "scipy.special" not in sys.modules:
        return expit_of_few(values)
    from scipy import special

    return np.asarray(special.expit(values))


def expit_of_few(values: FloatArray) -> FloatArray:
    """The same one by one, with the exponential of C, which numpy does not use.

    Spark sends this function to its workers, which have numpy, but neither scipy nor this package.

    >>> expit_of_few(np.array([0.0, -800.0]))
    array([0.5, 0. ])
    """
    powers = [exp(-z) if -z <= OVERFLOW else np.inf for z in values.tolist()]
    return np.asarray(1.0 / (1.0 + np.array(powers, dtype=np.float64)))
