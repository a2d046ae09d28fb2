"""Reduce the knots of piecewise linear maps, within a given error."""

from dataclasses import replace
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.maps import BlendMap, Map, OddsMap, PiecewiseLinearMap
from lwcal.parameters import Between

ROUNDING = 1e-15
"""Subtracted from the allowed error, to leave room for rounding in the evaluation."""

Knot: TypeAlias = tuple[float, float]


class SlopeRange(NamedTuple):
    """The slopes that a line may have."""

    flattest: float
    steepest: float


ANY_SLOPE = SlopeRange(0.0, inf)


def simplify(fitted: Map, max_error: float) -> Map:
    """Drop knots as long as no value changes by more than ``max_error``.

    One pass from left to right extends each line as long as some slope keeps it within
    ``max_error`` of every knot it passes. No value becomes more extreme than the ends of the map.
    Maps without knots are returned unchanged.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 101)
    >>> curve = PiecewiseLinearMap(x, x**2)
    >>> simple = simplify(curve, 0.01)
    >>> knot_count(simple), largest_error(curve, simple) <= 0.01
    (5, True)
    """
    if not Between(0.0, 1.0).allows(max_error):
        raise ParameterError(message("max_error to be a number from 0 to 1", f"{max_error!r}"))
    if max_error <= ROUNDING:
        return fitted
    if isinstance(fitted, BlendMap) and fitted.rho < 1.0:
        allowed = (max_error - ROUNDING) / (1.0 - fitted.rho)
        return replace(fitted, inner=simplify(fitted.inner, min(allowed, 1.0)))
    if isinstance(fitted, OddsMap):
        allowed = (max_error - ROUNDING) / _steepest(fitted)
        return replace(fitted, inner=simplify(fitted.inner, allowed))
    if not isinstance(fitted, PiecewiseLinearMap):
        return fitted
    simple = PiecewiseLinearMap(*_sweep(fitted.x, fitted.y, max_error - ROUNDING))
    # knots that are a denormal apart have no usable slope, so the result is verified
    return simple if largest_error(fitted, simple) <= max_error else fitted


def largest_error(fitted: Map, simple: Map) -> float:
    """Return the largest difference between a map and its simplification.

    Both are linear between the knots of the first, so only the ends of its pieces are compared.
    For a map of odds, it is a bound: that of the inner map times the steepest rise.
    """
    if isinstance(fitted, BlendMap) and isinstance(simple, BlendMap):
        return (1.0 - fitted.rho) * largest_error(fitted.inner, simple.inner)
    if isinstance(fitted, OddsMap) and isinstance(simple, OddsMap):
        return _steepest(fitted) * largest_error(fitted.inner, simple.inner)
    x = _knots_of(fitted)
    ends = np.concatenate((x, np.nextafter(x, 0.0)))
    return float(np.abs(fitted(ends) - simple(ends)).max()) if len(x) else 0.0


def knot_count(fitted: Map) -> int:
    """Return the number of knots; 0 for maps without knots."""
    return len(_knots_of(fitted))


def _knots_of(fitted: Map) -> FloatArray:
    if isinstance(fitted, BlendMap | OddsMap):
        return _knots_of(fitted.inner)
    return fitted.x if isinstance(fitted, PiecewiseLinearMap) else np.empty(0)


def _steepest(fitted: OddsMap) -> float:
    """How many times a change of the inner map can be felt: at 0 or at 1."""
    return max(fitted.factor, fitted.against)


def _sweep(x: FloatArray, y: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Choose knots. Each value is as close to the original as its line allows."""
    knots = list(zip(x.tolist(), y.tolist(), strict=True))
    highest = knots[-1][
        1
    ]  # no value may be more certain than the original: 0.999 must not become 1
    chosen, passed, slopes = [knots[0]], knots[0], ANY_SLOPE
    for knot in knots[1:]:
        low, high = knot[1] - reach, min(knot[1] + reach, highest)
        narrower = _narrowed(slopes, chosen[-1], knot[0], low, high)
        if narrower.flattest > narrower.steepest:
            chosen.append(_end_of_line(chosen[-1], passed, slopes, highest))
            narrower = _narrowed(ANY_SLOPE, chosen[-1], knot[0], low, high)
        passed, slopes = knot, narrower
    if passed is not knots[0]:
        chosen.append(_end_of_line(chosen[-1], passed, slopes, highest))
    return np.array([x for x, _ in chosen]), np.array([y for _, y in chosen])


def _narrowed(slopes: SlopeRange, start: Knot, x: float, low: float, high: float) -> SlopeRange:
    """Return the slopes of lines from ``start`` that also pass between two values at ``x``."""
    run = x - start[0]
    flattest, steepest = (low - start[1]) / run, (high - start[1]) / run
    # a line falls only through rounding, because values before a knot are not above it
    return SlopeRange(max(slopes.flattest, flattest), min(slopes.steepest, max(steepest, 0.0)))


def _end_of_line(start: Knot, knot: Knot, slopes: SlopeRange, highest: float) -> Knot:
    """Return the end of the line from ``start``: the knot, or the closest possible point."""
    run = knot[0] - start[0]
    slope = min(max((knot[1] - start[1]) / run, slopes.flattest), slopes.steepest)
    return knot[0], min(max(start[1] + slope * run, start[1]), highest)
