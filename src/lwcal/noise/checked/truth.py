"""Learn the truth behind a label from checked rows, whatever made labels wrong.

With z the log-odds of the score, the truth follows

    P(true = 1 | z, label) = sigmoid(a * z + b + g)   for rows labelled positive,
                             sigmoid(a * z + b - g)   for rows labelled negative,

a logistic regression on the score and the label. Class-conditional noise is a special case: a and
b are those of the clean posterior up to a constant, and g is half the log-odds of a right label
over a wrong one. In general the flip rates depend on the score. The model knows score and label,
so a choice of checked rows by these two needs no correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.kernels.importance import log_sum, standard_points
from lwcal.kernels.lines import entropy
from lwcal.kernels.noise_model import slope_at
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.logit_counts import pool_by_logit, soft_logit
from lwcal.noise.weights import drop_negligible
from lwcal.table import ScoreTable

PRIOR_MEAN = np.array([-0.5, 0.0, 0.0])
"""Prior means of log(a), b and log(g): labels carry part of what the score says, and are mostly
right. The mean of b is relative to the intercept that makes true positives as frequent as
positive labels."""
PRIOR_SD = np.array([0.7, 1.0, 0.7])
IN_LOGS = np.array([1.0, 0.0, 1.0])
"""Which of these are logarithms."""
INTERCEPT_LIMIT = 50.0
"""Bound on the search for that intercept, in log-odds."""


@dataclass(frozen=True, eq=False)
class TruthDraws:
    """Weighted draws of the regression.

    Attributes
    ----------
    slopes, intercepts, trusts : float64 arrays of shape (k,)
        a, b and g above; slopes and trusts are positive.
    weights : float64 array of shape (k,)
        Probabilities, which add up to 1.
    log_evidence : float
        Log probability of the checked truths, given scores and labels.
    softness : float
        Softening of the log-odds.
    """

    slopes: FloatArray
    intercepts: FloatArray
    trusts: FloatArray
    weights: FloatArray
    log_evidence: float
    softness: float

    def truth_given_label(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive by draw and score, of shape (k, scores)."""
        lines, z = self._lines(label), soft_logit(scores, self.softness)
        return np.asarray(kernels.sigmoids(*lines, z))

    def clean_probability(self, scores: FloatArray, labelled: FloatArray) -> FloatArray:
        """The same for all rows, given the share that is labelled positive at each score."""
        positive, negative = (self.truth_given_label(scores, label) for label in (1, 0))
        return np.asarray(labelled * positive + (1.0 - labelled) * negative)

    def average_truth(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive at each score, averaged over the draws."""
        lines, z = self._lines(label), soft_logit(scores, self.softness)
        return np.asarray(kernels.average_sigmoid(*lines, self.weights, z))

    def average_clean(self, scores: FloatArray, labelled: FloatArray) -> FloatArray:
        """The same for all rows, given the share that is labelled positive at each score."""
        positive, negative = (self.average_truth(scores, label) for label in (1, 0))
        return np.asarray(labelled * positive + (1.0 - labelled) * negative)

    def expected_entropy(self, scores: FloatArray, labelled: FloatArray) -> FloatArray:
        """Entropy of the truth at each score, averaged over the draws."""
        return np.asarray(self.weights @ entropy(self.clean_probability(scores, labelled)))

    def shares_with_truth(
        self, truth: int, scores: FloatArray, label: int, shares: FloatArray
    ) -> FloatArray:
        """Share of rows with this label and truth, by draw.

        The shares of rows with the label are given by score.
        """
        slopes, intercepts = self._lines(label)
        # the sigmoid of the opposite line is the probability of a true negative
        sign, z = (1.0 if truth else -1.0), soft_logit(scores, self.softness)
        return np.asarray(kernels.sigmoid_sums(sign * slopes, sign * intercepts, z, shares))

    def _lines(self, label: int) -> tuple[FloatArray, FloatArray]:
        """Slopes and intercepts for rows with this label."""
        return self.slopes, self.intercepts + (self.trusts if label else -self.trusts)


def learn_truth(checked: CheckedTable, labels: ScoreTable, softness: float) -> TruthDraws:
    """Infer the posterior of the regression from the checked rows.

    Parameters
    ----------
    checked : CheckedTable
    labels : ScoreTable
        Labels of all rows, checked or not.
    softness : float
        Softening of the log-odds.
    """
    rows, intercept = _rows(checked, softness), usual_intercept(labels, softness)
    means = PRIOR_MEAN + np.array([0.0, intercept, 0.0])
    prior = np.column_stack([means, PRIOR_SD, IN_LOGS])
    _, mode, information = kernels.regression_mode(*rows, prior, means)
    standard = standard_points(len(means))
    points, log_weights = kernels.regression_draws(*rows, prior, mode, information, *standard)
    log_weights = log_weights - np.log(PRIOR_SD).sum() - 1.5 * np.log(2.0 * np.pi)
    kept = drop_negligible(log_weights)
    slopes, intercepts, trusts = points[:, kept.mask]
    return TruthDraws(
        slope_at(slopes),
        intercepts,
        slope_at(trusts),
        kept.weights,
        float(log_sum(log_weights)),
        softness,
    )


def usual_intercept(labels: ScoreTable, softness: float) -> float:
    """Intercept that makes true positives as frequent as positive labels, at the prior means.

    Without it, the prior would exaggerate rare positives: where 1% of the rows are positive, a
    few percent of overlooked positives are too many.

    >>> labels = ScoreTable.from_arrays([0.5] * 10, [1] * 2 + [0] * 8)
    >>> round(usual_intercept(labels, 0.01), 2)
    -0.97
    """
    from scipy.optimize import brentq  # imported here, because it doubles the time of import lwcal

    small = pool_by_logit(labels)
    slope, trust = np.exp(PRIOR_MEAN[[0, 2]])
    linear = slope * soft_logit(small.scores, softness)

    def surplus(intercept: float) -> float:
        positive, negative = (expit(linear + intercept + sign * trust) for sign in (1, -1))
        found = small.positives @ positive + small.negatives @ negative
        return float(found - small.n_positive)

    if not surplus(-INTERCEPT_LIMIT) < 0.0 < surplus(INTERCEPT_LIMIT):
        return 0.0  # all labels are of one class
    return float(brentq(surplus, -INTERCEPT_LIMIT, INTERCEPT_LIMIT))


def _rows(checked: CheckedTable, softness: float) -> tuple[FloatArray, ...]:
    """Features, offset and weights of both truths, as the kernels take them."""
    tables = [pool_by_logit(checked.labelled_negative), pool_by_logit(checked.labelled_positive)]
    z = np.concatenate([soft_logit(table.scores, softness) for table in tables])
    sign = np.repeat([-1.0, 1.0], [len(table) for table in tables])
    negatives = np.concatenate([table.negatives for table in tables])
    positives = np.concatenate([table.positives for table in tables])
    return np.stack([z, np.ones_like(z), sign]), np.zeros_like(z), negatives, positives
