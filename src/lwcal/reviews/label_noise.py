"""The noise of a label by any reviewer, as other calibrators estimate it."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.multiclass.given_noise import WORST_CONDITION
from lwcal.multiclass.matrix_draws import MATRICES
from lwcal.noise.clear_cases import clear_cases
from lwcal.noise.estimate import NoiseEstimate, RateEstimate, rate_estimate
from lwcal.noise.posterior import Posterior
from lwcal.reviews.inference import ReviewPosterior
from lwcal.reviews.summary import CONFIDENCE_LEVEL, ReviewSummary
from lwcal.reviews.uncertainty import SEED, Uncertainty
from lwcal.table import ScoreTable

IDENTIFYING_ROWS = 20.0
"""Rows with several opinions from which on rates count as identified: as many as ten checked ones,
because a second opinion is worth about half a truth."""


def two_class_noise(posterior: Posterior, table: ScoreTable, several: float) -> NoiseEstimate:
    """Flip rates of a label by any reviewer.

    Parameters
    ----------
    posterior : Posterior
    table : ScoreTable
        All opinions, pooled.
    several : float
        Number of rows with several opinions that count.
    """
    given_noise = posterior.with_probability_clean(0.0).rates_posterior
    means, intervals = given_noise.mean(), given_noise.interval(CONFIDENCE_LEVEL)
    shares = clear_cases(table, posterior.clean_probability)
    build = RateEstimate if several >= IDENTIFYING_ROWS else rate_estimate
    negative, positive = (
        build(mean, low, high, share)
        for mean, (low, high), share in zip(means, intervals, shares, strict=True)
    )
    return NoiseEstimate(
        negative,
        positive,
        posterior.probability_clean,
        CONFIDENCE_LEVEL,
        posterior.rates_posterior,
    ).thinned()


def class_noise(
    posterior: ReviewPosterior, summary: ReviewSummary, several: float
) -> ClassNoiseEstimate:
    """The noise matrix of a label by any reviewer, weighted by how many labels each gave.

    Parameters
    ----------
    posterior : ReviewPosterior
    summary : ReviewSummary
    several : float
        Number of rows with several opinions that count.
    """
    shares, matrix = summary.label_shares, summary.average_matrix
    low, high = (
        np.tensordot(shares, [getattr(one, part) for one in summary.reviewers], 1)
        for part in ("low", "high")
    )
    known = several >= IDENTIFYING_ROWS
    rates = tuple(
        RateEstimate(
            1.0 - float(matrix[k, k]) if known else None,
            1.0 - float(high[k, k]) if known else 0.0,
            1.0 - float(low[k, k]) if known else 1.0,
            0.0,
        )
        for k in range(len(matrix))
    )
    wrong = [
        float(np.dot(shares, [getattr(one.wrong, part) for one in summary.reviewers]))
        for part in ("value", "low", "high")
    ]
    return ClassNoiseEstimate(
        posterior.rows.classes,
        matrix,
        low,
        high,
        rates,
        RateEstimate(wrong[0] if known else None, wrong[1], wrong[2], 0.0),
        posterior.probability_clean,
        posterior.hypotheses,
        CONFIDENCE_LEVEL,
    )


def average_matrices(
    uncertainty: Uncertainty, weights: FloatArray, count: int = MATRICES
) -> list[FloatArray]:
    """Noise matrices of a label by any reviewer, about so many, equally probable.

    Through matrices whose rows are nearly the same for two classes, labels say nothing about the
    truth. They are left out.

    Parameters
    ----------
    uncertainty : Uncertainty
    weights : float64 array
        Of each reviewer of the posterior.
    count : int
    """
    posterior, rng = uncertainty.posterior, np.random.default_rng(SEED)
    found: list[FloatArray] = []
    for component, share in zip(posterior.components, posterior.probabilities, strict=True):
        number = round(count * float(share))
        if not number:
            continue
        rates = np.einsum("crk,r->ck", uncertainty.of(component, number, rng).rates, weights)
        marginal = component.fit.emission.marginal()
        average = np.tensordot(
            weights, np.broadcast_to(marginal, (len(weights), *marginal.shape[1:])), 1
        )
        found += [_matrix(rate, average) for rate in rates / weights.sum()]
    return [matrix for matrix in found if np.linalg.cond(matrix) < WORST_CONDITION]


def _matrix(rates: FloatArray, average: FloatArray) -> FloatArray:
    """A matrix with these rates, whose wrong labels go where those of the average go."""
    goals = average * (1.0 - np.eye(len(average)))
    goals /= np.maximum(goals.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(np.diag(1.0 - rates) + rates[:, None] * goals)
