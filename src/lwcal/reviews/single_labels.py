"""All opinions as single labels. Those of a row weigh as much as the row."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.multiclass.class_rows import ClassRows
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.table import ScoreTable


def label_table(rows: OpinionRows) -> ScoreTable:
    """Labels of two classes, pooled.

    >>> said = np.array([1, 1, 0])
    >>> rows = OpinionRows(
    ...     np.array([[0.9, 0.1], [0.4, 0.6]]), np.ones(2), np.full(2, -1), np.array([0, 1, 1]),
    ...     np.array([0, 0, 1]), said, (0, 1), ("a", "b"),
    ... )
    >>> label_table(rows).positives
    array([1. , 0.5])
    """
    return ScoreTable.from_arrays(rows.scores[rows.rows, 1], rows.labels, shared_weights(rows))


def label_rows(rows: OpinionRows) -> ClassRows:
    """Labels of several classes."""
    return ClassRows.of_codes(
        rows.scores[rows.rows], rows.labels, shared_weights(rows), rows.classes
    )


def shared_weights(rows: OpinionRows) -> FloatArray:
    """Weight of each opinion."""
    return np.asarray((rows.weights / np.maximum(rows.opinions, 1))[rows.rows])
