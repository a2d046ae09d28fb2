"""The posterior given labels and checked rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from lwcal.arrays import FloatArray
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.checked.truth import TruthDraws, learn_truth
from lwcal.noise.forward import Hypothesis
from lwcal.noise.hypotheses import hypotheses as hypotheses_given
from lwcal.noise.hypotheses import with_calibrated_score
from lwcal.noise.inference import infer, infer_with_checks
from lwcal.noise.logit_counts import pool_by_logit, softness
from lwcal.noise.posterior import Posterior
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

PRIOR_DEPENDENT = 0.7
"""Prior probability that flip rates depend on the score, given many checked rows."""
PRIOR_CALIBRATED = 0.6
"""Prior probability that the score is calibrated, given wrong labels and many checked rows. Some
models are trained on better labels than those they are calibrated on."""
HALF_OF_PRIOR = 5.0
"""Number of checked rows that grants half of both probabilities. These hypotheses can only be
learnt from checked rows, so they have no weight without them."""
MOST_FLIPPED = 1.0 - 1e-9
"""Largest sum of both flip rates. At 1, which rounding can reach, labels carry no information."""


class CleanDraws(NamedTuple):
    """Draws of the clean posterior.

    Attributes
    ----------
    weights : float64 array of shape (k,)
        Probability of each draw; they add up to 1.
    clean : float64 array of shape (k, scores)
        Probability of a true positive.
    """

    weights: FloatArray
    clean: FloatArray


class FlipRateDraws(NamedTuple):
    """Draws of the flip rates in a table.

    Attributes
    ----------
    weights : float64 array of shape (k,)
        Probability of each draw; they add up to 1.
    rates : float64 array of shape (k, 2)
        Share of true negatives labelled positive, and of true positives labelled negative.
    wrong : float64 array of shape (k,)
        Share of wrong labels.
    """

    weights: FloatArray
    rates: FloatArray
    wrong: FloatArray


class RatesInTable(NamedTuple):
    """Flip rates in a table, as draws.

    Attributes
    ----------
    given_noise : FlipRateDraws
        Given that some labels are wrong. Rows without an error never prove that all labels are
        right, so an interval should say how many could be wrong.
    posterior : RatePosterior
        The same with "no noise", without rates that add up to 1.
    """

    given_noise: FlipRateDraws
    posterior: RatePosterior


@dataclass(frozen=True, eq=False)
class AuditedPosterior:
    """Class-conditional noise, or labels whose flip rates depend on the score.

    Attributes
    ----------
    labelled : Posterior
        The posterior given the labels alone; it gives the share of positive labels at a score.
    class_conditional : Posterior
        The same hypotheses given labels and checked rows.
    dependent : TruthDraws or None
        The posterior given the checked rows, if flip rates depend on the score.
    probability_dependent : float
        Probability that they do.
    direct : Posterior or None
        The posterior given the truths of the checked rows alone.
    share_checked : float
        Share of all rows that were checked. The truth of these rows is known, and `direct`
        describes it. The truth of the others is inferred from their labels.
    """

    labelled: Posterior
    class_conditional: Posterior
    dependent: TruthDraws | None = None
    probability_dependent: float = 0.0
    direct: Posterior | None = None
    share_checked: float = 0.0

    @property
    def softness(self) -> float:
        """Least softening of the log-odds."""
        return self.labelled.softness

    @property
    def probability_clean(self) -> float:
        """Probability that every label is right."""
        return (1.0 - self.probability_dependent) * self.class_conditional.probability_clean

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over all draws."""
        conditional = self.class_conditional.clean_probability(scores)
        if self.dependent is None or self.direct is None:
            return conditional
        share = self.labelled.noisy_probability(scores)
        dependent = self.dependent.average_clean(scores, share)
        return self._mixed(conditional, dependent, self.direct.clean_probability(scores))

    def truth_given_label(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive at each score, for rows with this label."""
        conditional = self.class_conditional.truth_given_label(scores, label)
        if self.dependent is None:
            return conditional
        dependent = self.dependent.average_truth(scores, label)
        p = self.probability_dependent
        return np.asarray(p * dependent + (1.0 - p) * conditional)

    def clean_draws(self, scores: FloatArray) -> CleanDraws:
        """Draws of the probability of a true positive at each score."""
        conditional = CleanDraws(*self.class_conditional.draws(scores)[:2])
        if self.dependent is None or self.direct is None:
            return conditional
        share = self.labelled.noisy_probability(scores)
        dependent = self.dependent.clean_probability(scores, share)
        p, known = self.probability_dependent, self.share_checked
        parts = [
            ((1.0 - known) * (1.0 - p), conditional),
            ((1.0 - known) * p, CleanDraws(self.dependent.weights, dependent)),
            (known, CleanDraws(*self.direct.draws(scores)[:2])),
        ]
        weights = np.concatenate([weight * part.weights for weight, part in parts])
        return CleanDraws(weights, np.concatenate([part.clean for _, part in parts]))

    def expected_entropy(self, scores: FloatArray) -> FloatArray:
        """Entropy of the truth at each score, averaged over all draws."""
        conditional = self.class_conditional.expected_entropy(scores)
        if self.dependent is None or self.direct is None:
            return conditional
        share = self.labelled.noisy_probability(scores)
        dependent = self.dependent.expected_entropy(scores, share)
        return self._mixed(conditional, dependent, self.direct.expected_entropy(scores))

    def _mixed(
        self, conditional: FloatArray, dependent: FloatArray, direct: FloatArray
    ) -> FloatArray:
        """Average of what the parts say: of unchecked rows, and of those that were checked."""
        p, known = self.probability_dependent, self.share_checked
        inferred = p * dependent + (1.0 - p) * conditional
        return np.asarray(known * direct + (1.0 - known) * inferred)

    def flip_rates(self, table: ScoreTable) -> RatesInTable:
        """Flip rates in a table."""
        given_noise = _conditional_rates(self.class_conditional.with_probability_clean(0.0), table)
        posterior = self.class_conditional.rates_posterior
        if self.dependent is None:
            return RatesInTable(given_noise, posterior)
        dependent = _dependent_rates(self.dependent, self.labelled, table)
        p = self.probability_dependent
        return RatesInTable(
            _mixed_draws(given_noise, dependent, p), _mixed_posterior(posterior, dependent, p)
        )


def infer_audited(
    table: ScoreTable, checked: CheckedTable, hypotheses: Sequence[Hypothesis]
) -> AuditedPosterior:
    """Infer the posterior from labels and checked rows.

    Parameters
    ----------
    table : ScoreTable
        The unchecked rows, pooled by :func:`lwcal.noise.logit_counts.pool_by_logit`.
    checked : CheckedTable
        The checked rows.
    hypotheses : sequence of Hypothesis
        The prior of class-conditional noise.
    """
    everything = ScoreTable.merge([table, checked.labels])
    granted = checked.n / (checked.n + HALF_OF_PRIOR)
    if granted:
        hypotheses = with_calibrated_score(hypotheses, PRIOR_CALIBRATED * granted)
    labelled = infer(pool_by_logit(everything), hypotheses)
    if not granted:
        return AuditedPosterior(labelled, labelled.believed)
    conditional = infer_with_checks(labelled, table, checked, hypotheses)
    dependent = learn_truth(checked, everything, softness(everything.n))
    # Both explain the labels equally well; only the truths decide between them.
    gained = conditional.log_evidence - labelled.log_evidence
    prior = PRIOR_DEPENDENT * granted
    log_odds = np.log(prior / (1.0 - prior)) + dependent.log_evidence - gained
    direct = infer(pool_by_logit(checked.truths), hypotheses_given(prior_clean=1.0))
    return AuditedPosterior(
        labelled,
        conditional,
        dependent,
        float(expit(log_odds)),
        direct,
        checked.n / everything.n,
    )


def _conditional_rates(posterior: Posterior, table: ScoreTable) -> FlipRateDraws:
    weights, rates = posterior.rate_draws()
    positives = posterior.positive_shares(table.scores, _shares(table))
    wrong = rates[:, 0] * (1.0 - positives) + rates[:, 1] * positives
    return FlipRateDraws(weights, rates, wrong)


def _dependent_rates(truths: TruthDraws, labels: Posterior, table: ScoreTable) -> FlipRateDraws:
    share, labelled = _shares(table), labels.noisy_probability(table.scores)
    positive, negative = share * labelled, share * (1.0 - labelled)
    false_alarms = truths.shares_with_truth(0, table.scores, 1, positive)
    missed = truths.shares_with_truth(1, table.scores, 0, negative)
    positives = truths.shares_with_truth(1, table.scores, 1, positive) + missed
    rates = np.column_stack(
        [_share_of(false_alarms, 1.0 - positives), _share_of(missed, positives)]
    )
    return FlipRateDraws(truths.weights, rates, false_alarms + missed)


def _mixed_draws(first: FlipRateDraws, second: FlipRateDraws, p: float) -> FlipRateDraws:
    """Draws of the second with probability p, else of the first."""
    return FlipRateDraws(
        np.concatenate([(1.0 - p) * first.weights, p * second.weights]),
        np.concatenate([first.rates, second.rates]),
        np.concatenate([first.wrong, second.wrong]),
    )


def _mixed_posterior(first: RatePosterior, second: FlipRateDraws, p: float) -> RatePosterior:
    """The same for a posterior, as far as labels of the second carry information."""
    valid = second.rates.sum(axis=1) < MOST_FLIPPED
    weights = np.concatenate([(1.0 - p) * first.weights, p * second.weights[valid]])
    if not weights.any():
        return first
    points = np.concatenate([first.points, second.rates[valid]])
    return RatePosterior(points, weights / weights.sum())


def _share_of(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Share of a part, at most 1: rounding can carry a part above its whole, and that to 0."""
    return np.asarray(part / np.maximum(np.maximum(whole, part), np.finfo(np.float64).tiny))


def _shares(table: ScoreTable) -> FloatArray:
    """Share of all rows at each score."""
    return (table.negatives + table.positives) / table.n
