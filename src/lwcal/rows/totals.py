"""What pooled counts say in single numbers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TypeAlias

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, LabelArray, Pooled
from lwcal.errors import InputError
from lwcal.rows.fault_kinds import HEAVIEST

Split: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""Weight of negative and positive labels below a score, and from it on."""


class Totals:
    """Sums of a table, and what they must be."""

    scores: FloatArray
    negatives: FloatArray
    positives: FloatArray
    labels: LabelArray | None = None
    """The labels where every score has a single row: the counts are made of them when needed."""

    @property
    def columns(self) -> Pooled:
        """What the kernels take: scores and counts, or scores and labels."""
        if self.labels is not None:
            return self.scores, None, self.labels
        return self.scores, self.negatives, self.positives

    @property
    def n(self) -> float:
        """Number of rows, or their total weight."""
        if self.labels is not None:
            return len(self.labels)
        total = self.n_negative + self.n_positive
        return int(total) if total.is_integer() else total

    @cached_property
    def n_negative(self) -> float:
        """Weight of the negative labels."""
        if self.labels is not None:
            return float(len(self.labels)) - self.n_positive
        return float(self.negatives.sum())

    @cached_property
    def n_positive(self) -> float:
        """Weight of the positive labels."""
        return float(self.positives.sum()) if self.labels is None else _ones(self.labels)

    @property
    def totals(self) -> tuple[float, float]:
        """Weight of the negative and of the positive labels."""
        return self.n_negative, self.n_positive

    @property
    def base_rate(self) -> float:
        """Share of positive labels."""
        return self.n_positive / (self.n_negative + self.n_positive)

    def require_countable(self) -> None:
        """Refuse counts whose sum is too large to count single rows."""
        if self.labels is not None:
            return  # no memory holds so many single rows
        total = self.n_negative + self.n_positive
        if total > HEAVIEST:
            raise InputError(
                f"The weights of all rows add up to {total:g}, and at most {HEAVIEST:g} can be "
                "counted. Weights are frequencies: divide all of them by the same number, so that "
                "they add up to the number of rows."
            )

    def disagreement(self, threshold: float = 0.5) -> float:
        """Share d of labels that contradict the decision ``score >= threshold`` (paper, Eq. 6)."""
        if self.labels is None and self._known_split(threshold) is None:
            cut = self._cut(threshold)
            wrong = float(self.positives[:cut].sum()) + float(self.negatives[cut:].sum())
        else:
            below, above = self.split(threshold)
            wrong = below[1] + above[0]
        return wrong / (self.n_negative + self.n_positive)

    def split(self, threshold: float) -> Split:
        """Weight of negative and positive labels below the threshold, and from it on."""
        known = self._known_split(threshold)
        if known is not None:
            return known
        cut = self._cut(threshold)
        if self.labels is None:
            columns = self.negatives, self.positives
            below, above = (
                tuple(float(column[part].sum()) for column in columns)
                for part in (slice(cut), slice(cut, None))
            )
            return (below[0], below[1]), (above[0], above[1])
        rows_above, ones_above = len(self.labels) - cut, _ones(self.labels[cut:])
        ones_below = self.n_positive - ones_above
        return (cut - ones_below, ones_below), (rows_above - ones_above, ones_above)

    def _known_split(self, threshold: float) -> Split | None:
        """What :func:`count_together` found, if it was for this threshold."""
        at, found = self.__dict__.get("_split", (None, None))
        return found if at == threshold else None

    def _cut(self, threshold: float) -> int:
        """Place of the first score at the threshold or above."""
        return int(self.scores.searchsorted(threshold, side="left"))

    @cached_property
    def class_errors(self) -> tuple[float, float, float, float]:
        """Sums of the errors within both classes, and of their squares; for metrics."""
        return kernels.class_errors(*self.columns)  # type: ignore[no-any-return]

    def require_both_classes(
        self, hint: str = "A calibrator needs both classes: check the labels, or take more rows"
    ) -> None:
        """Refuse counts that lack a class."""
        for name, weight in (("negative", self.n_negative), ("positive", self.n_positive)):
            if weight == 0:
                rows = f"{self.n:,} row{'s' if self.n != 1 else ''}"
                raise InputError(f"There is no {name} label in {rows}. {hint}.")


def count_together(tables: Iterable[Totals], threshold: float) -> None:
    """Count the labels of many tables at once; each keeps its totals, and its split here."""
    listed = list(tables)
    found = kernels.class_totals([table.columns for table in listed], threshold).tolist()
    for table, (n_below, p_below, n_above, p_above) in zip(listed, found, strict=True):
        table.__dict__.update(  # ScoreTable is frozen
            n_negative=n_below + n_above,
            n_positive=p_below + p_above,
            _split=(threshold, ((n_below, p_below), (n_above, p_above))),
        )


def _ones(labels: LabelArray) -> float:
    """Number of positive labels; numpy counts booleans fastest."""
    return float(np.count_nonzero(labels.view(np.bool_)))
