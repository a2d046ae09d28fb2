"""Check the columns that a report is made from."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray, LabelArray
from lwcal.errors import InputError
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.noise.checked.table import CheckedTable
from lwcal.rows import (
    ArrayLike,
    Checked,
    as_checked_labels,
    as_labels,
    as_scores,
    as_weights,
    check_same_length,
    is_missing,
)
from lwcal.rows.classes import class_key
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

    @property
    def positive_class(self) -> str | None:
        """The positive class as it stands in the data; None if no row has it."""
        found = self.named[self.labels == 1]
        return class_text(found[0]) if len(found) else None


class Audit(NamedTuple):
    """The rows that somebody checked.

    Attributes
    ----------
    checked : bool array
        Whether each row was checked.
    truths : uint8 array
        The checked labels, of these rows only.
    """

    checked: BoolArray
    truths: LabelArray

    def table(self, rows: Rows) -> ScoreTable:
        """Pool the checked labels."""
        weights = None if rows.weights is None else rows.weights[self.checked]
        return ScoreTable.from_arrays(rows.scores[self.checked], self.truths, weights)

    def split(self, rows: Rows, chances: ArrayLike | None) -> tuple[ScoreTable, CheckedTable]:
        """Pool the unchecked rows and the checked ones, separately."""
        labels = Checked(rows.labels, self.truths, self.checked)
        return split_checked(rows.scores, labels, rows.weights, chances)

    def wrong(self, rows: Rows) -> int:
        """Count the labels that the check found wrong."""
        return int((rows.labels[self.checked] != self.truths).sum())


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


def find_audit(rows: Rows, trusted: ArrayLike, pos_label: Any) -> Audit:
    """Find the rows that have a trusted label, and read these labels."""
    values = np.asarray(trusted)
    check_same_length(len(rows.scores), len(values), "trusted")
    there = ~is_missing(values)
    if not there.any():
        raise InputError(
            f"None of the {len(values):,} rows has a trusted label. Omit trusted, or check "
            "that it is the right column."
        )
    if _classes(values[there]) <= _classes(rows.named):
        # read together: the checked rows may hold one class only
        found = as_checked_labels(rows.named, values, pos_label=pos_label)
        return Audit(there, found.true)
    return Audit(there, as_labels(values[there], pos_label=pos_label, name="trusted"))


def _classes(values: Values) -> set[str]:
    return {class_key(value) for value in set(values.tolist())}


def class_text(value: object) -> str:
    """Write 1 rather than 1.0.

    >>> class_text(1.0), class_text("fraud"), class_text(True)
    ('1', 'fraud', 'True')
    """
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
