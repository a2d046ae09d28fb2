"""The posterior over noise hypotheses, as weighted draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.kernels.importance import log_sum, normalise
from lwcal.noise.hypotheses import FLEXIBLE, KNOWN, NOISELESS
from lwcal.noise.line_draws import LineDraws, joined
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
    lines : LineDraws
        The draws, whose weights add up to 1.
    """

    name: str
    log_weight: float
    log_evidence: float
    lines: LineDraws


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
        return min(component.lines.softness for component in self.components)

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
        return np.asarray(sum(lines.clean_probability(scores) for lines in self._joined))

    def noisy_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a positive label at each score, averaged over all draws."""
        return np.asarray(sum(lines.noisy_probability(scores) for lines in self._joined))

    def expected_entropy(self, scores: FloatArray) -> FloatArray:
        """Entropy of the truth at each score, averaged over all draws."""
        return np.asarray(sum(lines.expected_entropy(scores) for lines in self._joined))

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
        for lines in joined(self._possible):
            with_positive, with_negative = lines.clean_and_labelled(scores, label)
            positive += with_positive
            negative += with_negative
        return np.asarray(positive / (positive + negative))

    def draws(self, scores: FloatArray) -> Draws:
        """Every possible draw, with its clean posterior at the scores and its flip rates."""
        clean = np.concatenate([lines.clean_probabilities(scores) for lines, _ in self._likely])
        return Draws(self._draw_weights(), clean, self._drawn("rates"))

    def rate_draws(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities and flip rates of the same draws."""
        return self._draw_weights(), self._drawn("rates")

    def positive_shares(self, scores: FloatArray, shares: FloatArray) -> FloatArray:
        """Share of true positives for each of these draws, given the shares of rows by score."""
        return np.concatenate([lines.positive_shares(scores, shares) for lines, _ in self._likely])

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
    def _possible(self) -> list[tuple[LineDraws, float]]:
        """Draws of the components that are possible, with their probabilities."""
        pairs = zip(self.components, self.probabilities.tolist(), strict=True)
        return [(component.lines, p) for component, p in pairs if p > 0.0]

    @property
    def _likely(self) -> list[tuple[LineDraws, float]]:
        """Those that an average over all draws can notice."""
        return [(lines, p) for lines, p in self._possible if p > NEGLIGIBLE]

    @cached_property
    def _joined(self) -> list[LineDraws]:
        """The same in as few pieces as possible."""
        return joined(self._likely)

    def _draw_weights(self) -> FloatArray:
        return np.concatenate([lines.weights * p for lines, p in self._likely])

    def _drawn(self, name: str) -> FloatArray:
        return np.concatenate([getattr(lines, name) for lines, _ in self._likely])
