"""Checked rows as counts: the truth beside the label at every score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lwcal.arrays import FloatArray, LabelArray
from lwcal.numerics.tabulate import tabulate
from lwcal.table import ScoreTable


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """True labels of the checked rows, separately for each given label.

    A checked row matters only through its score, its label and the truth. So these counts carry
    everything that an audit says, and the counts of several audits add up.

    Attributes
    ----------
    labelled_negative, labelled_positive : ScoreTable
        Weight of true negatives and true positives at every score, for the rows with that
        label.

    Examples
    --------
    >>> checked = CheckedTable.from_codes([0.2, 0.7, 0.7], [0, 1, 1], [0, 0, 1])
    >>> checked.n, checked.flipped
    (3, array([1., 0.]))
    >>> checked.labelled_positive.scores, checked.labelled_positive.negatives
    (array([0.7]), array([1.]))
    """

    labelled_negative: ScoreTable
    labelled_positive: ScoreTable

    @classmethod
    def from_codes(
        cls,
        scores: FloatArray,
        y: LabelArray,
        y_true: LabelArray,
        weights: FloatArray | None = None,
    ) -> CheckedTable:
        """Pool rows whose labels and truths are 0 or 1; columns are not validated again."""
        noisy, true = np.asarray(y), np.asarray(y_true, dtype=np.uint8)
        scores = np.asarray(scores, dtype=np.float64)

        def labelled(code: int) -> ScoreTable:
            rows = noisy == code
            given = None if weights is None else weights[rows]
            return (
                ScoreTable.unchecked(*tabulate(scores[rows], true[rows], given))
                if rows.any()
                else EMPTY
            )

        return cls(labelled(0), labelled(1))

    @classmethod
    def nothing(cls) -> CheckedTable:
        """Return the table of an audit without checked rows."""
        return cls(EMPTY, EMPTY)

    @property
    def n(self) -> float:
        """Number of checked rows, or their weight."""
        return self.labelled_negative.n + self.labelled_positive.n

    @cached_property
    def truths(self) -> ScoreTable:
        """True labels at every score."""
        return ScoreTable.merge([self.labelled_negative, self.labelled_positive])

    @cached_property
    def labels(self) -> ScoreTable:
        """Given labels at every score."""
        found = (_all_of(self.labelled_negative, 0), _all_of(self.labelled_positive, 1))
        return ScoreTable.merge(list(found))

    @property
    def counts(self) -> FloatArray:
        """Weight of rows by true class (row) and label (column)."""
        return np.diag(self.kept) + np.fliplr(np.diag(self.flipped))

    @property
    def kept(self) -> FloatArray:
        """Weight of right labels, for true negatives and for true positives."""
        return np.array([self.labelled_negative.n_negative, self.labelled_positive.n_positive])

    @property
    def flipped(self) -> FloatArray:
        """Weight of wrong labels, for true negatives and for true positives."""
        return np.array([self.labelled_positive.n_negative, self.labelled_negative.n_positive])


EMPTY = ScoreTable.unchecked(np.empty(0), np.empty(0), np.empty(0))


def _all_of(table: ScoreTable, label: int) -> ScoreTable:
    """All rows of a table under one label, whatever the truth."""
    total = table.negatives + table.positives
    nothing = np.zeros_like(total)
    return ScoreTable.unchecked(table.scores, *((nothing, total) if label else (total, nothing)))
