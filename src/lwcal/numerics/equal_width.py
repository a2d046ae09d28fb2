"""Bins of equal width between 0 and 1."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray, IndexArray


def bin_of(probabilities: FloatArray, n_bins: int) -> IndexArray:
    """Bin of each probability. One on an edge is in the upper bin, and 1 in the last.

    >>> bin_of(np.array([0.0, 0.49, 0.5, 1.0]), 2)
    array([0, 0, 1, 1])
    """
    return np.minimum((probabilities * n_bins).astype(np.intp), n_bins - 1)
