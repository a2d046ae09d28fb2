"""The rows that an audit takes its sample from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lwcal.arrays import FloatArray, LabelArray
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import RoundedNumber


@dataclass(frozen=True, eq=False)
class AuditSource:
    """The rows that are audited.

    Attributes
    ----------
    name : str
        Name of the source in messages.
    scores : float64 array
        Scores in [0, 1].
    labels : uint8 array
        Labels as 0 and 1.
    class_names : ClassNames
        The classes as the source writes them.
    score, label : str
        Names of the columns.
    id : str or None
        Name of the column of ids, if rows are identified by it.
    ids : sequence or None
        The ids.
    written : float64 array or None
        Scores as the source writes them, if that is on another scale.
    """

    name: str
    scores: FloatArray
    labels: LabelArray
    class_names: ClassNames
    score: str = "score"
    label: str = "label"
    id: str | None = None
    ids: Sequence[Any] | None = None
    written: FloatArray | None = None

    def has_score(self, row: int, number: RoundedNumber | None) -> bool:
        """Whether a cell shows the score of a row, on its scale or as a probability."""
        columns = (self.scores,) if self.written is None else (self.scores, self.written)
        return number is not None and any(number.matches(float(c[row])) for c in columns)
