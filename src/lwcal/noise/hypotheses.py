"""What is believed before any label is seen, and how a user's knowledge changes it.

The numbers were chosen on development tasks only (the paper's nine tasks under seeds that its
study does not use, and half of the real tasks), among some 300 settings, most of them drawn at
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

PRIOR_CLEAN = 0.35
OVERSTATED = 0.1
"""Softness under which a model that overstates its extremes is right: what it calls impossible
happens in 8% of the rows (0.1 / 1.2). Its labels level off at both ends, as noisy ones do;
without this rival, every overfitted model would be taken for noise."""
PRIOR_STRENGTH = 10.0
SLOPE_SD = 0.8
"""Of log(a), around 0, if no label is wrong."""
SLOPE_SD_UNDER_NOISE = 0.5
STEEPENING = 1.5
"""Wrong labels make the truth look flatter: log(a) is expected where the labels show it, plus 1.5
times what noise takes away where labels are balanced; it takes away more beyond."""
INTERCEPT_SD = 0.8
INHERITED = 0.75
"""Models are mostly trained on labels with the noise that they are calibrated on."""

ROWS_OF_EVIDENCE = 1000.0
"""How many rows the evidence between hypotheses counts for at most when a map is made. None of
them is quite true, and in a large table each small misfit would count as certainty. Evidence to
the power 1 / (1 + n / 1000) is what the labels say if the model holds only roughly (Miller and
Dunson, 2019)."""

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
        believed = _hypothesis(KNOWN, 1.0, FixedRates(*known), noisy=known != (0.0, 0.0))
        # the slope need not help to tell the rates, so it is left to the labels
        return [replace(believed, slope_sd=SLOPE_SD)]
    noiseless = replace(TRUSTING, weight=prior_clean / 2)
    candidates = [noiseless, replace(noiseless, name=OVERCONFIDENT, softness=OVERSTATED)]
    families = _noise_families(prior_rates, prior_strength)
    for name, family in families.items():
        weight = (1.0 - prior_clean) / len(families)
        candidates.append(_hypothesis(name, weight, family, noisy=True))
    return [candidate for candidate in candidates if candidate.weight > 0.0]


def _noise_families(prior_rates: Any, prior_strength: float) -> dict[str, RatePrior]:
    if prior_rates is None:
        return {SYMMETRIC: SymmetricRates(2.0, 1.5), CLASS_CONDITIONAL: FreeRates(2.0, 2.0, 3.0)}
    expected = as_flip_rates(prior_rates)
    parts = (prior_strength * share for share in (*expected, expected.kept))
    # a Dirichlet needs positive weights; half a label is the least knowledge of a share
    return {CLASS_CONDITIONAL: FreeRates(*(max(part, 0.5) for part in parts))}


def _hypothesis(name: str, weight: float, rates: RatePrior, *, noisy: bool) -> Hypothesis:
    return Hypothesis(
        name,
        weight,
        rates,
        slope_mean=0.0,
        slope_sd=SLOPE_SD_UNDER_NOISE if noisy else SLOPE_SD,
        intercept_sd=INTERCEPT_SD,
        inherited=INHERITED * noisy,
        steepening=STEEPENING * noisy,
        relative=noisy,
    )


TRUSTING: Final = _hypothesis(NO_NOISE, 1.0, FixedRates(), noisy=False)
"""That no label is wrong."""
