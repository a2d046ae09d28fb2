"""The policy of :class:`lwcal.Auto`: how far to follow the evidence for noise.

It takes a posterior and the table it was inferred from, and returns a decision made of plain
numbers and words. Nothing else in the project depends on how the decision is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.maps import IdentityMap, Map
from lwcal.noise.posterior import Posterior
from lwcal.table import ScoreTable

MAX_COST = 0.10
"""Chosen on development tasks. There, 5% to 10% closed nearly the same part of the gap that wrong
labels open, and 20% let the worst task get 1.4 times worse."""
LEAST_GAIN = 0.005
"""Expected gain below which the raw score is kept, because it needs no explanation."""
RECALIBRATED_FROM = 0.9
"""Probability of no noise from which on the labels count as trusted."""
LOSS_CLIP = 1e-6

Choice: TypeAlias = Literal["raw", "recalibrated", "bounded", "noise-aware"]
CHOICES: tuple[Choice, ...] = ("raw", "recalibrated", "bounded", "noise-aware")


class Decision(NamedTuple):
    """The decision of :class:`lwcal.Auto`, in numbers and words that can be saved.

    Attributes
    ----------
    choice : {"raw", "recalibrated", "bounded", "noise-aware"}
        Keep the raw score; treat the labels as right; correct for part of the noise, as far as
        the bound allows; or correct as far as the evidence goes.
    p_clean_used : float
        Probability of no noise behind the map: that of the posterior, or more.
    cost_if_right : float
        Relative increase of the log loss over the raw score if every label is right.
    cost_unbounded : float
        The same for a map that follows the posterior without a bound.
    expected_gain : float
        Expected relative decrease of the log loss below the raw score.
    """

    choice: Choice
    p_clean_used: float
    cost_if_right: float
    cost_unbounded: float
    expected_gain: float


def decide(posterior: Posterior, table: ScoreTable, *, max_cost: float = MAX_COST) -> Decision:
    """Decide how far to follow the evidence for noise; see :class:`lwcal.Auto`.

    Parameters
    ----------
    posterior : Posterior
        Inferred from the table.
    table : ScoreTable
        Pooled labels.
    max_cost : float, default 0.1
        Accepted relative increase of the log loss if every label is right, over the better of the
        raw score and a map that trusts the labels. Known flip rates are evidence from outside the
        table, and lift the bound.
    """
    if_clean, if_noisy = (
        posterior.with_probability_clean(p).clean_probability(table.scores) for p in (1.0, 0.0)
    )

    def mixed(p_clean: float) -> FloatArray:
        return np.asarray(p_clean * if_clean + (1.0 - p_clean) * if_noisy)

    labels = table.positives / (table.negatives + table.positives)
    if_right = ExpectedLoss.of(table, labels)
    least = posterior.believed.probability_clean
    cost = _Cost(if_right, if_right.better(table.scores, if_clean))
    known = posterior.rates_are_known
    used = least if known else least_within_bound(least, lambda p: cost.of(mixed(p)), max_cost)
    if_belief_holds = ExpectedLoss.of(table, mixed(least))
    unbounded = if_right.increase(mixed(posterior.probability_clean))
    gain = 0.0 if used is None else -if_belief_holds.increase(mixed(used))
    if used is None or gain < LEAST_GAIN:
        return Decision("raw", least, 0.0, unbounded, 0.0)
    return Decision(choice_of(least, used), used, if_right.increase(mixed(used)), unbounded, gain)


def decided_map(decision: Decision, posterior: Posterior) -> Map:
    """Return the map of a decision that was made from this posterior."""
    if decision.choice == "raw":
        return IdentityMap()
    return posterior_map(posterior.with_probability_clean(decision.p_clean_used))


class ExpectedLoss(NamedTuple):
    """Log loss of probabilities, given the share of true positives at each score.

    Attributes
    ----------
    scores : float64 array
    positives, negatives : float64 arrays
        Shares of all rows that are truly positive and negative at each score; they add up to 1.
    n : float
        Number of rows.
    """

    scores: FloatArray
    positives: FloatArray
    negatives: FloatArray
    n: float

    @classmethod
    def of(cls, table: ScoreTable, share: FloatArray) -> ExpectedLoss:
        """Rows of a table, with this share of true positives at each score."""
        total = (table.negatives + table.positives) / table.n
        return cls(table.scores, total * share, total * (1.0 - share), table.n)

    def loss(self, probability: FloatArray) -> float:
        """Log loss of these probabilities."""
        clipped = np.clip(probability, LOSS_CLIP, 1.0 - LOSS_CLIP)
        return -float(self.positives @ np.log(clipped) + self.negatives @ np.log1p(-clipped))

    def increase(self, probability: FloatArray) -> float:
        """Relative increase over the raw score."""
        return self.loss(probability) / self.loss(self.scores) - 1.0

    def better(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Return the probabilities with the lower loss."""
        return min(one, other, key=self.loss)

    def excess(self, probability: FloatArray, reference: FloatArray) -> tuple[float, float]:
        """Log loss above that of a reference, and the standard error of the difference."""
        p, q = (np.clip(x, LOSS_CLIP, 1.0 - LOSS_CLIP) for x in (probability, reference))
        of_positive, of_negative = np.log(q / p), np.log((1.0 - q) / (1.0 - p))
        mean = float(self.positives @ of_positive + self.negatives @ of_negative)
        squares = self.positives @ of_positive**2 + self.negatives @ of_negative**2
        return mean, float(np.sqrt(max(squares - mean**2, 0.0) / self.n))


class _Cost(NamedTuple):
    """Relative increase of the log loss over the better of raw score and trust in the labels."""

    if_right: ExpectedLoss
    reference: FloatArray

    def of(self, probability: FloatArray) -> float:
        """One standard error above the estimate, because few rows can hide a cost."""
        mean, error = self.if_right.excess(probability, self.reference)
        return (mean + error) / self.if_right.loss(self.reference)


def least_within_bound(
    least: float, cost: Callable[[float], float], max_cost: float
) -> float | None:
    """Smallest probability of no noise, from the least upwards, that keeps the bound.

    None if even full trust in the labels breaks it: then the rows are too few.
    """
    if cost(least) <= max_cost:
        return least
    if cost(1.0) > max_cost:
        return None
    from scipy.optimize import brentq  # imported here, because it doubles the time of import lwcal

    return float(brentq(lambda p: cost(p) - max_cost, least, 1.0, xtol=1e-9))


def choice_of(least: float, used: float) -> Choice:
    """What a map does, by the probability of no noise: the least possible one, and the one used."""
    if used >= RECALIBRATED_FROM:
        return "recalibrated"
    return "bounded" if used > least else "noise-aware"
