"""What a chart is made of: lines, bands, bars and ticks in a rectangle, for a template to draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lwcal.arrays import FloatArray

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Bar(NamedTuple):
    """A rectangle, and what it says under the pointer."""

    x: float
    y: float
    width: float
    height: float
    tip: str


class Point(NamedTuple):
    """A mark, and what it says under the pointer."""

    x: float
    y: float
    tip: str


class Tick(NamedTuple):
    """A place on an axis, and the text there."""

    at: float
    text: str


@dataclass(frozen=True)
class Frame:
    """The rectangle that a chart draws in: 0 to ``limit``, left to right and bottom to top.

    >>> frame = Frame()
    >>> frame.x(0.0) == frame.left, frame.y(1.0) == frame.top
    (True, True)
    """

    width: float = 360.0
    height: float = 300.0
    left: float = 46.0
    right: float = 348.0
    top: float = 12.0
    bottom: float = 256.0
    limit: float = 1.0

    def x(self, value: float) -> float:
        """Place of a value from left to right."""
        return round(self.left + value / self.limit * (self.right - self.left), 2)

    def y(self, value: float) -> float:
        """Place of a value from bottom to top."""
        return round(self.bottom - value / self.limit * (self.bottom - self.top), 2)

    @property
    def x_ticks(self) -> list[Tick]:
        """Ticks below."""
        return [Tick(self.x(part * self.limit), f"{part * self.limit:g}") for part in TICKS]

    @property
    def y_ticks(self) -> list[Tick]:
        """Ticks at the left."""
        return [Tick(self.y(part * self.limit), f"{part * self.limit:g}") for part in TICKS]

    def path(self, xs: FloatArray, ys: FloatArray) -> str:
        """A line through points."""
        pairs = zip(xs.tolist(), ys.tolist(), strict=True)
        return "M" + "L".join(f"{self.x(x):g} {self.y(y):g}" for x, y in pairs)


class CostChart(NamedTuple):
    """Axes for the explorer's script: evenly from threshold to threshold."""

    frame: Frame
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    uneven: bool


class ReliabilityChart(NamedTuple):
    """One reliability diagram with a histogram below."""

    frame: Frame
    diagonal: str
    band: str
    line: str
    points: list[Point]
    bars: list[Bar]


class MapChart(NamedTuple):
    """The map, the straight line of a score that is left alone, and some pairs of both."""

    frame: Frame
    diagonal: str
    line: str
    pairs: list[tuple[float, float]]


class WeightChart(NamedTuple):
    """Bars of two kinds, one on top of the other."""

    frame: Frame
    agreeing: list[Bar]
    contradicting: list[Bar]
    y_ticks: list[Tick]


class Interval(NamedTuple):
    """A range on a line, with a mark where a value can be told."""

    label: str
    text: str
    low: float
    high: float
    value: float | None
    y: float


class IntervalChart(NamedTuple):
    """Ranges, one below the other."""

    frame: Frame
    intervals: list[Interval]
