"""NoiseAware: the clean posterior behind noisy labels, averaged over what cannot be known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.maps import PiecewiseLinearMap
from lwcal.noise.hypotheses import KNOWLEDGE_RULES, PRIOR_CLEAN, PRIOR_STRENGTH, hypotheses
from lwcal.noise.logit_counts import score_at, soft_logit
from lwcal.noise.posterior import Posterior, infer
from lwcal.parameters import Rule
from lwcal.table import ScoreTable

KNOTS = 16
"""Knots per unit of log-odds of the score."""
STRICT = 1e-9
"""Share of a straight line in the map: doubles near 0 and 1 would else be equal."""


class NoiseAware(Calibrator):
    """Fit the clean posterior through the noise, and average over its possible causes.

    Noisy labels are modelled as a class-conditional corruption of a clean posterior,
    ``P(noisy = 1 | z) = r0 + (1 - r0 - r1) * sigmoid(a * z + b)`` with z the log-odds of the
    score. Four hypotheses compete: no noise; no noise, but a model that overstates its
    extremes; one flip rate for both classes; one for each. The probability of a score is the
    average of ``sigmoid(a * z + b)`` over all slopes, intercepts, rates and hypotheses,
    weighted by how well they explain the labels. None of them is quite true, so the map weighs
    them by what a thousand rows could say at most. No clean label is needed. The map strictly
    increases, so ranking and AUC stay as they were (but for scores that differ in their last
    bits), and it never reaches 0 or 1.

    Parameters
    ----------
    noise_rates : pair of float, optional
        Flip rates (r0, r1) when they are known: r0 of true negatives, r1 of true positives.
    prior_rates : pair of float, optional
        Flip rates that are expected, such as from an earlier audit.
    prior_strength : float, default 10
        How many checked labels that expectation is worth.
    prior_clean : float, default 0.35
        Probability, before any label is seen, that none is wrong.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``p_clean``, the probability that no label is wrong; ``r0`` and ``r1``, the expected
        flip rates; ``slope`` and ``intercept``, expected, of the clean posterior;
        ``p_clean_used``, the probability of no noise that the map was made with.

    Examples
    --------
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
        "p_clean": "probability that no label is wrong",
        "r0": "expected share of true negatives labelled positive",
        "r1": "expected share of true positives labelled negative",
        "slope": "of the line through the log-odds",
        "intercept": "of that line",
        "p_clean_used": "p_clean as the map has it, which hedges against a model that is not true",
    }
    later_diagnostics: ClassVar[frozenset[str]] = frozenset({"p_clean_used"})

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
        self._hypotheses()

    def _hypotheses(self) -> Any:
        return hypotheses(
            noise_rates=self.noise_rates,
            prior_rates=self.prior_rates,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )

    def _fit(self, table: ScoreTable) -> Fitted:
        posterior = infer(table, self._hypotheses())
        hedged = posterior.hedged
        described = describe(posterior) | {"p_clean_used": hedged.probability_clean}
        return Fitted(tabulated(hedged), described)


class Smooth(Protocol):
    """A probability that does not decrease with the score."""

    @property
    def softness(self) -> float:
        """Softening of the log-odds, which says how close to 0 and 1 knots are needed."""

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score."""


def tabulated(posterior: Smooth) -> PiecewiseLinearMap:
    """Average of the possible worlds as straight lines between knots, strictly increasing."""
    x = _knots(posterior.softness)
    # where the average is all but 0 or 1, its rounding can exceed what it gains from knot to knot
    average = np.maximum.accumulate(posterior.clean_probability(x))
    return PiecewiseLinearMap(x, (1.0 - 2.0 * STRICT) * average + STRICT * (0.5 + x))


def _knots(soft: float) -> FloatArray:
    """Scores from 0 to 1 at even steps of their log-odds."""
    top = float(soft_logit(np.ones(1), soft)[0])
    inner = score_at(np.linspace(-top, top, 2 * int(np.ceil(top * KNOTS)) + 1)[1:-1], soft)
    return np.concatenate([[0.0], inner, [1.0]])


def describe(posterior: Posterior) -> dict[str, float]:
    """Diagnostics that every calibrator with a noise model has."""
    r0, r1 = posterior.rates_posterior.mean()
    slope, intercept = posterior.mean_line()
    clean = posterior.probability_clean
    return {"p_clean": clean, "r0": r0, "r1": r1, "slope": slope, "intercept": intercept}
