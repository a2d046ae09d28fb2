"""Rows with one label each, some of them checked, as the model of checked labels reads them."""

from __future__ import annotations

import numpy as np

from lwcal.multiclass.checked_classes import AuditedClasses
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.noise.checked.table import CheckedTable
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.rows.labels import Checked
from lwcal.table import ScoreTable


def checked_tables(rows: OpinionRows) -> tuple[ScoreTable, CheckedTable]:
    """Unchecked and checked rows of two classes, pooled.

    >>> rows = OpinionRows(
    ...     np.array([[0.9, 0.1], [0.4, 0.6]]), np.ones(2), np.array([-1, 0]), np.array([0, 1]),
    ...     np.zeros(2, dtype=np.intp), np.array([0, 1]), (0, 1), ("a",),
    ... )
    >>> table, checked = checked_tables(rows)
    >>> table.scores, checked.truths.scores
    (array([0.1]), array([0.6]))
    """
    checked = rows.is_checked
    codes = rows.labels.astype(np.uint8), rows.truths[checked].astype(np.uint8)
    return split_checked(rows.scores[:, 1], Checked(*codes, checked), rows.weights)


def checked_classes(rows: OpinionRows) -> AuditedClasses:
    """Unchecked and checked rows with a column of scores for each class."""
    return AuditedClasses.of_codes(
        rows.scores, rows.labels, rows.truths, rows.weights, rows.classes
    )
