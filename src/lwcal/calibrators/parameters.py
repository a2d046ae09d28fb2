"""Allowed parameter values, declared as data beside each calibrator."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, Protocol

from lwcal.errors import ParameterError, message


class Rule(Protocol):
    """What a parameter may be."""

    def allows(self, value: Any) -> bool:
        """Say whether the value may be used."""

    def describe(self) -> str:
        """Say in words what is allowed."""


@dataclass(frozen=True)
class Between:
    """A finite number from ``low`` to ``high``; ``above_low`` leaves the lower end out."""

    low: float
    high: float
    above_low: bool = False

    def allows(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            return False
        number = float(value)
        return self.low <= number <= self.high and not (self.above_low and number == self.low)

    def describe(self) -> str:
        if self.high == float("inf"):
            return f"a number {'above' if self.above_low else 'of at least'} {self.low:g}"
        return f"a number {'above' if self.above_low else 'from'} {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class OneOf:
    """One of a few words."""

    choices: tuple[str, ...]

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.choices

    def describe(self) -> str:
        return "one of " + ", ".join(repr(choice) for choice in self.choices)


def check_parameters(values: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Refuse the first parameter that breaks its rule."""
    for name, rule in rules.items():
        if not rule.allows(values[name]):
            raise ParameterError(message(f"{name} to be {rule.describe()}", f"{values[name]!r}"))
