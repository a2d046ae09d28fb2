"""Functions whose source is copied into exported Python files. They use only math and bisect."""

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import Any


def checked(score: float | None, tolerance: float) -> float | None:
    """Return the score as a float in [0, 1]; None if it is None, NaN or outside.

    >>> checked(0.5, 0.0), checked(None, 0.0), checked(float("nan"), 0.0), checked(1.5, 0.0)
    (0.5, None, None, None)
    """
    if score is None or not -tolerance <= score <= 1.0 + tolerance:
        return None
    return min(max(float(score), 0.0), 1.0)


def from_percent(score: float | None) -> float | None:
    """Return the probability of a percent; None for None.

    >>> from_percent(50), from_percent(None)
    (0.5, None)
    """
    return None if score is None else score / 100.0


def from_logit(score: float | None) -> float | None:
    """Return the probability of a logit; None if it is None, NaN or infinite.

    >>> from_logit(0.0), from_logit(None), from_logit(float("inf"))
    (0.5, None, None)
    """
    return None if score is None or not math.isfinite(score) else sigmoid(score)


def piecewise_linear(p: float, x: list[float], y: list[float]) -> float:
    """Interpolate between knots; the result is constant beyond them.

    >>> piecewise_linear(0.25, [0.0, 0.5], [0.0, 1.0]), piecewise_linear(0.9, [0.5], [0.25])
    (0.5, 0.25)
    >>> piecewise_linear(0.0, [0.0, 5e-324], [0.25, 0.75])
    0.25
    """
    k = bisect_right(x, p)
    if k == 0 or k == len(x):
        return y[max(k - 1, 0)]
    slope = (y[k] - y[k - 1]) / (x[k] - x[k - 1])
    if math.isinf(slope):  # knots are a denormal apart: step at the next knot
        slope = 0.0
    return min(y[k - 1] + (p - x[k - 1]) * slope, y[k])


def beta(p: float, a: float, b: float, c: float) -> float:
    """Return ``sigmoid(a * log(p) - b * log(1 - p) + c)``.

    >>> beta(0.5, 2.0, 2.0, 0.0)
    0.5
    """
    p = min(max(p, 2.0**-40), 1.0 - 2.0**-40)
    return sigmoid(a * math.log(p) - b * math.log1p(-p) + c)


def sigmoid(z: float) -> float:
    """Return ``1 / (1 + exp(-z))`` without overflow.

    >>> sigmoid(-1000.0), sigmoid(0.0), sigmoid(1000.0)
    (0.0, 0.5, 1.0)
    """
    return 0.0 if z < -709.78 else 1.0 / (1.0 + math.exp(-z))


def odds(q: float, against: float) -> float:
    """Multiply the odds against a probability.

    >>> odds(0.5, 4.0), odds(0.0, 4.0), odds(1.0, 4.0)
    (0.2, 0.0, 1.0)
    """
    return 0.0 if q < 1e-300 else 1.0 / (1.0 + (1.0 / q - 1.0) * against)


def normalised(calibrated: list[float], scores: list[float]) -> list[float]:
    """Divide by the sum. Use the scores if it is 0, and equal shares if theirs is 0 too.

    >>> normalised([0.25, 0.75], [0.5, 0.5]), normalised([0.0, 0.0], [0.25, 0.75])
    ([0.25, 0.75], [0.25, 0.75])
    >>> normalised([0.0, 0.0], [0.0, 0.0])
    [0.5, 0.5]
    """
    for values in (calibrated, scores):
        if any(values):
            return [value / sum(values) for value in values]
    return [1.0 / len(scores) for _ in scores]


def self_test(calibrate: Callable[[Any], Any], examples: list[Any]) -> int:
    """Compare with the values at the time of the export. Return 1 if any differs, else 0.

    >>> self_test(lambda score: score, [(0.5, [0.5])])
    OK: 1 examples
    0
    >>> self_test(lambda score: 0.25, [(0.5, [0.5])])
    FAILED: calibrate(0.5) returns 0.25, expected [0.5]
    1
    """
    for score, expected in examples:
        got = calibrate(score)
        values = got if isinstance(got, list) else [got]
        if any(not abs(a - b) <= 1e-12 for a, b in zip(values, expected, strict=True)):
            print(f"FAILED: calibrate({score!r}) returns {got!r}, expected {expected!r}")
            return 1
    print(f"OK: {len(examples)} examples")
    return 0
