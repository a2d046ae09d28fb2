"""Auto: as noise-aware as it can be without doing harm if the labels are right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.calibrators.noise_aware import NoiseAware, describe, tabulated
from lwcal.maps import IdentityMap, Map
from lwcal.noise.estimate import NoiseEstimate, estimate_from
from lwcal.noise.hypotheses import PRIOR_CLEAN, hypotheses
from lwcal.noise.logit_counts import pooled
from lwcal.noise.posterior import Posterior, infer
from lwcal.parameters import Between, Rule
from lwcal.table import ScoreTable

MAX_COST = 0.01
"""On development tasks 1% to 10% are equally good on real tables. More is better on the paper's
noisy ones, but 1% can be promised to anybody."""
EVEN_ODDS = 0.5
"""Probability of no noise before any label is seen. NoiseAware believes less, because who takes
it expects noise."""
LEAST_GAIN = 0.005
"""Below this the raw score is as good, and needs no explanation."""
TOLD, TOLD_WIDTH = 0.05, 0.15
"""Probability of no noise, and width of the intervals of both flip rates, up to which the bound
is lifted, if the rates can be told."""
TRUSTED = 0.9
"""Probability of no noise from which on the labels are said to be trusted."""
CLIP = 1e-6

Choice: TypeAlias = Literal["raw", "recalibrated", "bounded", "noise-aware"]


class Decision(NamedTuple):
    """What to do with the scores, and what it rests on.

    Attributes
    ----------
    choice : {"raw", "recalibrated", "bounded", "noise-aware"}
        Keep the score; trust the labels; trust them in part; correct fully for the noise.
    map : Map
    posterior : Posterior
        What the labels say of noise, before even odds and the bound.
    noise : NoiseEstimate
        Flip rates read off it.
    p_clean_used : float
        Probability of no noise that the map was made with: that of the posterior, or more.
    cost_if_right : float
        Relative increase of the NLL over the raw score if every label is right.
    cost_unbounded : float
        The same of a map that follows all of the evidence: no hedge, even odds or bound.
    expected_gain : float
        Relative decrease of the NLL over the raw score that the posterior expects.
    """

    choice: Choice
    map: Map
    posterior: Posterior
    noise: NoiseEstimate
    p_clean_used: float
    cost_if_right: float
    cost_unbounded: float
    expected_gain: float


class Auto(Calibrator):
    """Follow the evidence for noise, within a bound on the harm if there is none.

    The map is that of :class:`NoiseAware`, but begins at even odds that no label is wrong, and
    raises that probability until the map costs at most ``max_cost`` more NLL than the raw score
    in case every label is right. Noise and a hard task can look alike; this bounds what
    mistaking one for the other may cost. The bound is lifted when there is noise with a
    probability of 95% and both flip rates can be told, within 0.15. When little is to be
    gained, or no map keeps the bound, the raw score is kept.

    Parameters
    ----------
    max_cost : float, default 0.01
        Relative increase of the NLL over the raw score that is accepted in case that every
        label is right.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    decision_ : Decision
        What was chosen, and why; only after ``fit``, not after loading.
    diagnostics_ : dict
        Those of :class:`NoiseAware`, and ``p_clean_used``, ``cost_if_right`` and
        ``expected_gain``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> labels = rng.random(2000) < scores
    >>> Auto().fit(scores, labels).decision_.choice
    'raw'
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"max_cost": Between(0.0, inf)}
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        **NoiseAware.diagnostic_meanings,
        "p_clean_used": "p_clean as the map has it, raised where that is safer",
        "cost_if_right": "change of the NLL if every label is right",
        "expected_gain": "decrease of the NLL that is expected",
    }

    def __init__(self, *, max_cost: float = MAX_COST, pos_label: Any = None) -> None:
        self.max_cost = max_cost
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        self.decision_ = decide(table, max_cost=self.max_cost)
        decision = self.decision_
        return Fitted(
            decision.map,
            {
                **describe(decision.posterior),
                "p_clean_used": decision.p_clean_used,
                "cost_if_right": decision.cost_if_right,
                "expected_gain": decision.expected_gain,
            },
        )


def decide(table: ScoreTable, *, max_cost: float = MAX_COST) -> Decision:
    """Choose the map: see :class:`Auto`."""
    small = pooled(table)
    posterior = infer(small, hypotheses())
    hedged = posterior.hedged
    labelled = _Losses.of(small, small.positives / (small.negatives + small.positives))
    trusting, doubting = (hedged.with_clean(p).clean_probability(small.scores) for p in (1, 0))

    def mixed(p_clean: float) -> FloatArray:
        return np.asarray(p_clean * trusting + (1.0 - p_clean) * doubting)

    def cost(p_clean: float) -> float:
        return labelled.increase(mixed(p_clean))

    believed = posterior.probability_clean
    full = cost(believed)
    least = max(_at_even_odds(hedged.probability_clean), believed)
    expected = _Losses.of(small, mixed(least))
    noise = estimate_from(posterior, small)
    used = least if _is_told(noise) else _least_trust(least, cost, max_cost)
    gain = -expected.increase(mixed(used)) if used is not None else 0.0
    if used is None or gain < LEAST_GAIN:
        return Decision("raw", IdentityMap(), posterior, noise, least, 0.0, full, 0.0)
    fitted = tabulated(hedged.with_clean(used))
    choice = _name(least, used)
    return Decision(choice, fitted, posterior, noise, used, cost(used), full, gain)


def _at_even_odds(probability_clean: float) -> float:
    """What the same labels leave of "no label is wrong" when it begins at even odds.

    >>> round(_at_even_odds(PRIOR_CLEAN), 6), _at_even_odds(1.0)
    (0.5, 1.0)
    """
    for_clean = probability_clean * EVEN_ODDS / PRIOR_CLEAN
    for_noise = (1.0 - probability_clean) * (1.0 - EVEN_ODDS) / (1.0 - PRIOR_CLEAN)
    return for_clean / (for_clean + for_noise)


def _is_told(noise: NoiseEstimate) -> bool:
    """Whether there is noise for sure, and how much of it, so that the bound may be lifted."""
    widths = (rate.high - rate.low for rate in (noise.negative, noise.positive))
    return noise.identifiable and noise.probability_clean < TOLD and max(widths) <= TOLD_WIDTH


def _least_trust(least: float, cost: Callable[[float], float], max_cost: float) -> float | None:
    """Smallest probability of no noise, from the least up, that keeps the bound.

    None when even full trust in the labels breaks it: then the score fits them too well.
    """
    if cost(least) <= max_cost:
        return least
    if cost(1.0) > max_cost:
        return None
    from scipy.optimize import brentq  # here, because it would double the time of import lwcal

    # the cost is convex, too high at the left end and not at the right: it crosses once
    return float(brentq(lambda p: cost(p) - max_cost, least, 1.0, xtol=1e-9))


def _name(least: float, used: float) -> Choice:
    if used >= TRUSTED:
        return "recalibrated"
    return "bounded" if used > least else "noise-aware"


class _Losses(NamedTuple):
    """NLL of probabilities under a given share of positives at each score."""

    positives: FloatArray
    negatives: FloatArray
    of_raw: float

    @classmethod
    def of(cls, table: ScoreTable, share: FloatArray) -> _Losses:
        total = (table.negatives + table.positives) / table.n
        parts = cls(total * share, total * (1.0 - share), 1.0)
        return parts._replace(of_raw=parts.increase(table.scores) + 1.0)

    def increase(self, probability: FloatArray) -> float:
        """Relative increase of the NLL over that of the raw score."""
        clipped = np.clip(probability, CLIP, 1.0 - CLIP)
        nll = -(self.positives @ np.log(clipped) + self.negatives @ np.log1p(-clipped))
        return float(nll / self.of_raw - 1.0)
