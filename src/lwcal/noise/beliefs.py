"""What is believed before any label is seen, and how a user's knowledge changes it.

The numbers were chosen on development tasks only (the paper's nine tasks under seeds that its
study does not use, and half of the real tasks), among some 200 settings, most of them drawn at
random, and then rounded; the leaderboard judges them on the other tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lwcal.errors import ParameterError, message
from lwcal.noise.forward import Hypothesis
from lwcal.noise.rate_priors import FixedRates, FreeRates, RatePrior, SymmetricRates
from lwcal.noise.rates import as_flip_rates
from lwcal.parameters import Between, Rule, check_parameters

NO_NOISE: Final = "none"
OVERCONFIDENT: Final = "overconfident"
SYMMETRIC: Final = "symmetric"
CLASS_CONDITIONAL: Final = "class-conditional"
KNOWN: Final = "known"
NOISELESS: Final = (NO_NOISE, OVERCONFIDENT)
"""Hypotheses under which no label is wrong."""

PRIOR_CLEAN = 0.3
OVERSTATED = 0.1
"""Softness under which a model that overstates its extremes is right: what it calls impossible
happens in 8% of the rows (0.1 / 1.2). Its labels level off at both ends, as noisy ones do;
without this rival, every overfitted model would be taken for noise."""
PRIOR_STRENGTH = 10.0
SLOPE = {"slope_mean": 0.0, "slope_sd": 0.8}
SLOPE_UNDER_NOISE = {"slope_mean": 0.9, "slope_sd": 0.8}
"""Of log(a). Labels that are wrong pull the scores of a model trained on them towards the
middle, so that its clean posterior is steeper than its scores."""
INTERCEPT_SD = 0.8
INHERITED = 0.75
"""Models are mostly trained on labels with the noise that they are calibrated on."""

KNOWLEDGE_RULES: Mapping[str, Rule] = {
    "prior_clean": Between(0.0, 1.0),
    "prior_strength": Between(0.0, float("inf"), open="low"),
}
"""What the two numbers may be; the two pairs of rates check themselves."""


def hypotheses(
    *,
    noise_rates: Any = None,
    prior_rates: Any = None,
    prior_strength: float = PRIOR_STRENGTH,
    prior_clean: float = PRIOR_CLEAN,
) -> list[Hypothesis]:
    """Build the hypotheses that a user's knowledge leaves.

    Parameters
    ----------
    noise_rates : pair of float, optional
        Flip rates (r0, r1) that are known.
    prior_rates : pair of float, optional
        Flip rates that are expected, such as from an earlier audit.
    prior_strength : float
        How many checked labels that expectation is worth.
    prior_clean : float
        Probability that no label is wrong.

    Examples
    --------
    >>> sorted({hypothesis.name for hypothesis in hypotheses()})
    ['class-conditional', 'none', 'overconfident', 'symmetric']
    >>> [hypothesis.name for hypothesis in hypotheses(noise_rates=(0.1, 0.2))]
    ['known']
    """
    numbers = {"prior_clean": prior_clean, "prior_strength": prior_strength}
    check_parameters(numbers, KNOWLEDGE_RULES)
    if noise_rates is not None:
        if prior_rates is not None:
            raise ParameterError(
                message("noise_rates or prior_rates", "both", "rates are known, or expected")
            )
        known = as_flip_rates(noise_rates)
        return [_hypothesis(KNOWN, 1.0, FixedRates(*known), noisy=known != (0.0, 0.0))]
    noiseless = _hypothesis(NO_NOISE, prior_clean / 2, FixedRates(), noisy=False)
    candidates = [noiseless, replace(noiseless, name=OVERCONFIDENT, softness=OVERSTATED)]
    families = _noise_families(prior_rates, prior_strength)
    for name, family in families.items():
        weight = (1.0 - prior_clean) / len(families)
        candidates.append(_hypothesis(name, weight, family, noisy=True))
    return [candidate for candidate in candidates if candidate.weight > 0.0]


def _noise_families(prior_rates: Any, prior_strength: float) -> dict[str, RatePrior]:
    if prior_rates is None:
        return {SYMMETRIC: SymmetricRates(1.5, 1.5), CLASS_CONDITIONAL: FreeRates(1.0, 1.0, 4.0)}
    expected = as_flip_rates(prior_rates)
    parts = (prior_strength * share for share in (*expected, expected.kept))
    # a Dirichlet needs positive weights; half a label is the least knowledge of a share
    return {CLASS_CONDITIONAL: FreeRates(*(max(part, 0.5) for part in parts))}


def _hypothesis(name: str, weight: float, rates: RatePrior, *, noisy: bool) -> Hypothesis:
    slope = SLOPE_UNDER_NOISE if noisy else SLOPE
    return Hypothesis(
        name, weight, rates, **slope, intercept_sd=INTERCEPT_SD, inherited=INHERITED * noisy
    )
