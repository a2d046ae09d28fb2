"""A task whose rows were rated by several people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lwcal_study.opinions.reviewers import REVIEWERS
from lwcal_study.real.encoding import encode
from lwcal_study.real.task import Loaded, Part, part_of


class RatedRows(NamedTuple):
    """Features, and the ratings of all people, of shape (rows, people)."""

    X: pd.DataFrame
    ratings: Any


@dataclass(frozen=True)
class RatedTask:
    """One task. Three people are drawn for each row; what they say are its opinions.

    Attributes
    ----------
    name, package, note : str
        Its name, the package that contains its file, and an explanation for the reader.
    build : callable
        Reads the rows.
    label : callable
        Class of a rating, or of a mean of ratings.
    apart : bool
        True if the trusted label is that of the mean of the people who were not drawn. False if
        there are too few of them: then it is that of the mean of all.

    Examples
    --------
    >>> rows = RatedRows(pd.DataFrame({"a": range(2)}), np.array([[1.0] * 5, [-1.0] * 5]))
    >>> task = RatedTask("signs", "none", "", build=lambda: rows, label=lambda r: r > 0)
    >>> task.load().y_trusted.tolist(), task.load().y_noisy.tolist()
    ([1, 0], [[1, 1, 1], [0, 0, 0]])
    """

    name: str
    package: str
    note: str
    build: Callable[[], RatedRows]
    label: Callable[[float], float]
    apart: bool = True

    @property
    def part(self) -> Part:
        """Whether methods may be tuned on the task."""
        return part_of(self.name)

    def load(self) -> Loaded:
        """Read the task. Its noisy labels have a column for each of the three people."""
        X, ratings = self.build()
        drawn = np.random.default_rng(0).permuted(ratings, axis=1)
        classes = np.vectorize(self.label, otypes=["int64"])
        judges = drawn[:, REVIEWERS:] if self.apart else drawn
        opinions = classes(drawn[:, :REVIEWERS])
        return Loaded(encode(X).to_numpy(), classes(judges.mean(axis=1)), opinions)
