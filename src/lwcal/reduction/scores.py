"""Is this column probabilities? Asked of every batch, answered for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.inputs import range_hint
from lwcal.kernels.arrays import BoolArray, FloatArray
from lwcal.reduction.invalid import Dropped
from lwcal.reduction.numbers import as_numbers


def check_scores(
    column: Any, begin: int, name: str, dropped: Dropped
) -> tuple[FloatArray, BoolArray | None]:
    """Scores as float64, and which rows are none, if any; those are noted by reason.

    >>> dropped = Dropped(rows=2)
    >>> check_scores(np.array([0.5, 1.5]), 0, "p", dropped)
    (array([0.5, 1.5]), array([False,  True]))
    >>> dropped.count
    1
    """
    values, not_numbers, came = as_numbers(column)
    # min and max carry NaN along, so one comparison finds everything that is not in range
    if len(values) == 0 or (values.min() >= 0.0 and values.max() <= 1.0):
        return values, None
    bad = np.zeros(len(values), dtype=np.bool_)
    for what, wrong, shown, expected, hint in _reasons(values, not_numbers, came, name):
        dropped.note(wrong & ~bad, shown, begin, name, what, expected, hint)
        bad |= wrong
    return values, bad


def _reasons(
    values: FloatArray, not_numbers: BoolArray | None, came: npt.NDArray[Any], name: str
) -> list[tuple[str, BoolArray, npt.NDArray[Any], str, str]]:
    probabilities = f"column {name!r} to be probabilities in [0, 1]"
    nothing = np.zeros(len(values), dtype=np.bool_)
    return [
        (
            "that are not",
            nothing if not_numbers is None else not_numbers,
            came,
            f"column {name!r} to be numbers",
            "check the column's name and type",
        ),
        (
            "that are missing (NaN)",
            np.isnan(values),
            values,
            probabilities,
            "drop or repair those rows first",
        ),
        (
            "that are infinite",
            np.isinf(values),
            values,
            probabilities,
            "drop or repair those rows first",
        ),
        (
            "outside",
            (values < 0.0) | (values > 1.0),
            values,
            probabilities,
            range_hint(finite) if len(finite := values[np.isfinite(values)]) else "",
        ),
    ]
