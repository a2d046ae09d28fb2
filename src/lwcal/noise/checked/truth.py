"""The truth behind a label, learnt from checked rows without assuming why labels are wrong.

With z the log-odds of the score, a row's label is right or wrong as

    P(true = 1 | z, label) = sigmoid(a * z + b + g)   of rows labelled positive,
                             sigmoid(a * z + b - g)   of rows labelled negative,

a logistic regression on the score and the label. Class-conditional noise is a special case (with
a and b of the clean posterior up to a constant, and g half the log-odds of a right label over a
wrong one); in general the flip rates depend on the score. Since rows are chosen for checking by
score and label at most, and the model is given both, the choice needs no correction here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from lwcal.arrays import FloatArray
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.logit_counts import pooled, soft_logit
from lwcal.numerics.importance import importance_sample, log_sum, normalise
from lwcal.numerics.newton import find_mode
from lwcal.table import ScoreTable

PRIOR_MEAN = np.array([-0.5, 0.0, 0.0])
"""Of log(a), b and log(g): labels carry part of what the score says, and are mostly right. That
of b is added to the intercept with which there are as many true positives as positive labels."""
PRIOR_SD = np.array([0.7, 1.0, 0.7])
FARTHEST = 50.0
"""Log-odds between which that intercept is looked for."""
NEGLIGIBLE = 1e-7


@dataclass(frozen=True, eq=False)
class TruthDraws:
    """Weighted possible regressions.

    Attributes
    ----------
    slopes, intercepts, trusts : float64 arrays of shape (k,)
        a, b and g above; slopes and trusts are positive.
    weights : float64 array of shape (k,)
        Probabilities, which add up to 1.
    log_evidence : float
        Log probability of the truths that were found, given scores and labels.
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
        """Probability of a true positive in every possible regression, of shape (k, scores)."""
        z = soft_logit(scores, self.softness)
        shift = self.intercepts + (self.trusts if label else -self.trusts)
        return np.asarray(expit(np.multiply.outer(self.slopes, z) + shift[:, None]))

    def clean_probability(self, scores: FloatArray, labelled: FloatArray) -> FloatArray:
        """Probability of a true positive where this share is labelled positive, of each."""
        positive, negative = (self.truth_given_label(scores, label) for label in (1, 0))
        return np.asarray(labelled * positive + (1.0 - labelled) * negative)


def learn_truth(checked: CheckedTable, labels: ScoreTable, softness: float) -> TruthDraws:
    """Weigh the regressions by what the checked rows turned out to be.

    Parameters
    ----------
    checked : CheckedTable
    labels : ScoreTable
        Labels of all rows, checked or not.
    softness : float
        Of the log-odds.
    """
    rows = _Rows.of(checked, softness, usual_intercept(labels, softness))
    mode, information = find_mode(rows.log_posterior, rows.derivatives, rows.prior_mean)
    points, log_weights = importance_sample(
        rows.log_posterior, mode, np.asarray(np.linalg.inv(information), dtype=np.float64)
    )
    weights = normalise(log_weights)
    kept = weights > NEGLIGIBLE
    slopes, intercepts, trusts = points[kept].T
    return TruthDraws(
        np.exp(slopes),
        intercepts,
        np.exp(trusts),
        weights[kept] / weights[kept].sum(),
        float(log_sum(log_weights)),
        softness,
    )


def usual_intercept(labels: ScoreTable, softness: float) -> float:
    """Intercept with which true positives are as many as positive labels, all else as usual.

    Without it, what is believed beforehand would make much of rare positives: where one row in
    a hundred is positive, a few percent of overlooked ones are already too many.

    >>> labels = ScoreTable.from_arrays([0.5] * 10, [1] * 2 + [0] * 8)
    >>> round(usual_intercept(labels, 0.01), 2)
    -0.97
    """
    from scipy.optimize import brentq  # here, because it would double the time of import lwcal

    small = pooled(labels)
    slope, trust = np.exp(PRIOR_MEAN[[0, 2]])
    linear = slope * soft_logit(small.scores, softness)

    def surplus(intercept: float) -> float:
        positive, negative = (expit(linear + intercept + sign * trust) for sign in (1, -1))
        found = small.positives @ positive + small.negatives @ negative
        return float(found - small.n_positive)

    if not surplus(-FARTHEST) < 0.0 < surplus(FARTHEST):
        return 0.0  # labels of one class
    return float(brentq(surplus, -FARTHEST, FARTHEST))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Checked rows as a regression sees them: log-odds, sign of the label, weight of truths."""

    z: FloatArray
    sign: FloatArray
    negatives: FloatArray
    positives: FloatArray
    prior_mean: FloatArray

    @classmethod
    def of(cls, checked: CheckedTable, softness: float, intercept: float) -> _Rows:
        tables = [pooled(checked.labelled_negative), pooled(checked.labelled_positive)]
        z = np.concatenate([soft_logit(table.scores, softness) for table in tables])
        sign = np.repeat([-1.0, 1.0], [len(table) for table in tables])
        negatives = np.concatenate([table.negatives for table in tables])
        positives = np.concatenate([table.positives for table in tables])
        return cls(z, sign, negatives, positives, PRIOR_MEAN + np.array([0.0, intercept, 0.0]))

    def _linear(self, parameters: FloatArray) -> FloatArray:
        slope, trust = np.exp(parameters[:, :1]), np.exp(parameters[:, 2:])
        return slope * self.z + parameters[:, 1:2] + trust * self.sign

    def log_posterior(self, parameters: FloatArray) -> FloatArray:
        """Log of prior times likelihood, for rows of (log a, b, log g)."""
        linear = self._linear(parameters)
        likelihood = log_expit(linear) @ self.positives + log_expit(-linear) @ self.negatives
        residuals = (parameters - self.prior_mean) / PRIOR_SD
        scale = np.log(PRIOR_SD).sum() + 1.5 * np.log(2.0 * np.pi)
        return np.asarray(likelihood - 0.5 * (residuals**2).sum(axis=1) - scale)

    def derivatives(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient of the log posterior and its expected information."""
        probability = expit(self._linear(parameters[None])[0])
        slope, trust = np.exp(parameters[0]), np.exp(parameters[2])
        jacobian = np.stack([slope * self.z, np.ones_like(self.z), trust * self.sign])
        total = self.negatives + self.positives
        gradient = jacobian @ (self.positives - total * probability)
        information = (jacobian * (total * probability * (1.0 - probability))) @ jacobian.T
        gradient = gradient - (parameters - self.prior_mean) / PRIOR_SD**2
        return gradient, information + np.diag(1.0 / PRIOR_SD**2)
