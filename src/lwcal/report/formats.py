"""Number formats of the page."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

LARGEST = {"nll": inf, "class_brier": 2.0}
"""Largest values of metrics, where they are not 1."""


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
    return decimal(min(max(value, 0.0), LARGEST.get(metric, 1.0)))


def interval(ends: tuple[float, float], metric: str) -> str:
    """Format both ends of an interval after clipping them to the range of the metric.

    Examples
    --------
    >>> interval((-0.1, 0.2), "brier")
    '0.000 to 0.200'
    """
    return " to ".join(possible(end, metric) for end in ends)


def change(share: float) -> str:
    r"""Format a relative change with its sign, and a true minus.

    Examples
    --------
    >>> change(-0.171) == "\N{MINUS SIGN}17.1%", change(0.05), change(-0.0001)
    (True, '+5.0%', '0.0%')
    """
    text = f"{share:+.1%}"
    return "0.0%" if text in ("+0.0%", "-0.0%") else text.replace("-", "\N{MINUS SIGN}")


FILTERS: dict[str, Callable[..., str]] = {
    "count": count,
    "percent": percent,
    "decimal": decimal,
    "precise": precise,
    "interval": interval,
    "possible": possible,
}
