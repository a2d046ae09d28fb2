"""Batches of rows with opinions, checked: rows of a wide table, or answers of a long one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray, IndexArray


class Batch(NamedTuple):
    """Rows of a batch, checked.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
    labels, reviewers : integer arrays of shape (n, R)
        Class of each label, or -1; and the number of the reviewer.
    truths : integer array of shape (n,)
    weights : float64 array of shape (n,)
    bad : bool array of shape (n,)
        Which rows are invalid.
    """

    scores: FloatArray
    labels: IndexArray
    reviewers: IndexArray
    truths: IndexArray
    weights: FloatArray
    bad: BoolArray

    def part(self, places: Any) -> Batch:
        """Some of the rows."""
        return Batch(*(column[places] for column in self))

    def kept(self) -> Batch:
        """The valid rows."""
        return self.part(~self.bad) if self.bad.any() else self


class Answers(NamedTuple):
    """Answers of a long table, with the numbers of their items and rows, and the items."""

    batch: Batch
    items: IndexArray
    rows: IndexArray
    values: npt.NDArray[Any]

    def part(self, places: Any) -> Answers:
        """Some of the answers."""
        batch, *others = self
        return Answers(batch.part(places), *(column[places] for column in others))

    def kept(self) -> Answers:
        """The valid answers."""
        return self.part(~self.batch.bad) if self.batch.bad.any() else self

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """Answers of several batches, one after the other."""
        batches = [np.concatenate(column) for column in zip(*(p.batch for p in parts), strict=True)]
        others = [np.concatenate(column) for column in zip(*(p[1:] for p in parts), strict=True)]
        return cls(Batch(*batches), *others)
