"""Words and number formats of the page."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

from lwcal.diagnosis import Diagnosis
from lwcal.noise.estimate import RateEstimate
from lwcal.report.data import ReportData


class Status(NamedTuple):
    """How a verdict looks: its colour, its sign and a word, so that none is needed alone."""

    kind: str
    icon: str
    word: str


class Fact(NamedTuple):
    """A name, a value and what it means."""

    name: str
    value: str
    meaning: str = ""


SAME = 0.005
"""Largest change of a score by a map that leaves scores alone."""
STATUSES = {
    "deploy": Status("good", "✓", "Deploy"),
    "keep raw": Status("neutral", "=", "Keep the raw score"),
    "audit": Status("bad", "!", "Audit labels first"),
}


def facts(data: ReportData) -> list[Fact]:
    """What the page is about, in four numbers."""
    return [
        Fact("Rows", count(data.diagnosis.n)),
        Fact("Labelled positive", percent(data.diagnosis.base_rate)),
        Fact("Calibrator", data.method, f"fitted to {count(data.fitted_rows)} rows"),
        Fact("Date", data.provenance.created[:10]),
    ]


def remarks(data: ReportData) -> list[str]:
    """What the verdict leaves out: this calibrator, if it is another, and trusted labels."""
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
                f"The verdict does not use the trusted labels. On those {count(view.n)}, the NLL "
                f"is {decimal(nll.before)} before and {decimal(nll.after)} after calibration; "
                "lower is better."
            )
    return ""


def noise_facts(diagnosis: Diagnosis) -> list[Fact]:
    """What the labels say of their noise."""
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
        reason = f"{bounded_percent(rate.clear_cases)} of the rows are certain enough to show it"
        return Fact(name, "cannot be told", f"possible: {rate.interval}; {reason}")
    return Fact(name, f"{rate.value:.0%}", f"{rate.interval}, given that some labels are wrong")


def count(value: float) -> str:
    """Rows, or their weight, with separators.

    >>> count(12345), count(0.5)
    ('12,345', '0.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def percent(share: float) -> str:
    """One digit after the point.

    >>> percent(0.1234)
    '12.3%'
    """
    return f"{share:.1%}"


def bounded_percent(share: float) -> str:
    """Never sure, and never impossible.

    >>> bounded_percent(0.0001), bounded_percent(0.25), bounded_percent(0.9999)
    ('below 1%', '25%', 'over 99%')
    """
    if share < 0.01:
        return "below 1%"
    return f"{share:.0%}" if share <= 0.99 else "over 99%"


def decimal(value: float) -> str:
    """Three digits after the point.

    >>> decimal(0.12345)
    '0.123'
    """
    return f"{value:.3f}"


def precise(value: float) -> str:
    """Four digits after the point, for probabilities that can be small.

    >>> precise(0.00042)
    '0.0004'
    """
    return f"{value:.4f}"


def possible(value: float, metric: str) -> str:
    """A metric, not beyond what it can be: corrections for noise can go there.

    >>> possible(-0.2, "NLL"), possible(1.2, "NLL"), possible(1.2, "ECE")
    ('0.000', '1.200', '1.000')
    """
    most = inf if metric.lower() == "nll" else 1.0
    return decimal(min(max(value, 0.0), most))


def interval(ends: tuple[float, float], metric: str) -> str:
    """Both ends, not beyond what the metric can be.

    >>> interval((-0.1, 0.2), "Brier score")
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
