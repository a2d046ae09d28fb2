"""Targets of a benchmark, and whether a run met them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.results import Results

Measure = Callable[[Results, int], float | None]
"""A value at a number of rows, or None if it was not measured there."""
MISSED = "**missed**"


@dataclass(frozen=True)
class Aim(ABC):
    """A value that must be at least, or at most, a target."""

    what: str
    target: float
    at_least: bool
    unit: str
    measure: Measure
    why: str = field(default="", kw_only=True)
    """Why it may be missed; shown where it is."""

    def describe_target(self) -> str:
        """The target in words."""
        return f"at {'least' if self.at_least else 'most'} {self.target:g} {self.unit}"

    def is_missed(self, results: Results) -> bool:
        """Whether this run missed it."""
        return self.describe_measured(results).endswith(MISSED)

    @abstractmethod
    def describe_measured(self, results: Results) -> str:
        """The measured value, and a verdict if what was measured allows one."""

    def is_met(self, value: float) -> bool:
        """Whether a value is on the right side of the target."""
        return value >= self.target if self.at_least else value <= self.target

    def _in_words(self, value: float) -> str:
        return f"{value:.{2 if value < 10 else 1}f} {self.unit}"


@dataclass(frozen=True)
class Promise(Aim):
    """A target at one number of rows. A run with fewer rows shows its value, without a verdict."""

    task: str
    rows: int
    beside: Callable[[Results, int], str] = lambda results, rows: ""

    def describe_measured(self, results: Results) -> str:
        """The measured value, with a verdict if the number of rows is that of the target."""
        rows = self._rows_measured(results)
        if rows is None:
            return "not measured"
        value = self.measure(results, rows)
        text = f"{self._in_words(value)}{self.beside(results, rows)}"
        if rows != self.rows:
            return f"{text} at {rows:,} rows; not measured at {self.rows:,}"
        return f"{text}: {'met' if self.is_met(value) else MISSED}"

    def _rows_measured(self, results: Results) -> int | None:
        sizes = [n for n in results.sizes(self.task) if self.measure(results, n) is not None]
        return self.rows if self.rows in sizes else max(sizes, default=None)


@dataclass(frozen=True)
class WorstPromise(Aim):
    """A target at several numbers of rows, of which the worst counts.

    One number of rows that misses the target decides. The target is met only if all were measured.
    """

    sizes: tuple[int, ...]

    def describe_measured(self, results: Results) -> str:
        """The worst value with its number of rows, and the verdict."""
        measured = {rows: self.measure(results, rows) for rows in self.sizes}
        known = {rows: value for rows, value in measured.items() if value is not None}
        if not known:
            return "not measured"
        worst = (min if self.at_least else max)(known, key=lambda rows: known[rows])
        text = f"{self._in_words(known[worst])} at {worst:,} rows"
        if not self.is_met(known[worst]):
            return f"{text}: {MISSED}"
        missing = [rows for rows in self.sizes if rows not in known]
        if missing:
            return f"{text}; not measured {_range(missing)}"
        return f"{text}: met"


def _range(sizes: list[int]) -> str:
    """Numbers of rows in words, by the first and the last."""
    first, last = sizes[0], sizes[-1]
    return f"at {first:,}" if first == last else f"from {first:,} to {last:,}"
