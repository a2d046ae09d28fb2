"""The forward model: noisy labels as a corruption of a clean posterior, fitted through it.

With z the log-odds of the score, the clean posterior is ``c(z) = sigmoid(a * z + b)``, and
class-conditional noise makes the labels follow its affine image

    P(noisy = 1 | z) = r0 + (1 - r0 - r1) * c(z).

A hypothesis states the prior of a, b and the rates. Its posterior is a set of weighted draws. The
draws are quasi-random and fixed, so equal tables give equal answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, pi
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.kernels.importance import importance_sample
from lwcal.kernels.newton import Local, find_mode, inverse
from lwcal.kernels.rate_priors import START, RatePrior
from lwcal.noise.logit_counts import NOTHING_CHECKED, CheckedCounts, LogitCounts

CLIP = 1e-12
"""Smallest probability of an observed label, inside logarithms only."""
STEEPEST = 100.0
"""Log of the steepest slope. Such a curve is a step already, and nothing overflows."""
Value: TypeAlias = FloatArray | float


@dataclass(frozen=True)
class Hypothesis:
    """A prior of slope, intercept and flip rates.

    Attributes
    ----------
    name : str
    weight : float
        Prior probability of this hypothesis, up to a factor shared by all hypotheses.
    rates : RatePrior
        Prior of the flip rates.
    slope_mean, slope_sd : float
        Mean and standard deviation of ``log(a)``, which is normal.
    intercept_sd : float
        Standard deviation of b, which is normal. Its mean is what the training labels imply: a
        model trained on labels with the same noise scores 1/2 where the noisy labels are
        balanced, not where the clean ones are.
    inherited : float
        How much of that shift is expected, from 0 (none) to 1 (all of it).
    softness : float
        Least softening of the log-odds. An overconfident model calls some events nearly
        impossible; about this share of them happens.
    steepening : float
        How much of ``-log(1 - r0 - r1)`` is added to the mean of ``log(a)``. Noise makes labels
        look flatter than the truth: by the factor ``1 - r0 - r1`` where they are balanced, and
        by more elsewhere.
    slope_from_labels : bool
        Whether the mean of ``log(a)`` is relative to the apparent slope, which is the slope of
        the labels taken as right. Models differ more in steepness than noise changes it.
    flexible : bool
        Whether the log-odds of the truth may bend anywhere; see :mod:`lwcal.noise.flexible`. The
        draws are those of the line, which predicts as well on development tasks.
    """

    name: str
    weight: float
    rates: RatePrior
    slope_mean: float
    slope_sd: float
    intercept_sd: float
    inherited: float
    softness: float = 0.0
    steepening: float = 0.0
    slope_from_labels: bool = False
    flexible: bool = False

    @property
    def is_point(self) -> bool:
        """Whether nothing is free: the score itself is the clean posterior."""
        return self.slope_sd == 0.0

    @property
    def log_scale(self) -> float:
        """Log of the constant of the normal priors of log(a) and b."""
        return log(2.0 * pi * self.slope_sd * self.intercept_sd)

    def centred_on(self, apparent_log_slope: float) -> Hypothesis:
        """Return the same prior in absolute terms, given the apparent slope of the labels."""
        if not self.slope_from_labels:
            return self
        mean = self.slope_mean + apparent_log_slope
        return replace(self, slope_mean=mean, slope_from_labels=False)


class Mode(NamedTuple):
    """Most probable parameters, and the information there."""

    parameters: FloatArray
    information: FloatArray


class Draws(NamedTuple):
    """Weighted draws from a posterior."""

    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    log_weights: FloatArray


def slope_at(log_slope: Value) -> FloatArray:
    """Slope of the log-odds; a trial far from the mode may ask for one beyond all numbers."""
    return np.asarray(np.exp(np.minimum(log_slope, STEEPEST)))


def draw(hypothesis: Hypothesis, counts: LogitCounts, mode: Mode | None = None) -> Draws:
    """Draw from the posterior of one hypothesis.

    The weights add up to an estimate of the evidence: the probability of the labels under the
    hypothesis. The mode is searched unless it is given.
    """
    if hypothesis.is_point:
        line = np.array([[hypothesis.slope_mean, 0.0]])
        known = hypothesis.rates.rates(line[:, 2:])
        return Draws(slope_at(line[:, 0]), line[:, 1], known, log_likelihood(counts, line, known))
    start, information = mode or mode_of(hypothesis, counts)
    points, log_weights = importance_sample(
        lambda parameters: log_posterior(hypothesis, counts, parameters),
        start,
        inverse(information),
    )
    rates = hypothesis.rates.rates(points[:, 2:])
    return Draws(slope_at(points[:, 0]), points[:, 1], rates, log_weights)


def log_posterior(
    hypothesis: Hypothesis, counts: LogitCounts, parameters: FloatArray
) -> FloatArray:
    """Log of prior times likelihood, for rows of (log a, b, coordinates of the rates)."""
    log_slopes, intercepts, coordinates = parameters[:, 0], parameters[:, 1], parameters[:, 2:]
    rates = hypothesis.rates.rates(coordinates)
    slope, intercept = _residuals(hypothesis, log_slopes, intercepts, rates[:, 0], rates[:, 1])
    prior = hypothesis.rates.log_density(coordinates) - hypothesis.log_scale
    likelihood = log_likelihood(counts, parameters, rates)
    return np.asarray(likelihood + prior - 0.5 * (slope**2 + intercept**2))


def log_likelihood(counts: LogitCounts, parameters: FloatArray, rates: FloatArray) -> FloatArray:
    """Log probability of the labels and of the checked truths, at the rates of the parameters."""
    lines = slope_at(parameters[:, 0]), parameters[:, 1]
    likelihood = kernels.flipped_log_likelihood(*lines, rates, CLIP, *counts.labels)
    if counts.checked is not NOTHING_CHECKED:
        likelihood = likelihood + _checked_likelihood(counts.checked, lines, rates)
    return np.asarray(likelihood)


def _checked_likelihood(
    checked: CheckedCounts, lines: tuple[FloatArray, FloatArray], rates: FloatArray
) -> FloatArray:
    """Log probability of the checked truths, and of the labels given these truths."""
    unflipped = np.zeros_like(rates)
    truths = kernels.flipped_log_likelihood(*lines, unflipped, CLIP, *checked.truths)
    possible = np.clip(rates, CLIP, 1.0 - CLIP)
    labels = np.log(possible) @ checked.flipped + np.log1p(-possible) @ checked.kept
    return np.asarray(truths + labels)


def _residuals(
    hypothesis: Hypothesis, log_slope: Value, intercept: Value, r0: Value, r1: Value
) -> tuple[Value, Value]:
    """Distance of log(a) and b from their prior means, in standard deviations."""
    kept = np.maximum(1.0 - r0 - r1, CLIP)
    expected_slope = hypothesis.slope_mean - hypothesis.steepening * np.log(kept)
    expected_intercept = -hypothesis.inherited * slope_at(log_slope) * logit(_middle(r0, r1))
    return (
        (log_slope - expected_slope) / hypothesis.slope_sd,
        (intercept - expected_intercept) / hypothesis.intercept_sd,
    )


def _middle(r0: Value, r1: Value) -> Value:
    """Share of positive noisy labels where the clean posterior is 1/2."""
    return 0.5 * (1.0 + r0 - r1)


def mode_of(hypothesis: Hypothesis, counts: LogitCounts) -> Mode:
    """Find the most probable parameters, and the information there."""
    return Mode(
        *find_mode(
            lambda parameters: log_posterior(hypothesis, counts, parameters),
            lambda parameters: local_posterior(hypothesis, counts, parameters),
            np.array([hypothesis.slope_mean, 0.0] + [START] * hypothesis.rates.size),
        )
    )


def local_posterior(hypothesis: Hypothesis, counts: LogitCounts, parameters: FloatArray) -> Local:
    """Log posterior at one point, its gradient and its expected information."""
    log_slope, intercept = parameters[:2].tolist()
    prior = hypothesis.rates.derivatives(parameters[2:])
    line = (exp(min(log_slope, STEEPEST)), intercept)
    # first with respect to (log a, b, r0, r1), then by the chain rule to the free coordinates
    height, gradient, information = kernels.flipped_derivatives(
        *line, *prior.rates, CLIP, *counts.labels
    )
    if counts.checked is not NOTHING_CHECKED:
        by_truths = _checked_derivatives(counts.checked, line, prior.rates)
        height += by_truths.height
        gradient, information = gradient + by_truths.gradient, information + by_truths.information
    residuals, pull = _residuals_at(hypothesis, log_slope, intercept, *prior.rates)
    height += prior.log_density - hypothesis.log_scale - 0.5 * float(residuals @ residuals)
    gradient = gradient - residuals @ pull
    information = information + pull.T @ pull
    if len(parameters) == 2:
        return Local(height, gradient[:2], information[:2, :2])

    chain = np.eye(4, len(parameters))
    chain[2:, 2:] = prior.jacobian
    gradient, information = gradient @ chain, chain.T @ information @ chain
    gradient[2:] += prior.gradient
    information[2:, 2:] += prior.information
    return Local(height, gradient, information)


def _residuals_at(
    hypothesis: Hypothesis, log_slope: float, intercept: float, r0: float, r1: float
) -> tuple[FloatArray, FloatArray]:
    """Residuals at one point, and d(residuals) / d(log a, b, r0, r1), of shape (2, 4)."""
    kept, middle = max(1.0 - r0 - r1, CLIP), _middle(r0, r1)
    slope_sd, sd = hypothesis.slope_sd, hypothesis.intercept_sd
    shift = hypothesis.inherited * exp(min(log_slope, STEEPEST))
    log_odds = log(middle / (1.0 - middle))
    steeper = hypothesis.steepening / kept / slope_sd
    by_rate = 0.5 * shift / (middle * (1.0 - middle)) / sd
    residuals = [
        (log_slope - hypothesis.slope_mean + hypothesis.steepening * log(kept)) / slope_sd,
        (intercept + shift * log_odds) / sd,
    ]
    pull = [
        [1.0 / slope_sd, 0.0, -steeper, -steeper],
        [shift * log_odds / sd, 1.0 / sd, by_rate, -by_rate],
    ]
    return np.array(residuals), np.array(pull)


def _checked_derivatives(
    checked: CheckedCounts, line: tuple[float, float], rates: tuple[float, float]
) -> Local:
    """Log probability of the checked rows, and its derivatives by (log a, b, r0, r1)."""
    slope, intercept = line
    columns = np.array([slope]), np.array([intercept])
    height = float(_checked_likelihood(checked, columns, np.array([rates]))[0])
    clean = expit(slope * checked.z + intercept)
    total = checked.negatives + checked.positives
    jacobian = np.stack([slope * checked.z, np.ones_like(checked.z)])
    possible = np.clip(rates, CLIP, 1.0 - CLIP)
    gradient = np.zeros(4)
    gradient[:2] = jacobian @ (checked.positives - total * clean)
    gradient[2:] = checked.flipped / possible - checked.kept / (1.0 - possible)
    information = np.zeros((4, 4))
    information[:2, :2] = (jacobian * (total * clean * (1.0 - clean))) @ jacobian.T
    seen = (checked.flipped + checked.kept) / (possible * (1.0 - possible))
    information[2:, 2:] = np.diag(seen)
    return Local(height, gradient, information)
