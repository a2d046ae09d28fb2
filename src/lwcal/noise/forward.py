"""The forward model: noisy labels as a corruption of a clean posterior, fitted through it.

With z the log-odds of the score, the clean posterior is ``c(z) = sigmoid(a * z + b)``, and
class-conditional noise makes the labels follow its affine image

    P(noisy = 1 | z) = r0 + (1 - r0 - r1) * c(z).

A hypothesis says what is believed of a, b and the rates before the labels are seen. What the
labels make of it is a set of weighted points; they are fixed points, not random ones, so that
equal tables give equal answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from lwcal.kernels.arrays import FloatArray
from lwcal.kernels.importance import importance_sample
from lwcal.kernels.scoring import find_mode
from lwcal.noise.logit_counts import NOTHING_CHECKED, CheckedCounts, LogitCounts
from lwcal.noise.rate_priors import START, RatePrior

CLIP = 1e-12


@dataclass(frozen=True)
class Hypothesis:
    """What is believed of slope, intercept and rates before any label is seen.

    Attributes
    ----------
    name : str
    weight : float
        Odds of this hypothesis against the others.
    rates : RatePrior
    slope_mean, slope_sd : float
        Of ``log(a)``, normally distributed.
    intercept_sd : float
        Of b, normally distributed around what the training labels imply: a model trained on
        labels with the same noise says 1/2 where noisy labels are balanced, not clean ones.
    inherited : float
        How far that is believed: 0 not at all, 1 fully.
    softness : float
        Of the log-odds, at least: what a model that overstates its extremes calls nearly
        impossible happens about this often.
    """

    name: str
    weight: float
    rates: RatePrior
    slope_mean: float
    slope_sd: float
    intercept_sd: float
    inherited: float
    softness: float = 0.0


class Draws(NamedTuple):
    """Weighted points of a posterior."""

    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    log_weights: FloatArray


def draw(hypothesis: Hypothesis, counts: LogitCounts) -> Draws:
    """Spread points over what the labels leave of a hypothesis.

    The sum of the weights estimates the evidence: how probable the labels are under it.
    """
    mode, information = mode_of(hypothesis, counts)
    points, log_weights = importance_sample(
        lambda parameters: log_posterior(hypothesis, counts, parameters),
        mode,
        np.asarray(np.linalg.inv(information), dtype=np.float64),
    )
    rates = hypothesis.rates.rates(points[:, 2:])
    return Draws(np.exp(points[:, 0]), points[:, 1], rates, log_weights)


def log_posterior(
    hypothesis: Hypothesis, counts: LogitCounts, parameters: FloatArray
) -> FloatArray:
    """Log of prior times likelihood, for rows of (log a, b, coordinates of the rates)."""
    rates = hypothesis.rates.rates(parameters[:, 2:])
    noisy = _noisy(parameters, rates, counts.z)[1]
    likelihood = np.log(noisy) @ counts.positives + np.log(1.0 - noisy) @ counts.negatives
    if counts.checked is not NOTHING_CHECKED:
        likelihood = likelihood + _checked_likelihood(counts.checked, parameters, rates)
    residuals = _residuals(hypothesis, parameters, rates)
    scale = np.log(2.0 * np.pi * hypothesis.slope_sd * hypothesis.intercept_sd)
    prior = hypothesis.rates.log_density(parameters[:, 2:]) - scale
    return np.asarray(likelihood + prior - 0.5 * (residuals**2).sum(axis=0))


def _checked_likelihood(
    checked: CheckedCounts, parameters: FloatArray, rates: FloatArray
) -> FloatArray:
    """Log probability of the truths that were found, and of the labels given them."""
    clean = np.clip(_clean(parameters, checked.z), CLIP, 1.0 - CLIP)
    truths = np.log(clean) @ checked.positives + np.log1p(-clean) @ checked.negatives
    possible = np.clip(rates, CLIP, 1.0 - CLIP)
    labels = np.log(possible) @ checked.flipped + np.log1p(-possible) @ checked.kept
    return np.asarray(truths + labels)


def _clean(parameters: FloatArray, z: FloatArray) -> FloatArray:
    linear = np.exp(parameters[:, :1]) * z
    linear += parameters[:, 1:2]
    return np.asarray(expit(linear, out=linear))


def _noisy(
    parameters: FloatArray, rates: FloatArray, z: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Clean and noisy posteriors, of shape (parameters, scores)."""
    clean = _clean(parameters, z)
    noisy = (1.0 - rates.sum(axis=1, keepdims=True)) * clean
    noisy += rates[:, :1]
    return clean, np.clip(noisy, CLIP, 1.0 - CLIP, out=noisy)


def _residuals(hypothesis: Hypothesis, parameters: FloatArray, rates: FloatArray) -> FloatArray:
    """How many standard deviations log(a) and b are from what was expected."""
    slope = (parameters[:, 0] - hypothesis.slope_mean) / hypothesis.slope_sd
    shift = hypothesis.inherited * np.exp(parameters[:, 0]) * logit(_middle(rates))
    return np.stack([slope, (parameters[:, 1] + shift) / hypothesis.intercept_sd])


def _middle(rates: FloatArray) -> FloatArray:
    """Share of positive noisy labels where the clean posterior is 1/2."""
    return np.asarray(0.5 * (1.0 + rates[..., 0] - rates[..., 1]))


def mode_of(hypothesis: Hypothesis, counts: LogitCounts) -> tuple[FloatArray, FloatArray]:
    """Most probable parameters, and the information there."""
    return find_mode(
        lambda parameters: log_posterior(hypothesis, counts, parameters),
        lambda parameters: derivatives(hypothesis, counts, parameters),
        np.array([hypothesis.slope_mean, 0.0] + [START] * hypothesis.rates.size),
    )


def derivatives(
    hypothesis: Hypothesis, counts: LogitCounts, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gradient of the log posterior and its expected information."""
    local = hypothesis.rates.local(parameters[2:])
    rates = hypothesis.rates.rates(parameters[None, 2:])
    clean, noisy = (values[0] for values in _noisy(parameters[None], rates, counts.z))
    slope = (1.0 - rates.sum()) * clean * (1.0 - clean)
    # d noisy / d(log a, b, r0, r1), then on to the free coordinates
    natural = np.stack([slope * np.exp(parameters[0]) * counts.z, slope, 1.0 - clean, -clean])
    jacobian = _chain(natural, local.jacobian)
    gradient = jacobian @ (counts.positives / noisy - counts.negatives / (1.0 - noisy))
    total = counts.negatives + counts.positives
    information = (jacobian * (total / (noisy * (1.0 - noisy)))) @ jacobian.T
    if counts.checked is not NOTHING_CHECKED:
        by_truths = _checked_derivatives(counts.checked, parameters, rates[0])
        gradient = gradient + _chain(by_truths[0], local.jacobian)
        information = information + _chain(_chain(by_truths[1], local.jacobian).T, local.jacobian)

    residuals = _residuals(hypothesis, parameters[None], rates)[:, 0]
    pull = _chain(_residual_derivatives(hypothesis, parameters, rates[0]), local.jacobian)
    gradient = gradient - pull @ residuals
    information = information + pull @ pull.T
    gradient[2:] += local.gradient
    information[2:, 2:] += local.information
    return gradient, information


def _checked_derivatives(
    checked: CheckedCounts, parameters: FloatArray, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gradient and expected information of the checked rows by (log a, b, r0, r1)."""
    clean = _clean(parameters[None], checked.z)[0]
    total = checked.negatives + checked.positives
    jacobian = np.stack([np.exp(parameters[0]) * checked.z, np.ones_like(checked.z)])
    possible = np.clip(rates, CLIP, 1.0 - CLIP)
    gradient = np.zeros(4)
    gradient[:2] = jacobian @ (checked.positives - total * clean)
    gradient[2:] = checked.flipped / possible - checked.kept / (1.0 - possible)
    information = np.zeros((4, 4))
    information[:2, :2] = (jacobian * (total * clean * (1.0 - clean))) @ jacobian.T
    seen = (checked.flipped + checked.kept) / (possible * (1.0 - possible))
    information[2:, 2:] = np.diag(seen)
    return gradient, information


def _chain(natural: FloatArray, jacobian: FloatArray) -> FloatArray:
    """From derivatives by (log a, b, r0, r1) to those by the free coordinates."""
    return np.concatenate([natural[:2], jacobian.T @ natural[2:]])


def _residual_derivatives(
    hypothesis: Hypothesis, parameters: FloatArray, rates: FloatArray
) -> FloatArray:
    """d(residuals) / d(log a, b, r0, r1), of shape (4, 2)."""
    middle = float(_middle(rates))
    shift = hypothesis.inherited * np.exp(parameters[0])
    by_rate = 0.5 * shift / (middle * (1.0 - middle))
    intercept = np.array([shift * logit(middle), 1.0, by_rate, -by_rate])
    slope = np.array([1.0, 0.0, 0.0, 0.0])
    return np.column_stack([slope / hypothesis.slope_sd, intercept / hypothesis.intercept_sd])
