"""A task with many classes: how its classes are numbered, and which are too small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lwcal_study.real.encoding import encode, without
from lwcal_study.real.labels import Rule
from lwcal_study.real.packages import read_table
from lwcal_study.real.task import Loaded, RealTask, Rows

LEAST_ROWS = 20
"""Classes with fewer rows are dropped, with their rows."""


@dataclass(frozen=True)
class ClassTask(RealTask):
    """One task with more than two classes.

    ``build`` gives any values as labels. Their sorted order is the order of the classes, so rules
    give numbers where classes have an order of their own.

    Examples
    --------
    >>> rows = Rows(pd.DataFrame({"a": range(61)}), pd.Series(["x", "z", "y"] * 20 + ["w"]), None)
    >>> task = ClassTask("letters", "none", "text", "clean", build=lambda: rows)
    >>> task.load().y_trusted[:4].tolist(), len(task.load().X)
    ([0, 2, 1, 0], 60)
    """

    def load(self) -> Loaded:
        """Read the task, without rows whose labels are missing or of a class with few rows."""
        X, trusted, noisy = self.build()
        given = [trusted] if noisy is None else [trusted, noisy]
        kept = pd.concat(given, axis=1).notna().all(axis=1)
        sizes = trusted[kept].value_counts()
        classes = sorted(sizes.index[sizes >= LEAST_ROWS])
        for labels in given:
            kept &= labels.isin(classes)
        number = {value: k for k, value in enumerate(classes)}
        numbers = [labels[kept].map(number).to_numpy().astype("int64") for labels in given]
        return Loaded(encode(X[kept]).to_numpy(), numbers[0], None if noisy is None else numbers[1])


def value_of(column: str) -> Rule:
    """Rule: the classes are the values of the column.

    >>> value_of("a")(pd.DataFrame({"a": ["x", None]})).tolist()
    ['x', nan]
    """
    return lambda table: table[column]


def ranked(column: str, *values: Any) -> Rule:
    """Rule: the classes are these values, in this order. Other values are missing.

    >>> ranked("a", "low", "high")(pd.DataFrame({"a": ["high", "low", "?"]})).tolist()
    [1.0, 0.0, nan]
    """
    places = {value: float(place) for place, value in enumerate(values)}
    return lambda table: table[column].map(places).astype(float)


def steps(values: pd.Series, *limits: float) -> pd.Series:
    """The number of limits that a value reaches.

    >>> steps(pd.Series([17.0, 18.5, 40.0, None]), 18.5, 25).tolist()
    [0.0, 1.0, 2.0, nan]
    """
    reached = sum((values >= limit).astype(float) for limit in limits)
    return pd.Series(reached, index=values.index).where(values.notna())


def class_table(
    name: str,
    package: str,
    path: str,
    domain: str,
    target: str | Rule,
    drop: str = "",
    *,
    note: str = "",
    change: Callable[[pd.DataFrame], pd.DataFrame] = pd.DataFrame.copy,
    **options: Any,
) -> ClassTask:
    """Create a clean task from one table.

    Parameters
    ----------
    name, package, path, domain, note : str
    target : str or rule
        A column, which is then not a feature, or a rule for the labels.
    drop : str
        Patterns of columns that would reveal the label, separated by spaces.
    change : callable
        Prepares the table, before target and features are taken from it.
    **options
        Options for reading the file.
    """
    rule = value_of(target) if isinstance(target, str) else target
    hidden = [target] if isinstance(target, str) else []

    def build() -> Rows:
        table = change(read_table(package, path, **options))
        return Rows(without(table.drop(columns=hidden), drop), rule(table), None)

    return ClassTask(name, package, domain, "clean", build, note=note)
