"""The policy of :class:`lwcal.Auto` for several classes: as for two, on class probabilities."""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.decision import (
    LEAST_GAIN,
    LOSS_CLIP,
    MAX_COST,
    Decision,
    choice_of,
    least_within_bound,
)
from lwcal.class_maps import ClassIdentityMap, ClassMap
from lwcal.multiclass.class_posterior import ClassPosterior


def decide_classes(posterior: ClassPosterior, *, max_cost: float = MAX_COST) -> Decision:
    """Decide how far to follow the evidence for noise.

    Parameters
    ----------
    posterior : ClassPosterior
    max_cost : float, default 0.1
        Accepted relative increase of the log loss if every label is right, over the better of the
        raw scores and a map that trusts the labels.
    """
    losses = _Losses(posterior)
    least = posterior.probability_clean
    reference = min(losses.raw, losses.scaled(1.0), key=losses.if_right)

    def cost(p_clean: float) -> float:
        excess = losses.of_labels(losses.scaled(p_clean)) - losses.of_labels(reference)
        mean = float(losses.weights @ excess)
        error = np.sqrt(losses.weights @ (excess - mean) ** 2 / losses.n)
        return float((mean + error) / losses.if_right(reference))

    used = least if posterior.matrix_is_known else least_within_bound(least, cost, max_cost)
    believed = np.exp(losses.scaled(least))

    def increase_if_right(scaled: FloatArray) -> float:
        return losses.if_right(scaled) / losses.if_right(losses.raw) - 1.0

    unbounded = increase_if_right(losses.scaled(least))
    gain = 0.0
    if used is not None:
        expected = [losses.expected(believed, logs) for logs in (losses.scaled(used), losses.raw)]
        gain = 1.0 - expected[0] / expected[1]
    if used is None or gain < LEAST_GAIN:
        return Decision("raw", least, 0.0, unbounded, 0.0)
    cost_if_right = increase_if_right(losses.scaled(used))
    return Decision(choice_of(least, used), used, cost_if_right, unbounded, gain)


def decided_class_map(decision: Decision, posterior: ClassPosterior) -> ClassMap:
    """Return the map of a decision that was made from this posterior."""
    if decision.choice == "raw":
        return ClassIdentityMap(posterior.rows.n_classes)
    return posterior.with_probability_clean(decision.p_clean_used).scaling


class _Losses:
    """Log losses of maps between trust in the labels and full correction."""

    def __init__(self, posterior: ClassPosterior) -> None:
        rows = posterior.rows
        self.n = rows.n
        self.weights = rows.weights / rows.n
        self.raw = np.log(np.clip(rows.scores, LOSS_CLIP, 1.0 - LOSS_CLIP))
        self._labels = rows.labels
        self._row = np.arange(len(rows.labels))
        # maps average their numbers, so those between are between in logs
        self._if_clean, self._if_noisy = (
            np.log(np.maximum(end.scaling.apply_unchecked(rows.scores), 1e-300))
            for end in (posterior.with_probability_clean(p) for p in (1.0, 0.0))
        )

    def scaled(self, p_clean: float) -> FloatArray:
        """Logs of the probabilities at this probability of no noise."""
        logs = p_clean * self._if_clean + (1.0 - p_clean) * self._if_noisy
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return np.asarray(np.clip(logs, np.log(LOSS_CLIP), np.log1p(-LOSS_CLIP)))

    def of_labels(self, logs: FloatArray) -> FloatArray:
        """Loss of each label."""
        return np.asarray(-logs[self._row, self._labels])

    def if_right(self, logs: FloatArray) -> float:
        """Log loss if every label is right."""
        return float(self.weights @ self.of_labels(logs))

    def expected(self, truth: FloatArray, logs: FloatArray) -> float:
        """Log loss if these are the probabilities of the classes."""
        return -float(np.einsum("n,nk,nk->", self.weights, truth, logs))
