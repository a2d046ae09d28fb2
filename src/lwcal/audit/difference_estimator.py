"""Mean losses over all rows from the few that were checked, without bias.

The mean over all rows of what a model expects of a row's loss, plus the mean over the checked
rows of how far their loss turned out from that. The second mean takes out whatever the model has
wrong, so that the estimate rests on nothing but the draw of the rows; the better the model, the
narrower the interval. Every checked row is compared with a model that was fitted without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from lwcal.arrays import FloatArray, LabelArray
from lwcal.estimates import Estimate
from lwcal.metrics.proper import NLL_CLIP
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.table import ScoreTable

Predict: TypeAlias = Callable[[FloatArray], FloatArray]
Loss: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Loss at scores whose label is positive with a given probability."""


class HeldOut(NamedTuple):
    """Some of the checked rows, and what was inferred without them."""

    posterior: AuditedPosterior
    scores: FloatArray
    noisy: LabelArray
    true: LabelArray
    weights: FloatArray
    """Inverse probabilities of being checked, of mean 1 over all checked rows."""


def brier_of(predict: Predict) -> Loss:
    """Squared distance of probabilities from the truth."""

    def loss(scores: FloatArray, truth: FloatArray) -> FloatArray:
        p = predict(scores)
        return np.asarray(truth * (1.0 - p) ** 2 + (1.0 - truth) * p**2)

    return loss


def nll_of(predict: Predict) -> Loss:
    """Negative log-likelihood of probabilities."""

    def loss(scores: FloatArray, truth: FloatArray) -> FloatArray:
        p = np.clip(predict(scores), NLL_CLIP, 1.0 - NLL_CLIP)
        return np.asarray(-truth * np.log(p) - (1.0 - truth) * np.log1p(-p))

    return loss


def less(loss: Loss, other: Loss) -> Loss:
    """One loss less another, row by row."""
    return lambda scores, truth: np.asarray(loss(scores, truth) - other(scores, truth))


def mean_loss(
    parts: Sequence[HeldOut], losses: Sequence[Loss], everything: ScoreTable, confidence: float
) -> Estimate:
    """Mean loss over all rows, with a loss for each part, and a Student t interval."""
    found = [_judge(part, loss, everything) for part, loss in zip(parts, losses, strict=True)]
    surprises = np.concatenate([part.surprises for part in found])
    shares = np.array([len(part.surprises) for part in found]) / len(surprises)
    value = float(shares @ [part.expected for part in found] + surprises.mean())
    variance = surprises.var(ddof=1) / len(surprises)
    variance += float(shares @ [part.variance for part in found]) / everything.n
    half = float(stdtrit(len(surprises) - 1, 0.5 + confidence / 2) * np.sqrt(variance))
    return Estimate(value, value - half, value + half)


class _Found(NamedTuple):
    """What one part says of a mean loss."""

    expected: float
    """Mean over all rows of the loss that the model expects."""
    variance: float
    """Of these expectations, over the rows."""
    surprises: FloatArray
    """Losses of the checked rows less what the model expected, weighted."""


def _judge(part: HeldOut, loss: Loss, everything: ScoreTable) -> _Found:
    def expected_at(scores: FloatArray, label: int) -> FloatArray:
        return loss(scores, part.posterior.truth_given_label(scores, label))

    values = np.concatenate([expected_at(everything.scores, label) for label in (0, 1)])
    shares = np.concatenate([everything.negatives, everything.positives]) / everything.n
    mean = float(shares @ values)
    negative, positive = (expected_at(part.scores, label) for label in (0, 1))
    expected = np.where(part.noisy == 1, positive, negative)
    surprises = part.weights * (loss(part.scores, part.true.astype(np.float64)) - expected)
    return _Found(mean, float(shares @ (values - mean) ** 2), surprises)
