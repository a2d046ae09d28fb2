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
from lwcal.noise.hypotheses import PRIOR_CLEAN
from lwcal.noise.posterior import Posterior
from lwcal.table import ScoreTable

MAX_COST = 0.01
"""On development tasks, 1% to 10% work equally well for real tables. A higher bound works better on
the noisy tables of the paper, but 1% is a promise that suits everybody."""
EVEN_ODDS = 0.5
"""Prior probability of no noise. NoiseAware uses less, because its users expect noise."""
LEAST_GAIN = 0.005
"""Expected gain below which the raw score is kept, because it needs no explanation."""
LIFTED_BELOW_CLEAN = 0.05
LIFTED_WIDTH = 0.15
LIFTED_CONFIDENCE = 0.9
"""The bound is lifted if the rates are identified, the probability of no noise is below 5%, and
the 90% intervals of both rates are at most 0.15 wide."""
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
        the bound allows; or correct fully.
    p_clean_used : float
        Probability of no noise behind the map: that of the posterior, or more.
    cost_if_right : float
        Relative increase of the log loss over the raw score if every label is right.
    cost_unbounded : float
        The same for a map that follows all of the evidence, without tempering, even odds or
        bound.
    expected_gain : float
        Relative decrease of the log loss below the raw score, if the noise estimate holds.
    """

    choice: Choice
    p_clean_used: float
    cost_if_right: float
    cost_unbounded: float
    expected_gain: float


def decide(
    posterior: Posterior,
    table: ScoreTable,
    *,
    identified: bool,
    max_cost: float = MAX_COST,
    even_odds: bool = True,
) -> Decision:
    """Decide how far to follow the evidence for noise; see :class:`lwcal.Auto`.

    Parameters
    ----------
    posterior : Posterior
        Inferred from the table.
    table : ScoreTable
        Pooled labels.
    identified : bool
        Whether the flip rates are identified, as in :class:`lwcal.noise.NoiseEstimate`.
    max_cost : float, default 0.01
        Accepted relative increase of the log loss if every label is right.
    even_odds : bool, default True
        Whether to replace the default prior probability of no noise by 1/2.
    """
    tempered = posterior.tempered
    if_clean, if_noisy = (
        tempered.with_probability_clean(p).clean_probability(table.scores) for p in (1.0, 0.0)
    )

    def mixed(p_clean: float) -> FloatArray:
        return np.asarray(p_clean * if_clean + (1.0 - p_clean) * if_noisy)

    if_right = _ExpectedLoss.of(table, table.positives / (table.negatives + table.positives))

    def cost(p_clean: float) -> float:
        return if_right.increase(mixed(p_clean))

    p_tempered = tempered.probability_clean
    p_posterior = posterior.probability_clean
    least = max(at_even_odds(p_tempered) if even_odds else p_tempered, p_posterior)
    lifted = identified and _bound_is_lifted(posterior)
    used = least if lifted else _least_within_bound(least, cost, max_cost)
    if_noise_holds = _ExpectedLoss.of(table, mixed(least))
    gain = 0.0 if used is None else -if_noise_holds.increase(mixed(used))
    unbounded = cost(p_posterior)
    if used is None or gain < LEAST_GAIN:
        return Decision("raw", least, 0.0, unbounded, 0.0)
    return Decision(_choice(least, used), used, cost(used), unbounded, gain)


def decided_map(decision: Decision, posterior: Posterior) -> Map:
    """Return the map of a decision that was made from this posterior."""
    if decision.choice == "raw":
        return IdentityMap()
    return posterior_map(posterior.tempered.with_probability_clean(decision.p_clean_used))


def at_even_odds(probability_clean: float) -> float:
    """Posterior probability of no noise, had its prior been 1/2 instead of the default.

    >>> round(at_even_odds(PRIOR_CLEAN), 6), at_even_odds(1.0)
    (0.5, 1.0)
    """
    for_clean = probability_clean * EVEN_ODDS / PRIOR_CLEAN
    for_noise = (1.0 - probability_clean) * (1.0 - EVEN_ODDS) / (1.0 - PRIOR_CLEAN)
    return for_clean / (for_clean + for_noise)


def _bound_is_lifted(posterior: Posterior) -> bool:
    """Whether noise is nearly certain and its rates are precise."""
    if posterior.probability_clean >= LIFTED_BELOW_CLEAN:
        return False
    rates = posterior.with_probability_clean(0.0).rates_posterior
    intervals = rates.interval(LIFTED_CONFIDENCE)
    return max(high - low for low, high in intervals) <= LIFTED_WIDTH


def _least_within_bound(
    least: float, cost: Callable[[float], float], max_cost: float
) -> float | None:
    """Smallest probability of no noise, from the least upwards, that keeps the bound.

    None if even full trust in the labels breaks it: then the score fits them too well.
    """
    if cost(least) <= max_cost:
        return least
    if cost(1.0) > max_cost:
        return None
    from scipy.optimize import brentq  # imported here, because it doubles the time of import lwcal

    # the cost is convex, above the bound on the left and not on the right, so it crosses once
    return float(brentq(lambda p: cost(p) - max_cost, least, 1.0, xtol=1e-9))


def _choice(least: float, used: float) -> Choice:
    if used >= RECALIBRATED_FROM:
        return "recalibrated"
    return "bounded" if used > least else "noise-aware"


class _ExpectedLoss(NamedTuple):
    """Log loss of probabilities, given the share of true positives at each score."""

    positives: FloatArray
    negatives: FloatArray
    of_raw: float

    @classmethod
    def of(cls, table: ScoreTable, share: FloatArray) -> _ExpectedLoss:
        total = (table.negatives + table.positives) / table.n
        parts = cls(total * share, total * (1.0 - share), 1.0)
        return parts._replace(of_raw=parts.increase(table.scores) + 1.0)

    def increase(self, probability: FloatArray) -> float:
        """Relative increase over the raw score."""
        clipped = np.clip(probability, LOSS_CLIP, 1.0 - LOSS_CLIP)
        loss = -(self.positives @ np.log(clipped) + self.negatives @ np.log1p(-clipped))
        return float(loss / self.of_raw - 1.0)
