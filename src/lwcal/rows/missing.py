"""What counts as missing, in scores, labels and weights alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray

MISSING_WORDS = frozenset(
    ("", "#N/A", "#NA", "<NA>", "N/A", "NA", "n/a", "na", "NULL", "null", "None")
).union(("NaN", "nan", "-nan", "NaT"))
"""Text that stands for a missing value; surrounding blanks do not matter."""


def is_missing(values: npt.NDArray[Any]) -> BoolArray:
    """Mark NaN, None, NaT, pandas.NA, and text such as "NA" or "".

    >>> is_missing(np.array([1, None, " NA ", float("nan"), "no"], dtype=object))
    array([False,  True,  True,  True, False])
    """
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "iub":
        return np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    listed = values.tolist()
    return np.fromiter(map(is_missing_value, listed), dtype=np.bool_, count=len(listed))


def is_missing_value(value: Any) -> bool:
    """Whether a single value is missing."""
    if isinstance(value, str):
        return value.strip() in MISSING_WORDS
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True  # pandas is not imported for this, and its NA cannot be compared
    return isinstance(value, (float, np.floating)) and value != value
