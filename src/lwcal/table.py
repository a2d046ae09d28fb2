"""The one thing every calibrator fits from: pooled counts of labels per distinct score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lwcal.errors import InputError, message
from lwcal.inputs import ArrayLike, as_labels, as_scores, as_weights, check_same_length
from lwcal.kernels.arrays import FloatArray
from lwcal.kernels.tabulate import pool_rows, tabulate


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Weight of negative and positive labels at every distinct score.

    Losses, weights and every fit depend on a row only through its score and label, so
    these counts carry all that a calibrator needs. Tables of parts of the data add up to
    the table of the whole: ``a + b``, in any order.

    Attributes
    ----------
    scores : float64 array
        Distinct scores in increasing order.
    negatives, positives : float64 arrays
        Weight of the rows with that score and label; a row without a weight counts 1.

    Examples
    --------
    >>> table = ScoreTable.from_arrays([0.2, 0.9, 0.2, 0.7], [0, 1, 1, 1])
    >>> table.scores, table.negatives, table.positives
    (array([0.2, 0.7, 0.9]), array([1., 0., 0.]), array([1., 1., 1.]))
    >>> (table + table).n
    8
    """

    scores: FloatArray
    negatives: FloatArray
    positives: FloatArray

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        y_noisy: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Any = None,
    ) -> ScoreTable:
        """Pool rows given as columns.

        Parameters
        ----------
        scores : one-dimensional, in [0, 1]
            numpy array, pandas or polars Series, pyarrow array or list.
        y_noisy : one-dimensional, two classes
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice, weight 0 leaves it out.
        pos_label : optional
            The positive class, when it is not obvious from the labels.
        """
        checked = as_scores(scores)
        labels = as_labels(y_noisy, pos_label=pos_label)
        check_same_length(len(checked), len(labels), "y_noisy")
        weights = None if sample_weight is None else as_weights(sample_weight, len(checked))
        return cls(*tabulate(checked, labels, weights))

    @classmethod
    def from_counts(
        cls, scores: ArrayLike, negatives: ArrayLike, positives: ArrayLike
    ) -> ScoreTable:
        """Build from counts that were made elsewhere, such as by a GROUP BY, in any order.

        >>> ScoreTable.from_counts([0.7, 0.2], negatives=[0, 3], positives=[5, 1]).n
        9
        """
        checked = as_scores(scores)
        return cls(
            *pool_rows(
                checked + 0.0,  # turns -0.0 into 0.0
                as_weights(negatives, len(checked), name="negatives", allow_zeros=True),
                as_weights(positives, len(checked), name="positives", allow_zeros=True),
            )
        )

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return ScoreTable.merge([self, other])

    @classmethod
    def merge(cls, tables: list[ScoreTable]) -> ScoreTable:
        """Add up the tables of parts of the data."""
        if not tables:
            raise InputError(message("at least one table to merge", "none"))
        columns = zip(*((t.scores, t.negatives, t.positives) for t in tables), strict=True)
        return cls(*pool_rows(*(np.concatenate(column) for column in columns)))

    def __len__(self) -> int:
        """Count the distinct scores."""
        return len(self.scores)

    def __repr__(self) -> str:
        return (
            f"ScoreTable({self.n:,} rows, {len(self):,} distinct scores, "
            f"{self.base_rate:.1%} positive)"
        )

    @property
    def n(self) -> float:
        """Number of rows, or their total weight."""
        total = self.n_negative + self.n_positive
        return int(total) if total.is_integer() else total

    @cached_property
    def n_negative(self) -> float:
        """Weight of the negative labels."""
        return float(self.negatives.sum())

    @cached_property
    def n_positive(self) -> float:
        """Weight of the positive labels."""
        return float(self.positives.sum())

    @property
    def base_rate(self) -> float:
        """Share of positive labels."""
        return self.n_positive / (self.n_negative + self.n_positive)

    def disagreement(self, threshold: float = 0.5) -> float:
        """Share d of labels that contradict the decision ``score >= threshold`` (paper, Eq. 6)."""
        cut = int(np.searchsorted(self.scores, threshold, side="left"))
        contradicted = float(self.positives[:cut].sum() + self.negatives[cut:].sum())
        return contradicted / (self.n_negative + self.n_positive)

    def require_both_classes(
        self, hint: str = "a calibrator needs both; check the label column, or take more rows"
    ) -> None:
        """Refuse a table that lacks a class, for a reason the hint gives."""
        for name, weight in (("negative", self.n_negative), ("positive", self.n_positive)):
            if weight == 0:
                raise InputError(
                    message(
                        "labels of both classes",
                        f"no {name} label in {self.n:,} row{'s' if self.n != 1 else ''}",
                        hint,
                    )
                )
