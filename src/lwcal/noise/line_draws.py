"""Weighted draws of lines in log-odds, with flip rates, and averages over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.noise.logit_counts import soft_logit


@dataclass(frozen=True, eq=False)
class LineDraws:
    """Draws of the clean posterior and of the flip rates.

    Attributes
    ----------
    slopes, intercepts : float64 arrays of shape (k,)
        Draws of the clean posterior ``sigmoid(slope * z + intercept)``, z the soft log-odds.
    rates : float64 array of shape (k, 2)
        Draws of the flip rates.
    weights : float64 array of shape (k,)
        Probabilities of the draws.
    softness : float
        Softening of the log-odds.

    Examples
    --------
    >>> rates = np.array([[0.1, 0.2], [0.0, 0.0]])
    >>> draws = LineDraws(np.ones(2), np.zeros(2), rates, np.array([0.5, 0.5]), 1e-3)
    >>> draws.clean_probability(np.array([0.5])), draws.noisy_probability(np.array([0.5]))
    (array([0.5]), array([0.475]))
    """

    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    weights: FloatArray
    softness: float

    def clean_probabilities(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive by draw and score, of shape (k, scores)."""
        return np.asarray(kernels.sigmoids(self.slopes, self.intercepts, self._z(scores)))

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over the draws."""
        return self._average_clean(scores, self.weights)

    def noisy_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a positive label at each score, averaged over the draws."""
        kept = self.weights * (1.0 - self.rates.sum(axis=1))
        return self.weights @ self.rates[:, 0] + self._average_clean(scores, kept)

    def clean_and_labelled(self, scores: FloatArray, label: int) -> tuple[FloatArray, FloatArray]:
        """Joint probability of this label with a true positive, and with a true negative."""
        labelled = self.weights * _label_given_truth(self.rates, label).T
        # the sigmoid of the opposite line keeps probabilities near 0 exact, unlike 1 - sigmoid
        opposite = replace(self, slopes=-self.slopes, intercepts=-self.intercepts)
        positive = self._average_clean(scores, labelled[1])
        return positive, opposite._average_clean(scores, labelled[0])

    def expected_entropy(self, scores: FloatArray) -> FloatArray:
        """Entropy of the truth at each score, averaged over the draws."""
        z = self._z(scores)
        return np.asarray(kernels.average_entropy(self.slopes, self.intercepts, self.weights, z))

    def positive_shares(self, scores: FloatArray, shares: FloatArray) -> FloatArray:
        """Share of true positives for each draw, given the shares of rows by score."""
        z = self._z(scores)
        return np.asarray(kernels.sigmoid_sums(self.slopes, self.intercepts, z, shares))

    def _average_clean(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        z = self._z(scores)
        return np.asarray(kernels.average_sigmoid(self.slopes, self.intercepts, weights, z))

    def _z(self, scores: FloatArray) -> FloatArray:
        return soft_logit(scores, self.softness)


def joined(parts: Iterable[tuple[LineDraws, float]]) -> list[LineDraws]:
    """All draws, weighted by the probability of their part; one piece for each softness.

    Draws that are several parts count once, which saves time.

    >>> one = LineDraws(np.ones(2), np.zeros(2), np.zeros((2, 2)), np.array([0.5, 0.5]), 1e-3)
    >>> [piece.weights for piece in joined([(one, 0.2), (one, 0.3)])]
    [array([0.25, 0.25])]
    """
    probabilities: dict[LineDraws, float] = defaultdict(float)
    for part, probability in parts:
        probabilities[part] += probability
    pieces: dict[float, list[tuple[LineDraws, float]]] = defaultdict(list)
    for part, probability in probabilities.items():
        pieces[part.softness].append((part, probability))
    return [
        LineDraws(
            np.concatenate([part.slopes for part, _ in piece]),
            np.concatenate([part.intercepts for part, _ in piece]),
            np.concatenate([part.rates for part, _ in piece]),
            np.concatenate([part.weights * probability for part, probability in piece]),
            softness,
        )
        for softness, piece in pieces.items()
    ]


def _label_given_truth(rates: FloatArray, label: int) -> FloatArray:
    """Probability of this label for a true negative and a true positive, of shape (k, 2)."""
    return np.where(np.arange(2) == label, 1.0 - rates, rates)
