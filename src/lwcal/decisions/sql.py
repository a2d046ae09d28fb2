"""A policy as one SQL expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lwcal.artifact.export.dialects import LARGEST, dialect_named
from lwcal.artifact.export.sql import check_names
from lwcal.rows.scales import RANGES

if TYPE_CHECKING:
    from lwcal.decisions.policy import Policy


def policy_to_sql(policy: Policy, column: str, dialect: str) -> str:
    """Compare the scores with two numbers: that gives the decisions of the calibrated ones.

    Parameters
    ----------
    policy : Policy
    column, dialect : str
        See :meth:`lwcal.decisions.Policy.to_sql`.
    """
    check_names([column], "a column name")
    syntax = dialect_named(dialect)
    score = syntax.quote(column)
    low, high = np.clip(RANGES[policy.scale], -LARGEST, LARGEST).tolist()
    steps = [("positive", policy.high_score)]
    if policy.low_score < policy.high_score:
        steps.append(("review", policy.low_score))
    whens = [
        f"WHEN {score} >= {syntax.number(threshold)} THEN '{name}'"
        for name, threshold in steps
        if np.isfinite(threshold)
    ]
    # some engines sort NaN above every number
    inside = syntax.between(score, low, high)
    lines = [f"CASE WHEN NOT ({inside}) OR {score} IS NULL THEN NULL"]
    return "\n".join([*lines, *whens, "ELSE 'negative' END"])
