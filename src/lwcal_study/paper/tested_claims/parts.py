"""A claim consists of parts. Each part holds or does not, and says what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

Outcome: TypeAlias = Literal["holds", "holds in part", "does not hold"]
OUTCOMES: tuple[Outcome, ...] = ("holds", "holds in part", "does not hold")


class Part(NamedTuple):
    """One statement of a claim.

    Attributes
    ----------
    text : str
        The statement.
    holds : bool
        Whether the cells agree with it.
    measured : str
        The numbers that decide.
    sure : bool or None
        Whether the interval by data set excludes zero. None if no two methods are compared.
    """

    text: str
    holds: bool
    measured: str
    sure: bool | None = None


def outcome_of(parts: Iterable[Part]) -> Outcome:
    """Outcome of a claim whose parts all hold, partly hold, or do not hold.

    >>> outcome_of([Part("a", True, "1"), Part("b", False, "0")])
    'holds in part'
    """
    held = [part.holds for part in parts]
    if all(held):
        return "holds"
    return "holds in part" if any(held) else "does not hold"
