"""The posterior over noise hypotheses, as weighted draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lwcal import kernels
from lwcal.arrays import BoolArray, FloatArray
from lwcal.kernels.importance import log_sum, normalise
from lwcal.noise.hypotheses import FLEXIBLE, KNOWN, NOISELESS
from lwcal.noise.logit_counts import soft_logit
from lwcal.noise.mixture import Mixture
from lwcal.noise.rates import RatePosterior

NEGLIGIBLE = 1e-15
"""Less probable components move no average by more than that. Checks often leave few others."""
MISFIT = 3.0
"""Log of the odds against noise from which on it does not fit: 20 to 1, the usual mark of strong
evidence (Kass and Raftery, 1995)."""


@dataclass(frozen=True, eq=False)
class Component:
    """The posterior draws of one hypothesis, and the evidence for it.

    Attributes
    ----------
    name : str
        The hypothesis.
    log_weight : float
        Log of prior times tempered evidence.
    log_evidence : float
        Log probability of the labels, not tempered.
    slopes, intercepts : float64 arrays of shape (k,)
        Draws of the clean posterior ``sigmoid(slope * z + intercept)``, z the soft log-odds.
    rates : float64 array of shape (k, 2)
        Draws of the flip rates.
    weights : float64 array of shape (k,)
        Probabilities of the draws within the component, which add up to 1.
    softness : float
        Softening of the log-odds.
    """

    name: str
    log_weight: float
    log_evidence: float
    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    weights: FloatArray
    softness: float

    def clean_probabilities(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive by draw and score, of shape (k, scores)."""
        z = soft_logit(scores, self.softness)
        return np.asarray(kernels.sigmoids(self.slopes, self.intercepts, z))

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

    def _average_clean(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        z = soft_logit(scores, self.softness)
        return np.asarray(kernels.average_sigmoid(self.slopes, self.intercepts, weights, z))


class Draws(NamedTuple):
    """All draws of a posterior.

    Attributes
    ----------
    weights : float64 array of shape (k,)
        Their probabilities, which add up to 1.
    clean : float64 array of shape (k, scores)
        Probability of a true positive at each score.
    rates : float64 array of shape (k, 2)
        Flip rates.
    """

    weights: FloatArray
    clean: FloatArray
    rates: FloatArray


@dataclass(frozen=True, eq=False)
class Posterior(Mixture):
    """A mixture of components, one for each hypothesis.

    Attributes
    ----------
    components : tuple of Component
    probabilities : float64 array
        Probability of each component; they add up to 1.
    apparent_log_slope : float
        Log of the slope that the labels show if they are taken as right.
    """

    components: tuple[Component, ...]
    probabilities: FloatArray
    apparent_log_slope: float

    @classmethod
    def mixture(cls, components: Iterable[Component], apparent_log_slope: float) -> Posterior:
        """Weigh components by their priors and evidence."""
        parts = tuple(components)
        log_weights = np.array([component.log_weight for component in parts])
        return cls(parts, normalise(log_weights), apparent_log_slope)

    @property
    def softness(self) -> float:
        """Least softening of the log-odds among the components."""
        return min(component.softness for component in self.components)

    @property
    def noiseless(self) -> BoolArray:
        """Whether every label is right, for each component."""
        return np.array([component.name in NOISELESS for component in self.components])

    @property
    def rates_posterior(self) -> RatePosterior:
        """Posterior of the flip rates."""
        return RatePosterior(self._drawn("rates"), self._draw_weights())

    @property
    def log_evidence(self) -> float:
        """Log probability of the data."""
        return float(log_sum(np.array([component.log_weight for component in self.components])))

    def mean_line(self) -> tuple[float, float]:
        """Expected slope and intercept of the clean posterior."""
        weights = self._draw_weights()
        slopes, intercepts = self._drawn("slopes"), self._drawn("intercepts")
        return float(weights @ slopes), float(weights @ intercepts)

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over all draws."""
        return np.asarray(sum(p * part.clean_probability(scores) for part, p in self._likely))

    def noisy_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a positive label at each score, averaged over all draws."""
        return np.asarray(sum(p * part.noisy_probability(scores) for part, p in self._likely))

    def truth_given_label(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive at each score, for rows with this label.

        Examples
        --------
        >>> from lwcal import ScoreTable
        >>> from lwcal.noise.hypotheses import hypotheses
        >>> from lwcal.noise.inference import infer
        >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[70, 30], positives=[30, 70])
        >>> posterior = infer(table, hypotheses(noise_rates=(0.2, 0.2)))
        >>> posterior.truth_given_label(np.array([0.2, 0.8]), 1).round(2)
        array([0.42, 0.96])
        """
        positive, negative = np.zeros(len(scores)), np.zeros(len(scores))
        for component, probability in self._possible:
            with_positive, with_negative = component.clean_and_labelled(scores, label)
            positive += probability * with_positive
            negative += probability * with_negative
        return np.asarray(positive / (positive + negative))

    def draws(self, scores: FloatArray) -> Draws:
        """Every possible draw, with its clean posterior at the scores and its flip rates."""
        clean = np.concatenate([part.clean_probabilities(scores) for part, _ in self._likely])
        return Draws(self._draw_weights(), clean, self._drawn("rates"))

    def rate_draws(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities and flip rates of the same draws."""
        return self._draw_weights(), self._drawn("rates")

    def positive_shares(self, scores: FloatArray, shares: FloatArray) -> FloatArray:
        """Share of true positives for each of these draws, given the shares of rows by score."""
        return np.concatenate(
            [part.clean_probabilities(scores) @ shares for part, _ in self._likely]
        )

    @property
    def rates_are_known(self) -> bool:
        """Whether the flip rates were given: evidence from outside the table."""
        return any(component.name == KNOWN for component in self.components)

    @property
    def noise_fits(self) -> bool:
        """Whether noise explains the labels about as well as right labels of any smooth shape.

        If not, a misshapen model is the better explanation, and no flip rate is believed. True
        if the prior excludes noise, or excludes its absence.
        """
        rival = [part.log_evidence for part in self.components if part.name == FLEXIBLE]
        noisy = [part.log_evidence for part in self.components if part.name not in NOISELESS]
        if not (rival and noisy):
            return True
        return rival[0] - max(noisy) <= MISFIT

    @property
    def believed(self) -> Posterior:
        """The posterior to act on: without noise where it does not fit."""
        return self if self.noise_fits else self.with_probability_clean(1.0)

    def with_probability_clean(self, probability: float) -> Posterior:
        """The same draws, reweighted to this probability that every label is right.

        Nothing changes if the prior excluded noise, or excluded its absence.
        """
        if self.noiseless.all() or not self.noiseless.any():
            return self
        log_weights = np.array([component.log_weight for component in self.components])
        given = np.where(self.noiseless, probability, 1.0 - probability)
        for side in (self.noiseless, ~self.noiseless):
            given[side] *= normalise(log_weights[side])
        return replace(self, probabilities=given)

    @property
    def _possible(self) -> list[tuple[Component, float]]:
        """Components that are possible, with their probabilities."""
        pairs = zip(self.components, self.probabilities.tolist(), strict=True)
        return [(component, probability) for component, probability in pairs if probability > 0.0]

    @property
    def _likely(self) -> list[tuple[Component, float]]:
        """Those that an average over all draws can notice."""
        return [(component, p) for component, p in self._possible if p > NEGLIGIBLE]

    def _draw_weights(self) -> FloatArray:
        return np.concatenate([part.weights * probability for part, probability in self._likely])

    def _drawn(self, name: str) -> FloatArray:
        return np.concatenate([getattr(part, name) for part, _ in self._likely])


def _label_given_truth(rates: FloatArray, label: int) -> FloatArray:
    """Probability of this label for a true negative and a true positive, of shape (k, 2)."""
    return np.where(np.arange(2) == label, 1.0 - rates, rates)
