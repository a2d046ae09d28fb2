"""Sentences and number formats of the page."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

from lwcal.diagnosis import Diagnosis
from lwcal.noise.estimate import RateEstimate
from lwcal.report.report_data import ReportData


class Status(NamedTuple):
    """How a verdict looks: a colour, a sign and a word. Any one of them is enough to read it."""

    kind: str
    icon: str
    word: str


class Fact(NamedTuple):
    """A name, a value and its explanation."""

    name: str
    value: str
    meaning: str = ""


SAME = 0.005
"""A map that changes no score by more than this counts as the raw score."""
STATUSES = {
    "deploy": Status("good", "✓", "Deploy"),
    "keep raw": Status("neutral", "=", "Keep the raw score"),
    "audit": Status("bad", "!", "Audit labels first"),
}


def facts(data: ReportData) -> list[Fact]:
    """Return the four facts at the top of the page."""
    return [
        Fact("Rows", count(data.diagnosis.n)),
        Fact("Labelled positive", percent(data.diagnosis.base_rate)),
        Fact("Calibrator", data.method, f"fitted to {count(data.fitted_rows)} rows"),
        Fact("Date", data.reproduction.created[:10]),
    ]


def remarks(data: ReportData) -> list[str]:
    """Return remarks on what the verdict does not cover: other calibrators and trusted labels."""
    return [remark for remark in (_other_calibrator(data), _trusted(data)) if remark]


def _other_calibrator(data: ReportData) -> str:
    advised = data.diagnosis.recommendation.calibrator
    change = abs(data.map_curve.probabilities - data.map_curve.scores).max()
    if data.method == advised or (advised == "identity" and change < SAME):
        return ""
    name = "the raw score" if advised == "identity" else advised
    return f"The verdict is about {name}; the calibrator on this page is {data.method}."


def _trusted(data: ReportData) -> str:
    for view in data.views:
        if view.key == "trusted":
            nll = view.qualities[0]
            return (
                "The verdict does not use the trusted labels. On the "
                f"{count(view.n)} rows that have one, log loss is {decimal(nll.before)} before and "
                f"{decimal(nll.after)} after calibration. Lower is better."
            )
    return ""


def noise_facts(diagnosis: Diagnosis) -> list[Fact]:
    """Return the facts about the noise of the labels."""
    noise = diagnosis.noise
    return [
        Fact("Probability that no label is wrong", bounded_percent(noise.probability_clean)),
        _rate("True negatives labelled positive", noise.negative),
        _rate("True positives labelled negative", noise.positive),
        Fact("Disagreement d", percent(diagnosis.d), "share of labels that contradict the model"),
        Fact("Gate rho", percent(diagnosis.rho), "share of the raw score that Gated-LWCal keeps"),
    ]


def _rate(name: str, rate: RateEstimate) -> Fact:
    if rate.value is None:
        clear = f"{bounded_percent(rate.clear_cases)} of the rows are clear cases"
        return Fact(name, "cannot be estimated", f"{clear}; plausible values are {rate.interval}")
    return Fact(name, f"{rate.value:.0%}", f"{rate.interval}, if some labels are wrong")


def count(value: float) -> str:
    """Format a number of rows, or their weight, with thousands separators.

    Examples
    --------
    >>> count(12345), count(0.5)
    ('12,345', '0.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def percent(share: float) -> str:
    """Format a share as a percentage with one decimal.

    Examples
    --------
    >>> percent(0.1234)
    '12.3%'
    """
    return f"{share:.1%}"


def bounded_percent(share: float) -> str:
    """Format a probability as a percentage that is never 0% or 100%.

    Examples
    --------
    >>> bounded_percent(0.0001), bounded_percent(0.25), bounded_percent(0.9999)
    ('below 1%', '25%', 'over 99%')
    """
    if share < 0.01:
        return "below 1%"
    return f"{share:.0%}" if share <= 0.99 else "over 99%"


def decimal(value: float) -> str:
    """Format a number with three decimals.

    Examples
    --------
    >>> decimal(0.12345)
    '0.123'
    """
    return f"{value:.3f}"


def precise(value: float) -> str:
    """Format a number with four decimals, for probabilities that can be small.

    Examples
    --------
    >>> precise(0.00042)
    '0.0004'
    """
    return f"{value:.4f}"


def possible(value: float, metric: str) -> str:
    """Format a metric after clipping it to its range, which a correction for noise can leave.

    Examples
    --------
    >>> possible(-0.2, "nll"), possible(1.2, "nll"), possible(1.2, "ece")
    ('0.000', '1.200', '1.000')
    """
    most = inf if metric == "nll" else 1.0
    return decimal(min(max(value, 0.0), most))


def interval(ends: tuple[float, float], metric: str) -> str:
    """Format both ends of an interval after clipping them to the range of the metric.

    Examples
    --------
    >>> interval((-0.1, 0.2), "brier")
    '0.000 to 0.200'
    """
    return " to ".join(possible(end, metric) for end in ends)


FILTERS: dict[str, Callable[..., str]] = {
    "count": count,
    "percent": percent,
    "decimal": decimal,
    "precise": precise,
    "interval": interval,
    "possible": possible,
}
