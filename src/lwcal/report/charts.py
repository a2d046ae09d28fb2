"""Turn numbers into shapes: where lines, bands, bars and ticks go. A template writes them as SVG.

The pictures are plain SVG and take their colours from the style sheet. They therefore follow the
theme, can be printed, and need no script. A script only adds the tooltips.
"""

from __future__ import annotations

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.metrics import ReliabilityCurve
from lwcal.noise.estimate import NoiseEstimate
from lwcal.report.chart_shapes import (
    TICKS,
    Bar,
    CostChart,
    Frame,
    MapChart,
    Point,
    RateRange,
    RatesChart,
    ReliabilityChart,
    Tick,
    WeightChart,
)
from lwcal.report.report_data import MapCurve, Thresholds, WeightHistogram

EXAMPLES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
"""Scores that are listed with their probability beside the map."""
LIMITS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
"""Possible ends of the axes of a reliability diagram. Each is a whole number of bins."""
BARS = 40
"""Smallest number of bars, unless there are fewer bins."""
ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
STRIP = 44.0
"""Height of the histogram below a reliability diagram."""


def reliability_chart(curve: ReliabilityCurve, counts: FloatArray) -> ReliabilityChart:
    """Draw a curve and the number of rows at each probability."""
    limit = axis_end(curve)
    # the labels of small numbers are wider
    frame = Frame(height=346.0, limit=limit, left=46.0 if limit == 1.0 else 58.0)
    return ReliabilityChart(
        frame,
        diagonal(frame),
        band_of(frame, curve),
        frame.path(curve.predicted, curve.observed),
        points_of(frame, curve),
        _strip(frame, counts),
    )


def map_chart(curve: MapCurve) -> MapChart:
    """Draw the calibrated probability against the score."""
    frame = Frame()
    line = frame.path(curve.scores, curve.probabilities)
    mapped = np.interp(EXAMPLES, curve.scores, curve.probabilities).tolist()
    return MapChart(frame, diagonal(frame), line, list(zip(EXAMPLES, mapped, strict=True)))


def cost_chart(thresholds: Thresholds) -> CostChart:
    """Prepare the axes of cost against threshold. The script writes the costs beside the ticks."""
    frame = Frame(height=260.0, bottom=214.0, left=62.0)
    shown = [*thresholds.edges.tolist(), 1.0]
    places = [round(part * (len(shown) - 1)) for part in TICKS]
    return CostChart(
        frame,
        [Tick(frame.x(place / (len(shown) - 1)), f"{shown[place]:g}") for place in places],
        [Tick(frame.y(part), "") for part in (0.0, 0.5, 1.0)],
        bool(np.ptp(np.diff(shown)) > 1e-6),
    )


def weight_chart(histogram: WeightHistogram) -> WeightChart:
    """Draw the number of labels by their weight in LWCal."""
    frame = Frame(height=260.0, bottom=214.0)
    total = histogram.agreeing + histogram.contradicting
    share = nice_ceiling(float(total.max() / total.sum()))
    most = share * float(total.sum())
    return WeightChart(
        frame,
        _stack(frame, np.zeros_like(total), histogram.agreeing, most, "agree with the model"),
        _stack(frame, histogram.agreeing, histogram.contradicting, most, "contradict the model"),
        [Tick(frame.y(part), f"{100 * part * share:g}%") for part in (0.0, 0.5, 1.0)],
    )


def rates_chart(noise: NoiseEstimate) -> RatesChart:
    """Draw the intervals of the flip rates."""
    frame = Frame(height=140.0, left=16.0, right=344.0, bottom=96.0)
    rates = (
        ("True negatives labelled positive", noise.negative),
        ("True positives labelled negative", noise.positive),
    )
    return RatesChart(
        frame,
        [
            RateRange(
                label,
                rate.interval,
                frame.x(rate.low),
                frame.x(rate.high),
                None if rate.value is None else frame.x(rate.value),
                42.0 + 42.0 * place,
            )
            for place, (label, rate) in enumerate(rates)
        ],
    )


def nice_ceiling(value: float) -> float:
    """Return the smallest round number that is at least a positive value.

    Examples
    --------
    >>> nice_ceiling(0.112), nice_ceiling(2234), nice_ceiling(10)
    (0.12, 2500.0, 10.0)
    """
    power = 10.0 ** np.floor(np.log10(value))
    step = next(step for step in ROUND if step * power >= value * (1.0 - 1e-9))
    return float(f"{step * power:.6g}")


def diagonal(frame: Frame) -> str:
    """Line on which predictions are right."""
    ends = np.array([0.0, frame.limit])
    return frame.path(ends, ends)


def axis_end(*curves: ReliabilityCurve) -> float:
    """Return the end of the axes. It is small for rare events, which would crowd into a corner."""
    most = max(max(curve.predicted.max(), curve.upper.max()) for curve in curves)
    return next(limit for limit in LIMITS if most <= limit)


def band_of(frame: Frame, curve: ReliabilityCurve) -> str:
    """Return the SVG path around the intervals of a curve."""
    there_and_back = np.concatenate([curve.predicted, curve.predicted[::-1]])
    ends = np.concatenate([curve.upper, curve.lower[::-1]])
    return frame.path(there_and_back, ends) + "Z"


def points_of(frame: Frame, curve: ReliabilityCurve) -> list[Point]:
    """Mark the points of a curve."""
    columns = (curve.predicted, curve.observed, curve.lower, curve.upper, curve.weight)
    return [
        Point(
            frame.x(predicted),
            frame.y(observed),
            f"predicted {predicted:.1%}, observed {observed:.1%} "
            f"({lower:.1%} to {upper:.1%}), {weight:,.0f} rows",
        )
        for predicted, observed, lower, upper, weight in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _strip(frame: Frame, counts: FloatArray) -> list[Bar]:
    shown = counts[: round(frame.limit * len(counts))]
    merged = shown.reshape(-1, max(len(shown) // BARS, 1)).sum(axis=1)
    bottom, most = frame.height - 4.0, float(merged.max())
    step = (frame.right - frame.left) / len(merged)
    width = frame.limit / len(merged)
    return [
        Bar(
            round(frame.left + place * step + 0.5, 2),
            round(bottom - STRIP * count / most, 2),
            round(step - 1.0, 2),
            round(STRIP * count / most, 2),
            f"{place * width:.4g} to {(place + 1) * width:.4g}: {count:,.0f} rows",
        )
        for place, count in enumerate(merged.tolist())
        if count > 0
    ]


def _stack(
    frame: Frame, below: FloatArray, counts: FloatArray, most: float, what: str
) -> list[Bar]:
    bins = len(counts)
    step = (frame.right - frame.left) / bins
    return [
        Bar(
            round(frame.left + place * step + 0.75, 2),
            frame.y((base + count) / most),
            round(step - 1.5, 2),
            round(frame.y(base / most) - frame.y((base + count) / most), 2),
            f"weight {place / bins:.2f} to {(place + 1) / bins:.2f}: {count:,.0f} {what}",
        )
        for place, (base, count) in enumerate(zip(below.tolist(), counts.tolist(), strict=True))
        if count > 0
    ]
