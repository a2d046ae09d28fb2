"""Is this column probabilities? Asked of every batch, answered for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.inputs import range_hint
from lwcal.reduction import faults
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
    for words, wrong, shown in _reasons(values, not_numbers, came, name):
        dropped.note(wrong & ~bad, shown, begin, *words)
        bad |= wrong
    return values, bad


def _reasons(
    values: FloatArray, not_numbers: BoolArray | None, came: npt.NDArray[Any], name: str
) -> list[tuple[faults.Words, BoolArray, npt.NDArray[Any]]]:
    nothing = np.zeros(len(values), dtype=np.bool_)
    finite = values[np.isfinite(values)]
    hint = range_hint(finite) if len(finite) else ""
    return [
        (faults.not_a_number(name), nothing if not_numbers is None else not_numbers, came),
        (faults.missing_score(name), np.isnan(values), values),
        (faults.infinite_score(name), np.isinf(values), values),
        (faults.outside_score(name, hint), (values < 0.0) | (values > 1.0), values),
    ]
