"""Checks of the few parameters that metrics have."""

from math import isfinite
from numbers import Integral, Real
from typing import Any

from lwcal.errors import ParameterError, message


def check_count(name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ParameterError(message(f"{name} to be a whole number of at least 1", f"{value!r}"))


def check_number(name: str, value: Any, low: float, high: float, *, ends: bool) -> None:
    """Refuse what is not a number from low to high; ``ends`` says whether these are allowed."""
    number = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if number and (low < value < high or (ends and value in (low, high))):
        return
    wanted = f"from {low:g} to {high:g}" if ends else f"between {low:g} and {high:g}"
    raise ParameterError(message(f"{name} to be a number {wanted}", f"{value!r}"))


def check_confidence(confidence: Any) -> None:
    """Refuse a confidence level that no interval can have."""
    check_number("confidence", confidence, 0.0, 1.0, ends=False)
