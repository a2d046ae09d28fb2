"""The prior: which hypotheses about label noise compete, and how a user's knowledge changes them.

The numbers were chosen on development tasks only. Those of slopes, intercepts and log-odds come
from about 300 settings, most of them drawn at random, on the paper's nine tasks under seeds that
its study does not use and on half of the real tasks. The weights of the hypotheses and the priors
of the flip rates were chosen later, on the development tasks of the trap suite, whose models look
like noise. The leaderboard and the trap suite judge them on the other tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from lwcal.errors import ParameterError, message
from lwcal.kernels.rate_priors import FixedRates, FreeRates, RatePrior, SymmetricRates
from lwcal.noise.forward import Hypothesis
from lwcal.noise.rates import FlipRates, Pair, as_flip_rates
from lwcal.parameters import Between, Rule, check_parameters

CALIBRATED: Final = "calibrated"
NO_NOISE: Final = "none"
OVERCONFIDENT: Final = "overconfident"
FLEXIBLE: Final = "flexible"
SYMMETRIC: Final = "symmetric"
CLASS_CONDITIONAL: Final = "class-conditional"
CALIBRATED_NOISY: Final = "calibrated, noisy labels"
KNOWN: Final = "known"
NOISELESS: Final = (CALIBRATED, NO_NOISE, OVERCONFIDENT, FLEXIBLE)
"""Hypotheses under which every label is right."""

PRIOR_CLEAN = 0.5
CLEAN_SHARES: Final = {CALIBRATED: 0.4, NO_NOISE: 0.2, OVERCONFIDENT: 0.2, FLEXIBLE: 0.2}
"""Prior of each way in which every label can be right. Many scores are calibrated already, and that
rival keeps the few labels of a small table from bending a good score. The flexible rival stands for
misshapen models, whose labels bend as noisy labels do."""
OVERCONFIDENT_SOFTNESS = 0.1
"""Softness of the log-odds for an overconfident model: 8% of the events that it calls impossible
happen (0.1 / 1.2). Its labels level off at both ends, as noisy labels do. Without this rival,
every overfitted model would look like noise."""
PRIOR_STRENGTH = 10.0
SLOPE_SD = 0.8
"""Standard deviation of log(a), around 0, if every label is right."""
SLOPE_SD_UNDER_NOISE = 0.5
STEEPENING = 1.5
"""Noise makes the truth look flatter. The mean of log(a) is the apparent slope of the labels plus
1.5 times what noise removes where labels are balanced; it removes more elsewhere."""
INTERCEPT_SD = 0.8
INHERITED = 0.75
"""Most models are trained on labels with the same noise as the calibration labels."""

CALIBRATED_SD = 0.05
"""Standard deviation of log(a) and of b, around 0, if the score is calibrated although labels are
wrong."""

ROWS_OF_EVIDENCE = 1000.0
"""The evidence between hypotheses counts as much as that of 1,000 rows at most. No hypothesis is
exactly true, and in a large table every small misfit would look like certainty. Raising evidence
to the power 1 / (1 + n / 1000) is the posterior for a model that holds only roughly (Miller and
Dunson, 2019)."""

KNOWLEDGE_RULES: Mapping[str, Rule] = {
    "prior_clean": Between(0.0, 1.0),
    "prior_strength": Between(0.0, float("inf"), open="low"),
}
"""Allowed values of the two numbers. The two pairs of rates have checks of their own."""


def check_knowledge(
    *,
    noise_rates: Pair | None,
    prior_rates: Pair | None,
    prior_strength: float,
    prior_clean: float,
) -> None:
    """Refuse knowledge that :func:`hypotheses` cannot use."""
    numbers = {"prior_clean": prior_clean, "prior_strength": prior_strength}
    check_parameters(numbers, KNOWLEDGE_RULES)
    if noise_rates is not None and prior_rates is not None:
        hint = "rates are either known (noise_rates) or expected (prior_rates)"
        raise ParameterError(message("noise_rates or prior_rates", "both", hint))
    for rates in (noise_rates, prior_rates):
        if rates is not None:
            as_flip_rates(rates)


def hypotheses(
    *,
    noise_rates: Pair | None = None,
    prior_rates: Pair | None = None,
    prior_strength: float = PRIOR_STRENGTH,
    prior_clean: float = PRIOR_CLEAN,
) -> list[Hypothesis]:
    """Build the hypotheses that a user's knowledge leaves.

    Parameters
    ----------
    noise_rates : pair of float, optional
        Known flip rates (r0, r1).
    prior_rates : pair of float, optional
        Expected flip rates, for example from an earlier audit.
    prior_strength : float
        How many checked labels the expected rates are worth.
    prior_clean : float
        Prior probability that every label is right.

    Examples
    --------
    >>> sorted({hypothesis.name for hypothesis in hypotheses()})
    ['calibrated', 'class-conditional', 'flexible', 'none', 'overconfident', 'symmetric']
    >>> [hypothesis.name for hypothesis in hypotheses(noise_rates=(0.1, 0.2))]
    ['known']
    """
    check_knowledge(
        noise_rates=noise_rates,
        prior_rates=prior_rates,
        prior_strength=prior_strength,
        prior_clean=prior_clean,
    )
    if noise_rates is not None:
        return [_known(as_flip_rates(noise_rates))]
    candidates = [
        replace(hypothesis, weight=prior_clean * CLEAN_SHARES[hypothesis.name])
        for hypothesis in CLEAN_HYPOTHESES
    ]
    families = _noise_families(prior_rates, prior_strength)
    for name, family in families.items():
        weight = (1.0 - prior_clean) / len(families)
        candidates.append(_hypothesis(name, weight, family, noisy=True))
    return [candidate for candidate in candidates if candidate.weight > 0.0]


def with_calibrated_score(given: Sequence[Hypothesis], share: float) -> list[Hypothesis]:
    """Give a share of the weight of all noise to noisy labels beside a calibrated score.

    That is a model trained on better labels than those it is calibrated on. Labels alone cannot
    tell it from a model that has inherited the noise, so it needs checked rows. Known rates need
    no such hypothesis, and are returned as they are.

    Parameters
    ----------
    given : sequence of Hypothesis
    share : float
        From 0 to 1.

    Examples
    --------
    >>> [hypothesis.name for hypothesis in with_calibrated_score(hypotheses(), 0.5)][-1]
    'calibrated, noisy labels'
    """
    free = [one for one in given if one.name == CLASS_CONDITIONAL]
    if not free:
        return list(given)
    noisy = sum(one.weight for one in given if one.name not in NOISELESS)
    others = [
        one if one.name in NOISELESS else replace(one, weight=one.weight * (1.0 - share))
        for one in given
    ]
    calibrated = replace(
        _hypothesis(CALIBRATED_NOISY, noisy * share, free[0].rates, noisy=False),
        slope_sd=CALIBRATED_SD,
        intercept_sd=CALIBRATED_SD,
    )
    return [*others, calibrated]


def _known(rates: FlipRates) -> Hypothesis:
    known = _hypothesis(KNOWN, 1.0, FixedRates(*rates), noisy=rates != (0.0, 0.0))
    # the slope is not needed to identify the rates, so the labels alone decide it
    return replace(known, slope_sd=SLOPE_SD)


def _noise_families(prior_rates: Pair | None, prior_strength: float) -> dict[str, RatePrior]:
    if prior_rates is None:
        return {SYMMETRIC: SymmetricRates(2.0, 3.0), CLASS_CONDITIONAL: FreeRates(2.0, 2.0, 8.0)}
    expected = as_flip_rates(prior_rates)
    parts = (prior_strength * share for share in (*expected, expected.kept))
    # a Dirichlet distribution needs positive parameters; half a label is the least we assume
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
        slope_from_labels=noisy,
    )


CLEAN_HYPOTHESIS: Final = _hypothesis(NO_NOISE, 1.0, FixedRates(), noisy=False)
"""Every label is right, and the truth is a line in the log-odds of the score."""
CLEAN_HYPOTHESES: Final = (
    replace(CLEAN_HYPOTHESIS, name=CALIBRATED, slope_sd=0.0, intercept_sd=0.0),
    CLEAN_HYPOTHESIS,
    replace(CLEAN_HYPOTHESIS, name=OVERCONFIDENT, softness=OVERCONFIDENT_SOFTNESS),
    replace(CLEAN_HYPOTHESIS, name=FLEXIBLE, flexible=True),
)
