"""Shapes of a chart: lines, bands, bars and ticks in a rectangle, which a template draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lwcal.arrays import FloatArray

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Bar(NamedTuple):
    """A rectangle and its tooltip."""

    x: float
    y: float
    width: float
    height: float
    tip: str


class Point(NamedTuple):
    """A mark and its tooltip."""

    x: float
    y: float
    tip: str


class Tick(NamedTuple):
    """A position on an axis and the text there."""

    at: float
    text: str


@dataclass(frozen=True)
class Frame:
    """The rectangle of a chart: 0 to ``limit`` from left to right and from bottom to top.

    Examples
    --------
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
        """Return the horizontal position of a value."""
        return round(self.left + value / self.limit * (self.right - self.left), 2)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        return round(self.bottom - value / self.limit * (self.bottom - self.top), 2)

    @property
    def x_ticks(self) -> list[Tick]:
        """Ticks of the horizontal axis."""
        return [Tick(self.x(part * self.limit), f"{part * self.limit:g}") for part in TICKS]

    @property
    def y_ticks(self) -> list[Tick]:
        """Ticks of the vertical axis."""
        return [Tick(self.y(part * self.limit), f"{part * self.limit:g}") for part in TICKS]

    @property
    def percent_ticks(self) -> list[Tick]:
        """Ticks of the horizontal axis, in percent."""
        parts = [part * self.limit for part in TICKS]
        return [Tick(self.x(part), f"{100 * part:g}%") for part in parts]

    def path(self, xs: FloatArray, ys: FloatArray) -> str:
        """Return the SVG path of a line through points."""
        pairs = zip(xs.tolist(), ys.tolist(), strict=True)
        return "M" + "L".join(f"{self.x(x):g} {self.y(y):g}" for x, y in pairs)


class CostChart(NamedTuple):
    """Axes of the threshold explorer. Neighbouring thresholds are equally far apart."""

    frame: Frame
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    uneven: bool


class ReliabilityChart(NamedTuple):
    """A reliability diagram with a histogram below."""

    frame: Frame
    diagonal: str
    band: str
    line: str
    points: list[Point]
    bars: list[Bar]


class MapChart(NamedTuple):
    """The map, the diagonal of an unchanged score, and some pairs of score and probability."""

    frame: Frame
    diagonal: str
    line: str
    pairs: list[tuple[float, float]]


class WeightChart(NamedTuple):
    """Bars of two kinds, stacked."""

    frame: Frame
    agreeing: list[Bar]
    contradicting: list[Bar]
    y_ticks: list[Tick]


class RateRange(NamedTuple):
    """The interval of a flip rate on a line, with a dot if the rate can be estimated."""

    label: str
    text: str
    low: float
    high: float
    value: float | None
    y: float


class RatesChart(NamedTuple):
    """The intervals of both flip rates, one below the other."""

    frame: Frame
    ranges: list[RateRange]
