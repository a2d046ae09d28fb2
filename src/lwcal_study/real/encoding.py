"""Encode data frames as floats."""

from __future__ import annotations

import re

import pandas as pd

MAX_LEVELS = 12
"""Text columns with more levels are dropped: they hold names or addresses."""


def encode(frame: pd.DataFrame) -> pd.DataFrame:
    """One column per level of text, medians for missing values, no constant columns.

    >>> encode(pd.DataFrame({"a": [1, None, 3], "b": ["x", "y", "x"], "c": [0, 0, 0]}))
         a  b_y
    0  1.0  0.0
    1  2.0  1.0
    2  3.0  0.0
    """
    columns = [_encode_column(frame[name].rename(str(name))) for name in frame.columns]
    table = pd.concat([column for column in columns if column is not None], axis=1)
    return table.loc[:, table.nunique() > 1].reset_index(drop=True)


def without(frame: pd.DataFrame, patterns: str) -> pd.DataFrame:
    """Drop columns whose full name matches one of the patterns, separated by spaces.

    >>> without(pd.DataFrame(columns=["wage", "lwage", "age"]), "l?wage").columns.tolist()
    ['age']
    """
    rules = [re.compile(pattern) for pattern in patterns.split()]
    return frame[[c for c in frame if not any(rule.fullmatch(str(c)) for rule in rules)]]


def _encode_column(column: pd.Series) -> pd.Series | pd.DataFrame | None:
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        numbers = column.astype(float)
        return numbers.fillna(numbers.median()).fillna(0.0)
    texts = column.astype(object).where(column.notna(), "missing").astype(str)
    levels = texts.nunique()
    if levels > MAX_LEVELS:
        return None
    return pd.get_dummies(texts, prefix=column.name, dtype=float, drop_first=levels == 2)
