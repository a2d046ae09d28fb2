"""Names of the array types that travel between the kernels and their callers."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
LabelArray: TypeAlias = npt.NDArray[np.uint8]
KeyArray: TypeAlias = npt.NDArray[np.uint64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IndexArray: TypeAlias = npt.NDArray[np.intp]
Pooled: TypeAlias = tuple[FloatArray, FloatArray | None, FloatArray | LabelArray]
"""Distinct scores in increasing order, and the weight of negative and positive labels at each.

Where every score has a single row, the second is None, and the third holds the labels: an eighth
of the memory.
"""
PooledGroups: TypeAlias = tuple[
    FloatArray, LabelArray, FloatArray | None, FloatArray | None, IndexArray
]
"""Scores, labels, counts where scores repeat, and the number of distinct scores, group by group."""
Counted: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""Distinct scores in increasing order, and the weight of negative and positive labels at each."""
Knots: TypeAlias = tuple[FloatArray, FloatArray]
"""Scores in increasing order and the non-decreasing values of a piecewise linear map there."""
