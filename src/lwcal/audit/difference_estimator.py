"""Unbiased mean losses over all rows, from a sample of checked rows (difference estimator).

A model predicts the loss of every row. The estimate is the mean prediction over all rows, plus the
mean prediction error over the checked rows. The second mean removes the bias of the model, so the
estimate is unbiased for any model. A better model gives a narrower interval. Each checked row is
compared with a model that was fitted without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from lwcal.arrays import FloatArray, LabelArray
from lwcal.errors import InputError, message
from lwcal.estimates import Estimate
from lwcal.metrics.proper import NLL_CLIP
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.table import ScoreTable

FOLDS = 5
FEWEST = 10
"""Fewest checked rows that give a usable interval."""

Predict: TypeAlias = Callable[[FloatArray], FloatArray]
Loss: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Expected loss at scores, given the probabilities of a positive label there."""


def require_checks(found: int) -> None:
    """Refuse too few checked rows.

    >>> require_checks(9)
    Traceback (most recent call last):
    lwcal.errors.InputError: expected at least 10 checked labels in y_audited, got 9; check ...
    """
    if found < FEWEST:
        expected = f"at least {FEWEST} checked labels in y_audited"
        raise InputError(message(expected, f"{found}", "check more rows"))


class HeldOutRows(NamedTuple):
    """One fold of the checked rows, and what a posterior without it expects of the truth."""

    everywhere: FloatArray
    """Probability of a true positive at the scores of all rows with label 0, then with label 1."""
    expected: FloatArray
    """Probability of a true positive for each row of the fold, given its label."""
    scores: FloatArray
    true: LabelArray
    weights: FloatArray
    """Inverse probabilities of being checked, scaled to mean 1 over all checked rows."""

    @classmethod
    def from_posterior(
        cls,
        posterior: AuditedPosterior,
        all_rows: ScoreTable,
        scores: FloatArray,
        noisy: LabelArray,
        true: LabelArray,
        weights: FloatArray,
    ) -> HeldOutRows:
        """Ask the posterior that was inferred without the fold, once for all losses."""
        everywhere = [posterior.truth_given_label(all_rows.scores, label) for label in (0, 1)]
        negative, positive = (posterior.truth_given_label(scores, label) for label in (0, 1))
        expected = np.where(noisy == 1, positive, negative)
        return cls(np.concatenate(everywhere), expected, scores, true, weights)


class FoldTerms(NamedTuple):
    """The terms that one fold contributes to the estimate."""

    mean: float
    """Mean predicted loss over all rows."""
    variance: float
    """Variance of the predicted losses over all rows."""
    errors: FloatArray
    """Weighted prediction errors of the checked rows: loss minus predicted loss."""


def brier_loss(predict: Predict) -> Loss:
    """Return the Brier score of predictions, row by row."""

    def loss(scores: FloatArray, truth: FloatArray) -> FloatArray:
        p = predict(scores)
        return np.asarray(truth * (1.0 - p) ** 2 + (1.0 - truth) * p**2)

    return loss


def log_loss(predict: Predict) -> Loss:
    """Return the log loss of predictions, row by row."""

    def loss(scores: FloatArray, truth: FloatArray) -> FloatArray:
        p = np.clip(predict(scores), NLL_CLIP, 1.0 - NLL_CLIP)
        return np.asarray(-truth * np.log(p) - (1.0 - truth) * np.log1p(-p))

    return loss


def loss_difference(loss: Loss, other: Loss) -> Loss:
    """Return the first loss minus the second, row by row."""
    return lambda scores, truth: np.asarray(loss(scores, truth) - other(scores, truth))


def mean_loss(
    folds: Sequence[HeldOutRows], losses: Sequence[Loss], all_rows: ScoreTable, confidence: float
) -> Estimate:
    """Estimate the mean loss over all rows, with a Student t interval and one loss per fold."""
    parts = [_fold_terms(fold, loss, all_rows) for fold, loss in zip(folds, losses, strict=True)]
    return combined(parts, all_rows.n, confidence)


def combined(parts: Sequence[FoldTerms], n: float, confidence: float) -> Estimate:
    """Mean loss over n rows from the terms of all folds, with a Student t interval."""
    errors = np.concatenate([part.errors for part in parts])
    shares = np.array([len(part.errors) for part in parts]) / len(errors)
    value = float(shares @ [part.mean for part in parts] + errors.mean())
    variance = errors.var(ddof=1) / len(errors)
    variance += float(shares @ [part.variance for part in parts]) / n
    half = float(stdtrit(len(errors) - 1, 0.5 + confidence / 2) * np.sqrt(variance))
    return Estimate(value, value - half, value + half)


def _fold_terms(fold: HeldOutRows, loss: Loss, all_rows: ScoreTable) -> FoldTerms:
    values = loss(np.tile(all_rows.scores, 2), fold.everywhere)
    shares = np.concatenate([all_rows.negatives, all_rows.positives]) / all_rows.n
    mean = float(shares @ values)
    predicted = loss(fold.scores, fold.expected)
    errors = fold.weights * (loss(fold.scores, fold.true.astype(np.float64)) - predicted)
    return FoldTerms(mean, float(shares @ (values - mean) ** 2), errors)
