"""The model of noisy labels of two classes: its posterior, the mode of it and draws from it.

With z the log-odds of the score, the clean posterior is ``c(z) = sigmoid(a * z + b)``, and labels
follow ``r0 + (1 - r0 - r1) * c(z)``. The parameters are log(a), b and the free coordinates of the
rates. This is the twin in numpy of ``native/noise_model.hpp``.
"""

from __future__ import annotations

from math import exp, log, pi
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit

from lwcal.arrays import FloatArray
from lwcal.kernels.importance import Standard, importance_sample
from lwcal.kernels.lines import flipped_derivatives, flipped_log_likelihood
from lwcal.kernels.newton import Local, find_mode, inverse
from lwcal.kernels.rate_priors import START, RatePrior, family_of

STEEPEST = 100.0
"""Log of the steepest slope. Such a curve is a step already, and nothing overflows."""
LEAST_KEPT = 1e-12
"""Smallest 1 - r0 - r1, inside logarithms only."""
Value: TypeAlias = FloatArray | float


class NoisePrior(NamedTuple):
    """Prior of slope, intercept and flip rates, as :class:`lwcal.noise.forward.Hypothesis` has it.

    >>> from lwcal.kernels.rate_priors import FixedRates
    >>> prior = NoisePrior(0.0, 0.8, 0.8, 0.0, 0.0, FixedRates(0.1, 0.2))
    >>> NoisePrior.from_numbers(prior.numbers) == prior
    True
    """

    slope_mean: float
    slope_sd: float
    intercept_sd: float
    inherited: float
    steepening: float
    rates: RatePrior

    @property
    def size(self) -> int:
        """Number of free parameters."""
        return 2 + self.rates.size

    @property
    def log_scale(self) -> float:
        """Log of the constant of the normal priors of log(a) and b."""
        return log(2.0 * pi * self.slope_sd * self.intercept_sd)

    @property
    def numbers(self) -> FloatArray:
        """As a kernel takes it."""
        return np.array([*self[:5], self.log_scale, *self.rates.numbers])

    @classmethod
    def from_numbers(cls, numbers: FloatArray) -> NoisePrior:
        """Restore a prior from its numbers."""
        mean, slope_sd, intercept_sd, inherited, steepening = numbers[:5].tolist()
        family = family_of(numbers[6:])
        return cls(mean, slope_sd, intercept_sd, inherited, steepening, family)


class Evidence(NamedTuple):
    """Labels of unchecked rows, and truths and labels of checked ones."""

    z: FloatArray
    """Log-odds of unchecked rows."""
    negatives: FloatArray
    positives: FloatArray
    checked_z: FloatArray
    true_negatives: FloatArray
    true_positives: FloatArray
    labels_of_checked: FloatArray
    """Weight of the checked rows by label: right for true negatives and for true positives, then
    wrong for both."""


def noise_mode(
    prior: FloatArray, clip: float, *evidence: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the most probable parameters, and the information there.

    The prior is given by its ``numbers``. Probabilities of labels are kept at least ``clip`` away
    from 0 and 1, inside logarithms only.
    """
    model, seen = NoisePrior.from_numbers(prior), Evidence(*evidence)
    return find_mode(
        lambda parameters: log_posterior(model, clip, seen, parameters),
        lambda parameters: local_posterior(model, clip, seen, parameters),
        np.array([model.slope_mean, 0.0] + [START] * model.rates.size),
    )


def noise_draws(
    prior: FloatArray,
    mode: FloatArray,
    information: FloatArray,
    standard: FloatArray,
    log_constant: float,
    clip: float,
    *evidence: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return slopes, intercepts, flip rates and log weights of draws from the posterior.

    The points of the standard proposal have the shape (rounds, k, size); see
    :class:`lwcal.kernels.importance.Standard`.
    """
    model, seen = NoisePrior.from_numbers(prior), Evidence(*evidence)
    points, log_weights = importance_sample(
        lambda parameters: log_posterior(model, clip, seen, parameters),
        mode,
        inverse(information),
        Standard(standard, log_constant),
    )
    rates = model.rates.rates(points[:, 2:])
    return slope_at(points[:, 0]), points[:, 1], rates, log_weights


def slope_at(log_slope: Value) -> FloatArray:
    """Slope of the log-odds; a trial far from the mode may ask for one beyond all numbers.

    >>> slope_at(np.array([0.0, 1e9])).round(-43)
    array([0.e+00, 3.e+43])
    """
    return np.asarray(np.exp(np.minimum(log_slope, STEEPEST)))


def log_posterior(
    prior: NoisePrior, clip: float, evidence: Evidence, parameters: FloatArray
) -> FloatArray:
    """Log of prior times likelihood, for rows of (log a, b, coordinates of the rates)."""
    log_slopes, intercepts, coordinates = parameters[:, 0], parameters[:, 1], parameters[:, 2:]
    rates = prior.rates.rates(coordinates)
    slope, intercept = _residuals(prior, log_slopes, intercepts, rates[:, 0], rates[:, 1])
    density = prior.rates.log_density(coordinates) - prior.log_scale
    likelihood = log_likelihood(clip, evidence, parameters, rates)
    return np.asarray(likelihood + density - 0.5 * (slope**2 + intercept**2))


def log_likelihood(
    clip: float, evidence: Evidence, parameters: FloatArray, rates: FloatArray
) -> FloatArray:
    """Log probability of labels and checked truths, at the rates of the parameters."""
    lines = slope_at(parameters[:, 0]), parameters[:, 1]
    labels = flipped_log_likelihood(*lines, rates, clip, *evidence[:3])
    return np.asarray(labels + _checked_likelihood(clip, evidence, lines, rates))


def _checked_likelihood(
    clip: float, evidence: Evidence, lines: tuple[FloatArray, FloatArray], rates: FloatArray
) -> FloatArray:
    """Log probability of the checked truths, and of the labels given these truths."""
    truths = flipped_log_likelihood(*lines, np.zeros_like(rates), clip, *evidence[3:6])
    possible = np.clip(rates, clip, 1.0 - clip)
    kept, flipped = evidence.labels_of_checked[:2], evidence.labels_of_checked[2:]
    return np.asarray(truths + np.log(possible) @ flipped + np.log1p(-possible) @ kept)


def _residuals(
    prior: NoisePrior, log_slope: Value, intercept: Value, r0: Value, r1: Value
) -> tuple[Value, Value]:
    """Distance of log(a) and b from their prior means, in standard deviations."""
    kept = np.maximum(1.0 - r0 - r1, LEAST_KEPT)
    expected_slope = prior.slope_mean - prior.steepening * np.log(kept)
    expected_intercept = -prior.inherited * slope_at(log_slope) * logit(_middle(r0, r1))
    return (
        (log_slope - expected_slope) / prior.slope_sd,
        (intercept - expected_intercept) / prior.intercept_sd,
    )


def _middle(r0: Value, r1: Value) -> Value:
    """Share of positive noisy labels where the clean posterior is 1/2."""
    return 0.5 * (1.0 + r0 - r1)


def local_posterior(
    prior: NoisePrior, clip: float, evidence: Evidence, parameters: FloatArray
) -> Local:
    """Log posterior at one point, its gradient and its expected information."""
    log_slope, intercept = parameters[:2].tolist()
    family = prior.rates.derivatives(parameters[2:])
    line = (exp(min(log_slope, STEEPEST)), intercept)
    # first with respect to (log a, b, r0, r1), then by the chain rule to the free coordinates
    height, gradient, information = flipped_derivatives(*line, *family.rates, clip, *evidence[:3])
    checked = _checked_derivatives(clip, evidence, line, family.rates)
    residuals, pull = _residuals_at(prior, log_slope, intercept, *family.rates)
    height += checked.height + family.log_density - prior.log_scale
    height -= 0.5 * float(residuals @ residuals)
    gradient = gradient + checked.gradient - residuals @ pull
    information = information + checked.information + pull.T @ pull
    if len(parameters) == 2:
        return Local(height, gradient[:2], information[:2, :2])

    chain = np.eye(4, len(parameters))
    chain[2:, 2:] = family.jacobian
    gradient, information = gradient @ chain, chain.T @ information @ chain
    gradient[2:] += family.gradient
    information[2:, 2:] += family.information
    return Local(height, gradient, information)


def _residuals_at(
    prior: NoisePrior, log_slope: float, intercept: float, r0: float, r1: float
) -> tuple[FloatArray, FloatArray]:
    """Residuals at one point, and d(residuals) / d(log a, b, r0, r1), of shape (2, 4)."""
    kept, middle = max(1.0 - r0 - r1, LEAST_KEPT), _middle(r0, r1)
    slope_sd, sd = prior.slope_sd, prior.intercept_sd
    shift = prior.inherited * exp(min(log_slope, STEEPEST))
    log_odds = log(middle / (1.0 - middle))
    steeper = prior.steepening / kept / slope_sd
    by_rate = 0.5 * shift / (middle * (1.0 - middle)) / sd
    residuals = [
        (log_slope - prior.slope_mean + prior.steepening * log(kept)) / slope_sd,
        (intercept + shift * log_odds) / sd,
    ]
    pull = [
        [1.0 / slope_sd, 0.0, -steeper, -steeper],
        [shift * log_odds / sd, 1.0 / sd, by_rate, -by_rate],
    ]
    return np.array(residuals), np.array(pull)


def _checked_derivatives(
    clip: float, evidence: Evidence, line: tuple[float, float], rates: tuple[float, float]
) -> Local:
    """Log probability of the checked rows, and its derivatives by (log a, b, r0, r1)."""
    slope, intercept = line
    columns = np.array([slope]), np.array([intercept])
    height = float(_checked_likelihood(clip, evidence, columns, np.array([rates]))[0])
    z, negatives, positives = evidence[3:6]
    clean, total = expit(slope * z + intercept), negatives + positives
    jacobian = np.stack([slope * z, np.ones_like(z)])
    kept, flipped = evidence.labels_of_checked[:2], evidence.labels_of_checked[2:]
    possible = np.clip(rates, clip, 1.0 - clip)
    gradient, information = np.zeros(4), np.zeros((4, 4))
    gradient[:2] = jacobian @ (positives - total * clean)
    gradient[2:] = flipped / possible - kept / (1.0 - possible)
    information[:2, :2] = (jacobian * (total * clean * (1.0 - clean))) @ jacobian.T
    information[2:, 2:] = np.diag((flipped + kept) / (possible * (1.0 - possible)))
    return Local(height, gradient, information)
