"""Decisions by two thresholds of a score as one SQL expression."""

from __future__ import annotations

import numpy as np

from lwcal.artifact.export.dialects import LARGEST, dialect_named
from lwcal.artifact.export.sql import check_names
from lwcal.rows.scales import RANGES


def decisions_in_sql(
    low_score: float, high_score: float, scale: str, column: str, dialect: str
) -> str:
    """Compare the scores with two numbers: that gives the decisions of the calibrated ones.

    Parameters
    ----------
    low_score, high_score : float
        Scores from which on rows are reviewed, and decided as positive.
    scale : str
        Scale of the scores.
    column, dialect : str
        See :meth:`lwcal.decisions.Policy.to_sql`.

    Examples
    --------
    >>> print(decisions_in_sql(0.5, 0.5, "probability", "p", "duckdb").splitlines()[1])
    WHEN "p" >= 5.0000000000000000e-01 THEN 'positive'
    """
    check_names([column], "a column name")
    syntax = dialect_named(dialect)
    score = syntax.quote(column)
    low, high = np.clip(RANGES[scale], -LARGEST, LARGEST).tolist()
    steps = [("positive", high_score)]
    if low_score < high_score:
        steps.append(("review", low_score))
    whens = [
        f"WHEN {score} >= {syntax.number(threshold)} THEN '{name}'"
        for name, threshold in steps
        if np.isfinite(threshold)
    ]
    # some engines sort NaN above every number
    inside = syntax.between(score, low, high)
    lines = [f"CASE WHEN NOT ({inside}) OR {score} IS NULL THEN NULL"]
    return "\n".join([*lines, *whens, "ELSE 'negative' END"])
