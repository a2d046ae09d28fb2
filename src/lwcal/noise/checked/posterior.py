"""What labels and checked rows say together of the truth at every score."""

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
from lwcal.noise.hypotheses import hypotheses as believed
from lwcal.noise.logit_counts import softness
from lwcal.noise.posterior import Posterior, infer, infer_with_checks
from lwcal.table import ScoreTable

PRIOR_DEPENDENT = 0.7
"""Probability that flip rates depend on the score, once there is something to see it by."""
HALFWAY = 5.0
"""Checked rows at which half of that is granted: a hypothesis that can only be learnt from
checked rows says nothing without them."""


class Truths(NamedTuple):
    """Possible probabilities of a true positive.

    Attributes
    ----------
    weights : float64 array of shape (k,)
        How probable each is; they add up to 1.
    clean : float64 array of shape (k, scores)
    """

    weights: FloatArray
    clean: FloatArray


class Flips(NamedTuple):
    """Possible shares of wrong labels.

    Attributes
    ----------
    weights : float64 array of shape (k,)
        How probable each is; they add up to 1.
    rates : float64 array of shape (k, 2)
        Share of true negatives labelled positive, and of true positives labelled negative.
    wrong : float64 array of shape (k,)
        Share of wrong labels.
    """

    weights: FloatArray
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
    dependent : TruthDraws or None
        What the checked rows say of labels whose flip rates depend on the score.
    probability_dependent : float
        Probability that they do.
    direct : Posterior or None
        What the truths of the checked rows say by themselves.
    share_checked : float
        Share of all rows that were checked. For these the truth is known, and `direct` says
        what it is; for the others it is inferred from their labels.
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

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over all worlds."""
        conditional = self.class_conditional.clean_probability(scores)
        if self.dependent is None or self.direct is None:
            return conditional
        share = self.labelled.noisy_probability(scores)
        dependent = self.dependent.weights @ self.dependent.clean_probability(scores, share)
        p, known = self.probability_dependent, self.share_checked
        inferred = p * dependent + (1.0 - p) * conditional
        return np.asarray(known * self.direct.clean_probability(scores) + (1.0 - known) * inferred)

    def truth_given_label(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive at each score, of rows with this label."""
        conditional = self.class_conditional.truth_given_label(scores, label)
        if self.dependent is None:
            return conditional
        dependent = self.dependent.weights @ self.dependent.truth_given_label(scores, label)
        p = self.probability_dependent
        return np.asarray(p * dependent + (1.0 - p) * conditional)

    def truths_at(self, scores: FloatArray) -> Truths:
        """Every possible probability of a true positive at each score."""
        conditional = Truths(*self.class_conditional.worlds(scores)[:2])
        if self.dependent is None or self.direct is None:
            return conditional
        share = self.labelled.noisy_probability(scores)
        dependent = self.dependent.clean_probability(scores, share)
        p, known = self.probability_dependent, self.share_checked
        parts = [
            ((1.0 - known) * (1.0 - p), conditional),
            ((1.0 - known) * p, Truths(self.dependent.weights, dependent)),
            (known, Truths(*self.direct.worlds(scores)[:2])),
        ]
        weights = np.concatenate([odds * part.weights for odds, part in parts])
        return Truths(weights, np.concatenate([part.clean for _, part in parts]))

    def flips_in(self, table: ScoreTable) -> Flips:
        """Every possible share of wrong labels in a table, given that some are wrong.

        That none is wrong is never certain from some rows; an interval should say how many
        could be.
        """
        share = (table.negatives + table.positives) / table.n
        conditional = _conditional_flips(self.class_conditional.with_clean(0.0), table, share)
        if self.dependent is None:
            return conditional
        labelled = self.labelled.noisy_probability(table.scores)
        dependent = _dependent_flips(self.dependent, table.scores, share, labelled)
        p = self.probability_dependent
        weights = np.concatenate([(1.0 - p) * conditional.weights, p * dependent.weights])
        rates = np.concatenate([conditional.rates, dependent.rates])
        return Flips(weights, rates, np.concatenate([conditional.wrong, dependent.wrong]))


def infer_audited(
    table: ScoreTable, checked: CheckedTable, hypotheses: Sequence[Hypothesis]
) -> AuditedPosterior:
    """Weigh both kinds of noise by the labels and by the checked rows.

    The table holds the rows that nobody checked.
    """
    everything = ScoreTable.merge([table, checked.labels])
    said = infer(everything, hypotheses)
    labelled = said.hedged
    if checked.n == 0:
        return AuditedPosterior(labelled, labelled)
    conditional = infer_with_checks(said, table, checked, hypotheses).hedged
    dependent = learn_truth(checked, everything, softness(everything.n))
    # Both explain the labels alike, as the labels alone do; the truths tell them apart.
    gained = conditional.log_evidence - labelled.log_evidence
    prior = PRIOR_DEPENDENT * checked.n / (checked.n + HALFWAY)
    log_odds = np.log(prior / (1.0 - prior)) + dependent.log_evidence - gained
    return AuditedPosterior(
        labelled,
        conditional,
        dependent,
        float(expit(log_odds)),
        infer(checked.truths, believed(prior_clean=1.0)).hedged,
        checked.n / everything.n,
    )


def _conditional_flips(posterior: Posterior, table: ScoreTable, share: FloatArray) -> Flips:
    weights, clean, rates = posterior.worlds(table.scores)
    positives = clean @ share
    wrong = rates[:, 0] * (1.0 - positives) + rates[:, 1] * positives
    return Flips(weights, rates, wrong)


def _dependent_flips(
    truths: TruthDraws, scores: FloatArray, share: FloatArray, labelled: FloatArray
) -> Flips:
    positive, negative = (truths.truth_given_label(scores, label) for label in (1, 0))
    false_alarms = (1.0 - positive) @ (share * labelled)
    missed = negative @ (share * (1.0 - labelled))
    positives = positive @ (share * labelled) + missed
    rates = np.column_stack([false_alarms / (1.0 - positives), missed / positives])
    return Flips(truths.weights, rates, false_alarms + missed)
