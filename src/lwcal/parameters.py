"""Rules for parameters, declared as data beside the functions that take them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, Literal, Protocol

from lwcal.errors import ParameterError, message


class Rule(Protocol):
    """A rule for the values of a parameter."""

    def allows(self, value: Any) -> bool:
        """Whether the value is allowed."""

    def describe(self) -> str:
        """Describe the allowed values."""


@dataclass(frozen=True)
class Between:
    """A finite number from ``low`` to ``high``; ends that are ``open`` are excluded."""

    low: float
    high: float
    open: Literal["none", "low", "both"] = "none"

    def allows(self, value: Any) -> bool:
        # the test for any real number takes longer than all others, and most values are floats
        if type(value) is not float and (isinstance(value, bool) or not isinstance(value, Real)):
            return False
        try:
            number = float(value)
        except OverflowError:  # a whole number beyond all floats
            return False
        if not isfinite(number):
            return False
        above = number > self.low or (number == self.low and self.open == "none")
        below = number < self.high or (number == self.high and self.open != "both")
        return above and below

    def describe(self) -> str:
        if self.high == inf:
            return f"a number {'of at least' if self.open == 'none' else 'above'} {self.low:g}"
        words = {
            "none": "from {} to {}",
            "low": "above {}, up to {}",
            "both": "between {} and {}",
        }
        return "a number " + words[self.open].format(f"{self.low:g}", f"{self.high:g}")


@dataclass(frozen=True)
class Count:
    """A whole number of at least 1."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1

    def describe(self) -> str:
        return "a whole number of at least 1"


SHARE = Between(0.0, 1.0)
CONFIDENCE = Between(0.0, 1.0, open="both")
COUNT = Count()


@dataclass(frozen=True)
class OneOf:
    """One of several words."""

    choices: tuple[str, ...]

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.choices

    def describe(self) -> str:
        return "one of " + ", ".join(repr(choice) for choice in self.choices)


def check_parameters(values: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Refuse the first parameter that breaks its rule."""
    for name, rule in rules.items():
        check_parameter(name, values[name], rule)


def check_parameter(name: str, value: Any, rule: Rule) -> None:
    """Refuse a value that breaks the rule.

    >>> check_parameter("keep", 2.0, Between(0.0, 1.0, open="low"))
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected keep to be a number above 0, up to 1, got 2.0.
    """
    if not rule.allows(value):
        raise ParameterError(message(f"{name} to be {rule.describe()}", f"{value!r}"))
