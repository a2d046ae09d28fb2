"""Rows of which some are checked: pooled counts of the unchecked and of the checked rows."""

from __future__ import annotations

from typing import Any

from lwcal.arrays import FloatArray
from lwcal.noise.checked.selection import unexplained_weights
from lwcal.noise.checked.table import EMPTY, CheckedTable
from lwcal.numerics.tabulate import tabulate
from lwcal.rows import (
    ArrayLike,
    Checked,
    as_chances,
    as_checked_labels,
    as_scores,
    as_weights,
    check_same_length,
)
from lwcal.rows.checks import ONE_COLUMN, known_scale
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column
from lwcal.table import ScoreTable


def read_checked(
    scores: ArrayLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    *,
    y_audited: ArrayLike | None,
    audit_probability: ArrayLike | None,
    pos_label: Any,
    scale: str | None,
) -> tuple[ScoreTable, CheckedTable, str]:
    """Read columns, some of whose rows are checked: pooled counts of both, and the scale."""
    column = as_column(scores, "scores", ONE_COLUMN)
    known = known_scale(column, scale or PROBABILITY, "scores")
    labels = as_checked_labels(y, y_audited, pos_label=pos_label)
    checked = as_scores(column, scale=known)
    return *split_checked(checked, labels, sample_weight, audit_probability), known


def split_checked(
    scores: FloatArray,
    labels: Checked,
    sample_weight: ArrayLike | None = None,
    audit_probability: ArrayLike | None = None,
) -> tuple[ScoreTable, CheckedTable]:
    """Pool the unchecked rows and the checked rows, separately.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([0.2, 0.4, 0.4, 0.9])
    >>> labels = as_checked_labels([0, 1, 1, 1], [np.nan, 0, np.nan, np.nan])
    >>> table, checked = split_checked(scores, labels)
    >>> table.n, table.scores, checked.n
    (3, array([0.2, 0.4, 0.9]), 1)
    """
    check_same_length(len(scores), len(labels.noisy), "y")
    weights = None if sample_weight is None else as_weights(sample_weight, len(scores))
    rows = labels.checked
    of_checked = None if weights is None else weights[rows]
    if audit_probability is not None and rows.any():
        chosen = as_chances(audit_probability, rows)
        unexplained = unexplained_weights(scores[rows], labels.noisy[rows], chosen)
        of_checked = unexplained if of_checked is None else of_checked * unexplained
    checked = CheckedTable.from_codes(scores[rows], labels.noisy[rows], labels.true, of_checked)
    if rows.all():
        return EMPTY, checked
    others = None if weights is None else weights[~rows]
    return ScoreTable.unchecked(*tabulate(scores[~rows], labels.noisy[~rows], others)), checked
