"""How many labels are wrong, and whether the data can tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lwcal.arrays import FloatArray
from lwcal.noise.hypotheses import PRIOR_CLEAN, PRIOR_STRENGTH, hypotheses
from lwcal.noise.logit_counts import pooled
from lwcal.noise.posterior import Posterior, infer
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

CERTAIN = 0.05
"""A clean probability below this, or above 1 minus it, counts as certain."""
ENOUGH = 0.05
"""Share of rows that must be certain. On development tasks rates with that much support were
off by 0.04 on average, those with none by 0.09 under injected and 0.2 under natural noise."""


@dataclass(frozen=True)
class RateEstimate:
    """A flip rate, given that there is noise.

    Attributes
    ----------
    value : float or None
        Expected rate; None when it cannot be told from overlap of the classes.
    low, high : float
        Credible interval: what labels and prior leave possible, told or not.
    certain : float
        Share of rows whose true class is all but certain by their score. Only there do wrong
        labels show: elsewhere a label against the score may as well be right.
    """

    value: float | None
    low: float
    high: float
    certain: float

    @property
    def interval(self) -> str:
        """Both ends in percent, with another digit where they would read alike.

        >>> RateEstimate(None, 0.04, 0.23, 0.1).interval
        '4% to 23%'
        >>> RateEstimate(0.1, 0.099, 0.101, 0.1).interval
        '9.9% to 10.1%'
        """
        digits = 0 if f"{self.low:.0%}" != f"{self.high:.0%}" else 1
        return f"{self.low:.{digits}%} to {self.high:.{digits}%}"


@dataclass(frozen=True)
class NoiseEstimate:
    """What scores and labels say about wrong labels, under class-conditional noise.

    Attributes
    ----------
    negative, positive : RateEstimate
        Of r0, the share of true negatives labelled positive, and of r1, the share of true
        positives labelled negative.
    probability_clean : float
        Probability that no label is wrong.
    confidence : float
        Level of the intervals.
    rates_posterior : RatePosterior
        All that is believed of the rates, "no noise" included; corrected metrics take it.
    """

    negative: RateEstimate
    positive: RateEstimate
    probability_clean: float
    confidence: float
    rates_posterior: RatePosterior

    @property
    def identifiable(self) -> bool:
        """Whether both rates can be told."""
        return self.rates is not None

    @property
    def rates(self) -> FlipRates | None:
        """Both expected rates, given that there is noise, or None when one cannot be told."""
        if self.negative.value is None or self.positive.value is None:
            return None
        return FlipRates(self.negative.value, self.positive.value)

    @property
    def sentence(self) -> str:
        """Say it in plain words."""
        told = [
            _told("negatives", "positive", self.negative),
            _told("positives", "negative", self.positive),
        ]
        return (
            f"The probability that no label is wrong is {_percent(self.probability_clean)}. "
            f"If some are: {told[0]}; {told[1]}."
        )

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Everything but the posterior, as types that JSON knows."""
        return {
            "negative": vars(self.negative).copy(),
            "positive": vars(self.positive).copy(),
            "probability_clean": self.probability_clean,
            "identifiable": self.identifiable,
            "confidence": self.confidence,
            "sentence": self.sentence,
        }


def _told(true: str, labelled: str, rate: RateEstimate) -> str:
    if rate.value is None:
        return (
            f"how many true {true} are labelled {labelled} cannot be told from overlap "
            f"({rate.interval}), because {_few(rate.certain)} of the rows are certain {true}"
        )
    return f"{rate.value:.0%} of the true {true} are labelled {labelled} ({rate.interval})"


def _few(share: float) -> str:
    return "fewer than 1%" if share < 0.01 else f"only {share:.0%}"


def _percent(share: float) -> str:
    return "below 1%" if share < 0.01 else f"{min(share, 0.99):.0%}" if share < 0.99 else "over 99%"


def estimate_noise(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    prior_rates: tuple[float, float] | None = None,
    prior_strength: float = PRIOR_STRENGTH,
    prior_clean: float = PRIOR_CLEAN,
    confidence: float = 0.9,
    pos_label: Any = None,
) -> NoiseEstimate:
    """Estimate how many labels of each class are wrong, from scores and labels alone.

    The model is that of :class:`lwcal.NoiseAware`: flip rates that depend on the true class
    only. Real noise often depends on more; then these rates say little, and an audit of a few
    labels says more than any estimate.

    Parameters
    ----------
    scores : one-dimensional, in [0, 1]
        Scores of a model on rows it was not trained on.
    y : one-dimensional, two classes
        Labels of the same rows, possibly wrong.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    prior_rates, prior_strength, prior_clean
        What is known beforehand, as in :class:`lwcal.NoiseAware`.
    confidence : float, default 0.9
        Level of the credible intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Returns
    -------
    NoiseEstimate

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.3, 0.3, 4000)
    >>> truth = rng.beta(2, 2, 4000) < scores  # steeper than the score says, as in most forests
    >>> labels = truth ^ (rng.random(4000) < 0.15)
    >>> estimate = estimate_noise(scores, labels)
    >>> estimate.identifiable, round(estimate.negative.value, 2), round(estimate.positive.value, 2)
    (True, 0.15, 0.15)
    >>> hard = estimate_noise(rng.uniform(0.3, 0.7, 4000), labels)
    >>> hard.identifiable, hard.rates
    (False, None)
    """
    table = ScoreTable.from_arrays(scores, y, sample_weight, pos_label=pos_label)
    table.require_both_classes()
    believed = hypotheses(
        prior_rates=prior_rates, prior_strength=prior_strength, prior_clean=prior_clean
    )
    return estimate_from(infer(table, believed), table, confidence=confidence)


def estimate_from(
    posterior: Posterior, table: ScoreTable, *, confidence: float = 0.9
) -> NoiseEstimate:
    """Read the rates off a posterior that was inferred from the table."""
    check_parameter("confidence", confidence, CONFIDENCE)
    small = pooled(table)
    share = (small.negatives + small.positives) / small.n
    clean = posterior.clean_probability(small.scores)
    given_noise = posterior.with_clean(0.0).rates_posterior
    means, intervals = given_noise.mean(), given_noise.interval(confidence)
    certain = _certain(share, clean)
    negative, positive = (
        RateEstimate(mean if support >= ENOUGH else None, *interval, support)
        for mean, interval, support in zip(means, intervals, certain, strict=True)
    )
    return NoiseEstimate(
        negative, positive, posterior.probability_clean, confidence, posterior.rates_posterior
    )


def _certain(share: FloatArray, clean: FloatArray) -> tuple[float, float]:
    """Shares of rows that are all but certain negatives, and positives."""
    return float(share[clean < CERTAIN].sum()), float(share[clean > 1.0 - CERTAIN].sum())
