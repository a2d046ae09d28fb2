"""Rules that turn columns into labels: 0, 1 or missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pandas as pd

Rule: TypeAlias = Callable[[pd.DataFrame], pd.Series]


def known(answer: pd.Series, where: pd.Series) -> pd.Series:
    """Convert an answer to 0 and 1, and to missing outside ``where``.

    >>> known(pd.Series([True, False, True]), pd.Series([True, True, False])).tolist()
    [1.0, 0.0, nan]
    """
    return answer.astype(float).where(where)


def at_least(values: pd.Series, limit: float) -> pd.Series:
    """Label: the value is at least the limit."""
    return known(values >= limit, values.notna())


def any_of(*labels: pd.Series) -> pd.Series:
    """1 if any label is 1, 0 if all are 0, otherwise missing."""
    table = pd.concat(labels, axis=1)
    highest = table.max(axis=1)
    return highest.where(table.notna().all(axis=1) | highest.eq(1))


def above(column: str, limit: float = 0) -> Rule:
    """Rule: the column is greater than the limit."""
    return lambda table: known(table[column] > limit, table[column].notna())


def equals(column: str, *values: Any) -> Rule:
    """Rule: the column equals one of the values."""
    return lambda table: known(table[column].isin(values), table[column].notna())


def reaches(column: str, limit: float) -> Rule:
    """Rule: the column is at least the limit."""
    return lambda table: at_least(table[column], limit)
