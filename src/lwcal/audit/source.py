"""The rows that an audit takes its sample from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, LabelArray
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import RoundedNumber, normalise
from lwcal.errors import InputError


@dataclass(frozen=True, eq=False)
class AuditSource:
    """The rows that are audited.

    Attributes
    ----------
    name : str
        Name of the source in messages.
    scores : float64 array of shape (n,) or (n, K)
        Scores in [0, 1]: of the positive class, or of all of more than two classes.
    labels : integer array
        Numbers of the classes; of two, 1 is the positive one.
    class_names : ClassNames
        The classes as the source writes them.
    score_columns : tuple of str
        Names of the columns of scores.
    label : str
        Name of the column of labels.
    id : str or None
        Name of the column of ids, if rows are identified by it.
    ids : sequence or None
        The ids.
    written : float64 array or None
        Scores as the source writes them, if that is on another scale.
    also_told : tuple of str
        Further columns that tell the expected answer, such as labels of other reviewers.
    """

    name: str
    scores: FloatArray
    labels: LabelArray | IndexArray
    class_names: ClassNames
    score_columns: tuple[str, ...] = ("score",)
    label: str = "label"
    id: str | None = None
    ids: Sequence[Any] | None = None
    written: FloatArray | None = None
    also_told: tuple[str, ...] = ()

    @property
    def told(self) -> set[str]:
        """Columns that tell the expected answer: scores and labels."""
        return {*self.score_columns, self.label, *self.also_told}

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position of each row by its id or, without ids, by its number from 1.

        The page looks rows up at every answer, so this is made once.
        """
        if self.id is None or self.ids is None:
            return {str(k + 1): k for k in range(len(self.scores))}
        known: dict[str, int] = {}
        for position, value in enumerate(self.ids):
            first = known.setdefault(normalise(value), position)
            if first != position:
                raise InputError(
                    f"The ids of rows {first + 1} and {position + 1} are too similar ({value!r}): "
                    "a spreadsheet may make them equal. Use ids that differ in more than their "
                    "format."
                )
        return known

    @property
    def codes(self) -> range | None:
        """Classes of the columns of scores, as the labels number them; None with one column."""
        return None if self.scores.ndim == 1 else range(self.scores.shape[1])

    def has_score(self, row: int, column: int, number: RoundedNumber | None) -> bool:
        """Whether a cell shows a score of a row, on its scale or as a probability."""
        tables = (self.scores,) if self.written is None else (self.scores, self.written)
        return number is not None and any(
            number.matches(float(np.atleast_1d(table[row])[column])) for table in tables
        )
