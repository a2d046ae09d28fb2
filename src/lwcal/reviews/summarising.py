"""Sum up a posterior of opinions as what is known of every reviewer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.kernels.importance import normalise
from lwcal.reviews.agreement import agreement_of
from lwcal.reviews.confusion_draws import ConfusionDraws
from lwcal.reviews.consensus import Explanation
from lwcal.reviews.hypotheses import HARD_ROWS, THEY_DIFFER
from lwcal.reviews.inference import ReviewPosterior
from lwcal.reviews.judging import Judging, judging_of
from lwcal.reviews.near_copies import NearCopy
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.summary import CONFIDENCE_LEVEL, ReviewerEstimate, ReviewSummary
from lwcal.reviews.uncertainty import Uncertainty

DRAWS = 400
COUNTED_OF_SEVERAL = 0.75
"""Share of the information about error rates that counts in reported intervals, with more than two
classes. All of it would take for known where wrong labels go. Chosen on simulated pools: with four
classes, 90% intervals held only 81% of the rates in some of them otherwise. With two classes there
is one way to be wrong, and all of it counts."""
NEGLIGIBLE = 1e-3
"""Probability of a hypothesis that does not change the consensus."""


def summarise_reviews(
    uncertainty: Uncertainty, rows: OpinionRows, near_copies: tuple[NearCopy, ...] = ()
) -> ReviewSummary:
    """Summarise a posterior as estimates of every reviewer.

    Parameters
    ----------
    uncertainty : Uncertainty
        Of the posterior.
    rows : OpinionRows
        All rows that were given, for agreement.
    near_copies : tuple of NearCopy
        Pairs that count as one opinion in the posterior.
    """
    posterior = uncertainty.posterior
    given = _labels_given(posterior, rows) if near_copies else posterior.rows.labels_given
    reviewers = _reviewers(uncertainty, judging_of(posterior), given)
    hard, share = posterior.having(HARD_ROWS), np.zeros(1)
    if hard.any():
        weights = normalise(posterior.log_weights_of(hard))
        share = uncertainty.drawn(posterior.components, weights, DRAWS).share_hard
    probability_differ = posterior.probability_of(THEY_DIFFER)
    if probability_differ < CONFIDENCE_LEVEL:
        anywhere = 1, len(reviewers)
        reviewers = tuple(replace(one, rank=anywhere) for one in reviewers)
    return ReviewSummary(
        posterior.rows.classes,
        reviewers,
        agreement_of(rows),
        probability_differ,
        posterior.probability_of(HARD_ROWS),
        _estimate(share),
        _explanations(posterior),
        near_copies=near_copies,
    )


def _labels_given(posterior: ReviewPosterior, rows: OpinionRows) -> FloatArray:
    """Labels of each reviewer, also those that count as one with the label of another."""
    number = {name: place for place, name in enumerate(posterior.rows.names)}
    found = np.zeros(len(number))
    for name, labels in zip(rows.names, rows.labels_given.tolist(), strict=True):
        found[number.get(name, len(found) - 1)] += labels
    return found


def _reviewers(
    uncertainty: Uncertainty, judging: Judging, given: FloatArray
) -> tuple[ReviewerEstimate, ...]:
    posterior = uncertainty.posterior
    rows = posterior.rows
    shape = len(rows.names), rows.n_classes, rows.n_classes
    matrices, seen = np.zeros(shape), np.zeros(shape)
    for (_, _, fit, _), weight in zip(*judging, strict=True):
        if weight > 0.0:
            matrices += weight * fit.emission.marginal()
            seen += weight * fit.point.counts.easy / (shape[0] / len(fit.emission.matrices))
    counted = 1.0 if rows.n_classes == 2 else COUNTED_OF_SEVERAL
    drawn = uncertainty.drawn(*judging, DRAWS, counted=counted)
    rates = drawn.rates
    overall = np.einsum("crk,ck->cr", rates, drawn.class_shares)
    ranks = overall.argsort(axis=1).argsort(axis=1) + 1
    confusion = ConfusionDraws(rates, matrices, seen)
    tail = (1.0 - CONFIDENCE_LEVEL) / 2.0
    found = []
    for number, name in enumerate(rows.names):
        low, high = np.quantile(confusion.of(number), [tail, 1.0 - tail], axis=0)
        places = np.quantile(ranks[:, number], [tail, 1.0 - tail], method="nearest")
        found.append(
            ReviewerEstimate(
                name,
                float(given[number]),
                _estimate(overall[:, number]),
                matrices[number],
                np.minimum(low, matrices[number]),
                np.maximum(high, matrices[number]),
                (int(places[0]), int(places[1])),
            )
        )
    return tuple(found)


def _explanations(posterior: ReviewPosterior) -> tuple[Explanation, ...]:
    kept = posterior.probabilities >= NEGLIGIBLE
    shares = normalise(posterior.log_weights_of(kept)).tolist()
    pairs = zip(posterior.components, shares, strict=True)
    return tuple(
        Explanation(share, one.fit.scaling, one.fit.emission) for one, share in pairs if share > 0.0
    )


def _estimate(draws: FloatArray) -> Estimate:
    tail = (1.0 - CONFIDENCE_LEVEL) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return Estimate(float(np.mean(draws)), float(low), float(high))
