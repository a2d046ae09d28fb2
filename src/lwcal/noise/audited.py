"""What labels and checked rows say together of the truth at every score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import entr, expit

from lwcal.kernels.arrays import FloatArray
from lwcal.kernels.quantiles import weighted_quantile
from lwcal.noise.checked import CheckedTable
from lwcal.noise.forward import Hypothesis
from lwcal.noise.logit_counts import softness
from lwcal.noise.posterior import Posterior, infer
from lwcal.noise.truth import TruthDraws, learn_truth
from lwcal.table import ScoreTable

PRIOR_DEPENDENT = 0.7
"""Probability that flip rates depend on the score, once there is something to see it by."""
HALFWAY = 5.0
"""Checked rows at which half of that is granted: a hypothesis that can only be learnt from
checked rows says nothing without them."""
MORE = 50.0
"""Rows whose checking is weighed."""


class Worlds(NamedTuple):
    """Possible truths about a table of labels.

    Attributes
    ----------
    weights : float64 array of shape (k,)
        Their probabilities, which add up to 1.
    clean : float64 array of shape (k, scores)
        Probability of a true positive at each score.
    rates : float64 array of shape (k, 2)
        Share of true negatives labelled positive, and of true positives labelled negative.
    wrong : float64 array of shape (k,)
        Share of wrong labels.
    """

    weights: FloatArray
    clean: FloatArray
    rates: FloatArray
    wrong: FloatArray


@dataclass(frozen=True, eq=False)
class AuditedPosterior:
    """Class-conditional noise, or labels whose flip rates depend on the score.

    Attributes
    ----------
    labelled : Posterior
        What the labels alone say; here it serves for the share of positive labels at a score.
    class_conditional : Posterior
        The same hypotheses, weighed by labels and checked rows.
    truths : TruthDraws or None
        What the checked rows say of labels whose flip rates depend on the score.
    probability_dependent : float
        Probability that they do.
    """

    labelled: Posterior
    class_conditional: Posterior
    truths: TruthDraws | None
    probability_dependent: float

    @property
    def softness(self) -> float:
        """Least softening of the log-odds."""
        return self.labelled.softness

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over all worlds."""
        conditional = self.class_conditional.clean_probability(scores)
        if self.truths is None:
            return conditional
        share = self.labelled.noisy_probability(scores)
        dependent = self.truths.weights @ self.truths.clean_probability(scores, share)
        p = self.probability_dependent
        return np.asarray(p * dependent + (1.0 - p) * conditional)

    def truth_given_label(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive at each score, of rows with this label."""
        conditional = self.class_conditional.truth_given_label(scores, label)
        if self.truths is None:
            return conditional
        dependent = self.truths.weights @ self.truths.truth_given_label(scores, label)
        p = self.probability_dependent
        return np.asarray(p * dependent + (1.0 - p) * conditional)

    def worlds(self, table: ScoreTable) -> Worlds:
        """Every possible world, seen at the scores of a table of labels."""
        share = (table.negatives + table.positives) / table.n
        parts = [_conditional_worlds(self.class_conditional, table.scores, share)]
        odds = [1.0 - self.probability_dependent]
        if self.truths is not None:
            labelled = self.labelled.noisy_probability(table.scores)
            parts.append(_dependent_worlds(self.truths, table.scores, share, labelled))
            odds.append(self.probability_dependent)
        weights = np.concatenate([p * part.weights for p, part in zip(odds, parts, strict=True)])
        others = (np.concatenate(column) for column in list(zip(*parts, strict=True))[1:])
        return Worlds(weights, *others)


def infer_audited(
    table: ScoreTable, checked: CheckedTable, hypotheses: Sequence[Hypothesis]
) -> AuditedPosterior:
    """Weigh both kinds of noise by the labels and by the checked rows.

    The table holds the rows that nobody checked.
    """
    everything = ScoreTable.merge([table, checked.labels])
    labelled = infer(everything, hypotheses)
    if checked.n == 0:
        return AuditedPosterior(labelled, labelled, None, 0.0)
    conditional = infer(table, hypotheses, checked)
    truths = learn_truth(checked, softness(everything.n))
    # Both explain the labels alike, as the labels alone do; the truths tell them apart.
    gained = conditional.log_evidence - labelled.log_evidence
    prior = PRIOR_DEPENDENT * checked.n / (checked.n + HALFWAY)
    log_odds = np.log(prior / (1.0 - prior)) + truths.log_evidence - gained
    return AuditedPosterior(labelled, conditional, truths, float(expit(log_odds)))


class Interval(NamedTuple):
    """An expected value, and an interval that holds the true one with some probability."""

    value: float
    low: float
    high: float


class AuditSummary(NamedTuple):
    """What an audit taught of a table of labels.

    Attributes
    ----------
    wrong : Interval
        Share of wrong labels among all rows.
    r0, r1 : Interval
        Share of true negatives labelled positive, and of true positives labelled negative.
    gain_of_more : float
        Relative decrease of the NLL to expect from checking 50 more rows.
    """

    wrong: Interval
    r0: Interval
    r1: Interval
    gain_of_more: float


def summarise(
    posterior: AuditedPosterior, table: ScoreTable, audited: float, *, confidence: float = 0.9
) -> AuditSummary:
    """Read shares of wrong labels, and what more checks would bring, off the worlds."""
    worlds = posterior.worlds(table)
    share = (table.negatives + table.positives) / table.n
    wrong, r0, r1 = (
        interval_of(values, worlds.weights, confidence)
        for values in (worlds.wrong, *worlds.rates.T)
    )
    return AuditSummary(wrong, r0, r1, _gain_of_more(worlds, share, audited))


def interval_of(values: FloatArray, weights: FloatArray, confidence: float) -> Interval:
    """Expected value and equal-tailed interval over weighted worlds."""
    tail = (1.0 - confidence) / 2
    low, high = (weighted_quantile(values, weights, at) for at in (tail, 1.0 - tail))
    return Interval(float(weights @ values), low, high)


def _gain_of_more(worlds: Worlds, share: FloatArray, audited: float) -> float:
    """Relative gain, if what is not known shrinks as one over the number of checked rows.

    The NLL that knowing the right world would save is the mutual information of world and
    truth: the entropy of the average less the average entropy.
    """
    now = float(entropy(worlds.weights @ worlds.clean) @ share)
    known = float(worlds.weights @ (entropy(worlds.clean) @ share))
    return max(1.0 - known / now, 0.0) * MORE / (audited + MORE) if now > 0.0 else 0.0


def entropy(probability: FloatArray) -> FloatArray:
    """Of a label that is positive with this probability, in nats.

    >>> entropy(np.array([0.0, 0.5])).round(3)
    array([0.   , 0.693])
    """
    return np.asarray(entr(probability) + entr(1.0 - probability))


def _conditional_worlds(posterior: Posterior, scores: FloatArray, share: FloatArray) -> Worlds:
    weights, clean, rates = posterior.worlds(scores)
    positive = clean @ share
    wrong = rates[:, 0] * (1.0 - positive) + rates[:, 1] * positive
    return Worlds(weights, clean, rates, wrong)


def _dependent_worlds(
    truths: TruthDraws, scores: FloatArray, share: FloatArray, labelled: FloatArray
) -> Worlds:
    positive, negative = (truths.truth_given_label(scores, label) for label in (1, 0))
    clean = labelled * positive + (1.0 - labelled) * negative
    false_alarms = (1.0 - positive) @ (share * labelled)
    missed = negative @ (share * (1.0 - labelled))
    positives = clean @ share
    rates = np.column_stack([false_alarms / (1.0 - positives), missed / positives])
    return Worlds(truths.weights, clean, rates, false_alarms + missed)
