"""Opinions on two classes, as a posterior of lines and flip rates."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.noise.checked.posterior import MOST_FLIPPED
from lwcal.noise.hypotheses import NO_NOISE
from lwcal.noise.line_draws import LineDraws
from lwcal.noise.posterior import Component, Posterior
from lwcal.reviews.inference import ReviewComponent
from lwcal.reviews.uncertainty import CLIP, SEED, ReviewDraws, Uncertainty

DRAWS = 256
"""Of each hypothesis."""
NEGLIGIBLE = 1e-4
"""Probability of a hypothesis that needs no draws."""


def two_class_posterior(uncertainty: Uncertainty, weights: FloatArray | None = None) -> Posterior:
    """The same posterior, as draws of slope, intercept and the flip rates of a random label.

    Parameters
    ----------
    uncertainty : Uncertainty
    weights : float64 array, optional
        Of each reviewer of the posterior; default: of the labels that each gave.
    """
    posterior, rng = uncertainty.posterior, np.random.default_rng(SEED)
    given = posterior.rows.labels_given if weights is None else weights
    shares = given / max(given.sum(), CLIP)
    pairs = zip(posterior.components, posterior.probabilities, strict=True)
    drawn = [(one, uncertainty.of(one, DRAWS, rng)) for one, p in pairs if p > NEGLIGIBLE]
    straight = next(one.fit for one in posterior.components if one.name == NO_NOISE)
    parts = [_component(one, draws, shares) for one, draws in drawn]
    return Posterior.mixture(parts, straight.numbers.log_slope)


def _component(one: ReviewComponent, drawn: ReviewDraws, shares: FloatArray) -> Component:
    rates = np.einsum("crk,r->ck", drawn.rates, shares)
    # beyond, labels would mean their opposite; a normal draw can get there, a reviewer does not
    rates *= np.minimum(1.0, MOST_FLIPPED / np.maximum(rates.sum(axis=1), CLIP))[:, None]
    lines = LineDraws(
        np.exp(drawn.log_slopes),
        drawn.intercepts[:, 1] - drawn.intercepts[:, 0],
        rates,
        np.full(DRAWS, 1.0 / DRAWS),
        one.fit.likelihood.softness,
    )
    return Component(one.name, one.log_weight, sum(one.fit.log_evidence), lines)
