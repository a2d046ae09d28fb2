"""Estimate how many labels are wrong, and whether that is identified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lwcal.estimates import whole_percent
from lwcal.noise.clear_cases import clear_cases
from lwcal.noise.forward import Hypothesis
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.posterior import Posterior
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.table import ScoreTable

LEAST_CLEAR_SHARE = 0.05
"""Share of clear cases that identifies a rate. On development tasks, rates with that many clear
cases were off by 0.04 on average. Without any they were off by 0.09 under injected noise, and by
0.2 under natural noise."""


MISFIT_SENTENCE = (
    "Random label noise fits these rows worse than right labels do, with a curve of any smooth "
    "shape. So no share of wrong labels is reported. Only checked labels can prove that "
    "labels are right."
)


@dataclass(frozen=True)
class RateEstimate:
    """A flip rate, given that some labels are wrong.

    Attributes
    ----------
    value : float or None
        Expected rate; None if there are too few clear cases to estimate it, or if noise does not
        fit the labels.
    low, high : float
        Credible interval, which labels and prior leave possible even without a value; 0 and 1 if
        noise does not fit the labels.
    clear_cases : float
        Share of rows whose score makes the true class nearly certain. Wrong labels show only
        there: elsewhere, a label that contradicts the score may be right.

    Examples
    --------
    >>> str(RateEstimate(0.2, 0.1, 0.3, clear_cases=0.4))
    '20% (10% to 30%)'
    >>> str(RateEstimate(None, 0.18, 0.25, clear_cases=0.01))
    'too few clear cases to estimate; plausible values are 18% to 25%'
    >>> str(UNKNOWN)
    'not reported, because noise does not fit the labels'
    """

    value: float | None
    low: float
    high: float
    clear_cases: float

    @property
    def interval(self) -> str:
        """Both ends in percent, with one more digit where they would read the same.

        >>> RateEstimate(None, 0.04, 0.23, 0.1).interval
        '4% to 23%'
        >>> RateEstimate(0.1, 0.099, 0.101, 0.1).interval
        '9.9% to 10.1%'
        """
        digits = 0 if f"{self.low:.0%}" != f"{self.high:.0%}" else 1
        return f"{whole_percent(self.low, digits)} to {whole_percent(self.high, digits)}"

    def __str__(self) -> str:
        if self == UNKNOWN:
            return "not reported, because noise does not fit the labels"
        if self.value is None:
            return f"too few clear cases to estimate; plausible values are {self.interval}"
        return f"{whole_percent(self.value)} ({self.interval})"


IMPOSSIBLE = 1e-6
"""A probability this small means that a check has found a wrong label."""
UNKNOWN = RateEstimate(None, 0.0, 1.0, clear_cases=0.0)
"""A rate of which nothing is known, because noise does not fit the labels."""


@dataclass(frozen=True)
class NoiseEstimate:
    """An estimate of class-conditional label noise.

    Attributes
    ----------
    negative, positive : RateEstimate
        Estimates of r0, the share of true negatives that are labelled positive, and of r1, the
        share of true positives that are labelled negative.
    probability_clean : float
        Probability that every label is right; tempered, as it is in the map.
    confidence : float
        Level of the intervals.
    rates_posterior : RatePosterior
        Posterior of the flip rates, including "no noise"; corrected metrics accept it. Both rates
        are 0 if noise does not fit the labels.
    """

    negative: RateEstimate
    positive: RateEstimate
    probability_clean: float
    confidence: float
    rates_posterior: RatePosterior

    @property
    def fits(self) -> bool:
        """Whether noise explains the labels about as well as right labels of any smooth shape."""
        return (self.negative, self.positive) != (UNKNOWN, UNKNOWN)

    @property
    def identified(self) -> bool:
        """Whether the data identify both rates."""
        return self.rates is not None

    @property
    def rates(self) -> FlipRates | None:
        """Both expected rates, given noise; None if one of them is not identified."""
        if self.negative.value is None or self.positive.value is None:
            return None
        return FlipRates(self.negative.value, self.positive.value)

    @property
    def sentence(self) -> str:
        """The estimate in plain words."""
        if not self.fits:
            return MISFIT_SENTENCE
        negative = _clause("negatives", "positive", self.negative)
        positive = _clause("positives", "negative", self.positive)
        rates = f"{negative}. {positive[0].upper()}{positive[1:]}."
        if self.probability_clean < IMPOSSIBLE:
            return f"Some labels are wrong: {rates}"
        return (
            f"The probability that no label is wrong is {percent(self.probability_clean)}. "
            f"If some are wrong, {rates}"
        )

    def __str__(self) -> str:
        return self.sentence

    def thinned(self) -> NoiseEstimate:
        """The same estimate with few enough draws of the rates to be stored."""
        return replace(self, rates_posterior=self.rates_posterior.thinned())

    def to_dict(self) -> dict[str, Any]:
        """Everything but the posterior, for JSON."""
        return {
            "negative": asdict(self.negative),
            "positive": asdict(self.positive),
            "probability_clean": self.probability_clean,
            "fits": self.fits,
            "identified": self.identified,
            "confidence": self.confidence,
            "sentence": self.sentence,
        }


def _clause(true: str, labelled: str, rate: RateEstimate) -> str:
    if rate.value is None:
        return (
            f"there are too few clear cases to estimate how many true {true} are labelled "
            f"{labelled}; plausible values are {rate.interval}"
        )
    return (
        f"{whole_percent(rate.value)} of the true {true} are labelled {labelled} ({rate.interval})"
    )


def percent(share: float) -> str:
    """A share in percent, in words near 0 and 1."""
    return "below 1%" if share < 0.01 else f"{share:.0%}" if share < 0.99 else "over 99%"


def estimate_table(
    table: ScoreTable, prior: Sequence[Hypothesis] | None = None, *, confidence: float = 0.9
) -> NoiseEstimate:
    """Estimate the flip rates of two classes from pooled labels.

    Parameters
    ----------
    table : ScoreTable
    prior : sequence of Hypothesis, optional
        Prior knowledge; default: none.
    confidence : float, default 0.9
        Level of the credible intervals.

    Examples
    --------
    >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[70, 30], positives=[30, 70])
    >>> estimate_table(table).identified
    False
    """
    table.require_both_classes()
    pooled = pool_by_logit(table)
    posterior = infer(pooled, hypotheses() if prior is None else prior)
    return estimate_from(posterior, pooled, confidence=confidence)


def estimate_from(
    posterior: Posterior, table: ScoreTable, *, confidence: float = 0.9
) -> NoiseEstimate:
    """Summarise a posterior as flip rates with intervals.

    Parameters
    ----------
    posterior : Posterior
        Inferred from the table.
    table : ScoreTable
        Pooled by :func:`lwcal.noise.logit_counts.pool_by_logit`.
    confidence : float, default 0.9
        Level of the credible intervals.
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    if not posterior.noise_fits:
        believed = posterior.believed.rates_posterior
        return NoiseEstimate(UNKNOWN, UNKNOWN, posterior.probability_clean, confidence, believed)
    given_noise = posterior.with_probability_clean(0.0).rates_posterior
    means, intervals = given_noise.mean(), given_noise.interval(confidence)
    shares = clear_cases(table, posterior.clean_probability)
    negative, positive = (
        rate_estimate(mean, low, high, share)
        for mean, (low, high), share in zip(means, intervals, shares, strict=True)
    )
    return NoiseEstimate(
        negative, positive, posterior.probability_clean, confidence, posterior.rates_posterior
    )


def rate_estimate(value: float, low: float, high: float, share: float) -> RateEstimate:
    """Leave the value out unless there are enough clear cases, or the rate is known."""
    identified = share >= LEAST_CLEAR_SHARE or low == high
    return RateEstimate(value if identified else None, low, high, share)
