"""Draws of the matrices of reviewers: of error rates, and of where wrong labels go."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.reviews.hypotheses import LABELS_OF_OTHERS
from lwcal.reviews.uncertainty import SEED


class ConfusionDraws:
    """Draws of matrices: of error rates, and of where wrong labels go."""

    def __init__(self, rates: FloatArray, matrices: FloatArray, seen: FloatArray) -> None:
        self._rates, self._matrices, self._seen = rates, matrices, seen
        self._rng = np.random.default_rng(SEED)

    def of(self, reviewer: int) -> FloatArray:
        """Matrices of one reviewer, of shape (draws, K, K)."""
        rates, matrix = self._rates[:, reviewer], self._matrices[reviewer]
        k = len(matrix)
        other = ~np.eye(k, dtype=bool)
        wrong = np.where(other, matrix, 0.0)
        goals = wrong / np.maximum(wrong.sum(axis=1, keepdims=True), 1e-300)
        labels = np.where(other, self._seen[reviewer], 0.0) + LABELS_OF_OTHERS * wrong
        shape = np.where(other, np.maximum(labels.sum(axis=1, keepdims=True) * goals, 1e-3), 1.0)
        drawn = self._rng.standard_gamma(shape, (len(rates), k, k)) * other
        drawn /= np.maximum(drawn.sum(axis=2, keepdims=True), 1e-300)
        found = rates[:, :, None] * drawn
        found[:, np.arange(k), np.arange(k)] = 1.0 - rates
        return np.asarray(found)
