"""Totals of pooled counts: rows, base rate, disagreement."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError


class Totals:
    """What pooled counts say in single numbers."""

    scores: FloatArray
    negatives: FloatArray
    positives: FloatArray

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
        self, hint: str = "A calibrator needs both classes: check the labels, or take more rows"
    ) -> None:
        """Refuse counts that lack a class."""
        for name, weight in (("negative", self.n_negative), ("positive", self.n_positive)):
            if weight == 0:
                rows = f"{self.n:,} row{'s' if self.n != 1 else ''}"
                raise InputError(f"There is no {name} label in {rows}. {hint}.")
