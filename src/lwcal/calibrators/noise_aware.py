"""NoiseAware: the clean posterior behind noisy labels, averaged over the uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.noise.estimate import NoiseEstimate, estimate_from
from lwcal.noise.forward import Hypothesis
from lwcal.noise.hypotheses import (
    KNOWLEDGE_RULES,
    PRIOR_CLEAN,
    PRIOR_STRENGTH,
    check_knowledge,
    hypotheses,
)
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.posterior import Posterior
from lwcal.parameters import Rule
from lwcal.table import ScoreTable


class NoiseAware(Calibrator):
    """Fit the clean posterior through the noise, averaged over the uncertainty about it.

    The model says how noise distorts a clean posterior:
    ``P(label = 1 | z) = r0 + (1 - r0 - r1) * sigmoid(a * z + b)`` with z the log-odds of the
    score. Six hypotheses compete. Four say that every label is right: the score is calibrated; it
    needs a line in log-odds; the model is overconfident; or the curve has any smooth shape. Two
    say that some are wrong: one flip rate for both classes, or one for each. The calibrated
    probability is the average of ``sigmoid(a * z + b)`` over slopes, intercepts, rates and
    hypotheses, weighted by how well they explain the labels. No hypothesis is exactly true, so
    the evidence is tempered: it counts as much as that of 1,000 rows at most. Where a smooth
    curve explains the labels far better than noise does, the labels are taken as right. No clean
    label is needed. The map strictly increases, so ranking and AUC do not change (except for
    scores that differ in their last bits), and it never reaches 0 or 1.

    Parameters
    ----------
    noise_rates : pair of float, optional
        Known flip rates (r0, r1): r0 of true negatives, r1 of true positives.
    prior_rates : pair of float, optional
        Expected flip rates, for example from an earlier audit.
    prior_strength : float, default 10
        How many checked labels the expected rates are worth.
    prior_clean : float, default 0.5
        Prior probability that every label is right.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    noise_ : NoiseEstimate
        Flip rates with credible intervals, and the probability that every label is right.
    diagnostics_ : dict
        ``p_clean``, the probability that every label is right; ``r0`` and ``r1``, the expected
        flip rates, unless noise does not fit the labels; ``slope`` and ``intercept`` of the clean
        posterior, expected; ``p_clean_used``, the probability of no noise behind the map:
        ``p_clean``, or 1 where noise does not fit the labels.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 5000)
    >>> labels = (rng.random(5000) < scores) ^ (rng.random(5000) < 0.2)  # every fifth is wrong
    >>> labels[scores > 0.9].mean().round(1)
    np.float64(0.8)
    >>> NoiseAware().fit(scores, labels).predict([0.9, 0.99]).round(1)
    array([0.9, 1. ])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = KNOWLEDGE_RULES
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "p_clean": "probability that every label is right",
        "r0": "expected share of true negatives labelled positive",
        "r1": "expected share of true positives labelled negative",
        "slope": "of the line through the log-odds",
        "intercept": "of that line",
        "p_clean_used": "p_clean behind the map: 1 where noise does not fit the labels",
    }
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset({"p_clean_used", "r0", "r1"})

    def __init__(
        self,
        *,
        noise_rates: tuple[float, float] | None = None,
        prior_rates: tuple[float, float] | None = None,
        prior_strength: float = PRIOR_STRENGTH,
        prior_clean: float = PRIOR_CLEAN,
        pos_label: Any = None,
    ) -> None:
        self.noise_rates = noise_rates
        self.prior_rates = prior_rates
        self.prior_strength = prior_strength
        self.prior_clean = prior_clean
        self.pos_label = pos_label

    def check_parameters(self) -> None:
        """Refuse parameters outside their documented range."""
        check_knowledge(
            noise_rates=self.noise_rates,
            prior_rates=self.prior_rates,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )

    def hypotheses(self) -> list[Hypothesis]:
        """Prior of the label noise, as the parameters say."""
        return hypotheses(
            noise_rates=self.noise_rates,
            prior_rates=self.prior_rates,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )

    def _fit(self, table: ScoreTable) -> Fitted:
        pooled = pool_by_logit(table)
        posterior = infer(pooled, self.hypotheses())
        believed = posterior.believed
        noise = estimate_from(posterior, pooled)
        described = describe(posterior, noise) | {"p_clean_used": believed.probability_clean}
        return Fitted(posterior_map(believed), described, noise.thinned())


def describe(posterior: Posterior, noise: NoiseEstimate) -> dict[str, float]:
    """Diagnostics that NoiseAware and Auto share; without rates where noise does not fit."""
    r0, r1 = noise.rates_posterior.mean()
    slope, intercept = posterior.believed.mean_line()
    return {
        "p_clean": posterior.probability_clean,
        **({"r0": r0, "r1": r1} if noise.fits else {}),
        "slope": slope,
        "intercept": intercept,
    }
