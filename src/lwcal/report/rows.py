"""Check the columns that a report is made from."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray, LabelArray
from lwcal.errors import InputError
from lwcal.rows import (
    ArrayLike,
    as_labels,
    as_scores,
    as_weights,
    check_same_length,
    is_missing,
)
from lwcal.table import ScoreTable

Values: TypeAlias = npt.NDArray[np.generic]
"""Values of a column as they are in the data."""


class Rows(NamedTuple):
    """Checked columns of equal length.

    Attributes
    ----------
    scores : float64 array
    labels : uint8 array
        1 for the positive class.
    named : array
        The labels as they are in the data, for display.
    weights : float64 array or None
    identities : array or None
        Names of the rows. Without them, rows are numbered from 0.
    """

    scores: FloatArray
    labels: LabelArray
    named: Values
    weights: FloatArray | None
    identities: Values | None

    def table(self) -> ScoreTable:
        """Pool the rows."""
        return ScoreTable.from_arrays(self.scores, self.labels, self.weights)


def check_rows(
    scores: ArrayLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    identities: ArrayLike | None,
    pos_label: Any,
    scale: str,
) -> Rows:
    """Check the columns of rows."""
    if y is None:
        raise InputError("y is missing. Pass labels, or a ScoreTable in the place of scores.")
    checked = as_scores(scores, scale=scale)
    labels = as_labels(y, pos_label=pos_label)
    check_same_length(len(checked), len(labels), "y")
    weights = None if sample_weight is None else as_weights(sample_weight, len(checked))
    names = None if identities is None else np.asarray(identities)
    if names is not None:
        check_same_length(len(checked), len(names), "identities")
    return Rows(checked, labels, np.asarray(y).ravel(), weights, names)


def trusted_rows(rows: Rows, trusted: ArrayLike, pos_label: Any) -> ScoreTable:
    """Pool the rows that have a trusted label."""
    values = np.asarray(trusted)
    check_same_length(len(rows.scores), len(values), "trusted")
    # a CSV file can express a missing label only as an empty string
    empty = values == "" if values.dtype.kind in "OU" else np.zeros(len(values), dtype=np.bool_)
    there = ~(is_missing(values) | empty)
    if not there.any():
        raise InputError(
            f"None of the {len(values):,} rows has a trusted label. Omit trusted, or check "
            "that it is the right column."
        )
    labels = as_labels(values[there], pos_label=pos_label, name="trusted")
    counted = None if rows.weights is None else rows.weights[there]
    return ScoreTable.from_arrays(rows.scores[there], labels, counted)
