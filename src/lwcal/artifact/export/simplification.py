"""Piecewise linear maps with fewer knots, within a stated distance of the original."""

from dataclasses import replace
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.maps import BlendMap, Map, PiecewiseLinearMap
from lwcal.parameters import Between

ROUNDING = 1e-15
"""Kept back from the allowed error, so that rounding in the evaluation stays within it too."""

Knot: TypeAlias = tuple[float, float]


class Cone(NamedTuple):
    """Slopes that a line may have."""

    flattest: float
    steepest: float


EVERY_SLOPE = Cone(0.0, inf)


def simplify(fitted: Map, max_error: float) -> Map:
    """Leave out knots as long as no value moves by more than ``max_error``.

    One pass from left to right: each line goes on as long as some slope keeps it within
    reach of every knot it passes. No value becomes more extreme than the ends of the map.
    Maps without knots are returned as they are.

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
    if not isinstance(fitted, PiecewiseLinearMap):
        return fitted
    simple = PiecewiseLinearMap(*_sweep(fitted.x, fitted.y, max_error - ROUNDING))
    # knots a denormal apart have no slope to reason about; the promise is checked, not assumed
    return simple if largest_error(fitted, simple) <= max_error else fitted


def largest_error(fitted: Map, simple: Map) -> float:
    """Largest distance between a map and its simplification.

    Both are linear between the knots of the first, so the ends of those stretches decide.
    """
    x = _knots_of(fitted)
    ends = np.concatenate((x, np.nextafter(x, 0.0)))
    return float(np.abs(fitted(ends) - simple(ends)).max()) if len(x) else 0.0


def knot_count(fitted: Map) -> int:
    """Number of knots; 0 for maps that have none."""
    return len(_knots_of(fitted))


def _knots_of(fitted: Map) -> FloatArray:
    if isinstance(fitted, BlendMap):
        return _knots_of(fitted.inner)
    return fitted.x if isinstance(fitted, PiecewiseLinearMap) else np.empty(0)


def _sweep(x: FloatArray, y: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Choose knots; the value at each is as near to the original as its line allows."""
    knots = list(zip(x.tolist(), y.tolist(), strict=True))
    highest = knots[-1][1]  # never more certain than the original: 0.999 must not become 1
    chosen, passed, cone = [knots[0]], knots[0], EVERY_SLOPE
    for knot in knots[1:]:
        low, high = knot[1] - reach, min(knot[1] + reach, highest)
        narrower = _narrowed(cone, chosen[-1], knot[0], low, high)
        if narrower.flattest > narrower.steepest:
            chosen.append(_end_of_line(chosen[-1], passed, cone, highest))
            narrower = _narrowed(EVERY_SLOPE, chosen[-1], knot[0], low, high)
        passed, cone = knot, narrower
    if passed is not knots[0]:
        chosen.append(_end_of_line(chosen[-1], passed, cone, highest))
    return np.array([x for x, _ in chosen]), np.array([y for _, y in chosen])


def _narrowed(cone: Cone, start: Knot, x: float, low: float, high: float) -> Cone:
    """The slopes from ``start`` that also pass between two values at ``x``."""
    run = x - start[0]
    flattest, steepest = (low - start[1]) / run, (high - start[1]) / run
    # no line has to fall but for rounding: the values before a knot are not above it
    return Cone(max(cone.flattest, flattest), min(cone.steepest, max(steepest, 0.0)))


def _end_of_line(start: Knot, knot: Knot, cone: Cone, highest: float) -> Knot:
    """Where the line from ``start`` ends: at the knot if it may, else as near as it can."""
    run = knot[0] - start[0]
    slope = min(max((knot[1] - start[1]) / run, cone.flattest), cone.steepest)
    return knot[0], min(max(start[1] + slope * run, start[1]), highest)
