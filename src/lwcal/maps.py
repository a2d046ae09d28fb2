"""Monotone maps from scores to calibrated probabilities.

A map is plain data: it can be called, and written as JSON. Its constructor checks it, so every
map that exists is non-decreasing and stays in [0, 1].
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.errors import ArtifactError, InputError, ParameterError, message
from lwcal.kernels.pure import LOG_CLIP
from lwcal.numerics.sigmoid import expit
from lwcal.rows import ArrayLike, as_scores

LEAST_FACTOR = 1e-9
"""Odds change by no smaller factor, and by none above its inverse: nothing overflows."""


class Map(ABC):
    """A non-decreasing function from [0, 1] to [0, 1]."""

    kind: ClassVar[str]

    def __call__(self, scores: ArrayLike) -> FloatArray:
        """Map scores; raise ``InputError`` if any is missing or outside [0, 1]."""
        return self.apply_unchecked(as_scores(scores))

    @abstractmethod
    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        """Map a contiguous array of scores in [0, 1]. The caller has checked them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the map as types that JSON can represent."""

    @classmethod
    @abstractmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """Rebuild the map from the result of ``to_dict``."""


@dataclass(frozen=True)
class IdentityMap(Map):
    """The raw score.

    >>> IdentityMap()(np.array([0.25]))
    array([0.25])
    """

    kind: ClassVar[str] = "identity"

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        return scores.copy()

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls()


@dataclass(frozen=True, eq=False)
class PiecewiseLinearMap(Map):
    """Straight lines between knots, constant beyond them.

    Parameters
    ----------
    x : one-dimensional, in [0, 1]
        Scores at the knots, strictly increasing.
    y : one-dimensional, in [0, 1]
        Probabilities at the knots, never decreasing.

    Examples
    --------
    >>> PiecewiseLinearMap(np.array([0.2, 0.6]), np.array([0.0, 1.0]))([0.1, 0.3, 0.9])
    array([0.  , 0.25, 1.  ])
    """

    kind: ClassVar[str] = "piecewise_linear"
    x: FloatArray
    y: FloatArray

    def __post_init__(self) -> None:
        x, y = as_scores(self.x, name="x knots"), as_scores(self.y, name="y knots")
        if len(x) != len(y):
            raise InputError(message("as many x as y knots", f"{len(x):,} and {len(y):,}"))
        _check_order(np.diff(x) > 0, x, "x knots in increasing order")
        _check_order(np.diff(y) >= 0, y, "y knots that never decrease")
        object.__setattr__(self, "x", x)  # how a frozen dataclass sets its own fields
        object.__setattr__(self, "y", y)

    @classmethod
    def unchecked(cls, x: FloatArray, y: FloatArray) -> Self:
        """Wrap the knots of a fit, which need no check."""
        fitted = object.__new__(cls)
        fitted.__dict__.update(x=x, y=y)
        return fitted

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        return kernels.interpolate(scores, self.x, self.y)  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "x": self.x.tolist(), "y": self.y.tolist()}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(_knots(document, "x"), _knots(document, "y"))


@dataclass(frozen=True)
class BetaMap(Map):
    """``sigmoid(a * log(p) - b * log(1 - p) + c)``; with a = b, a line on the logits.

    >>> BetaMap(a=2.0, b=2.0, c=0.0)(np.array([0.5, 0.75]))
    array([0.5, 0.9])
    """

    kind: ClassVar[str] = "beta"
    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        _check_slope("a", self.a)
        _check_slope("b", self.b)
        _check_number("c", self.c)

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        log_p, log_q = log_features(scores)
        return expit(self.a * log_p + self.b * log_q + self.c)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "a": self.a, "b": self.b, "c": self.c}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(*(_number(document, name) for name in ("a", "b", "c")))


@dataclass(frozen=True)
class SigmoidMap(Map):
    """``sigmoid(slope * p + intercept)`` on the score itself.

    >>> SigmoidMap(slope=4.0, intercept=-2.0)(np.array([0.5]))
    array([0.5])
    """

    kind: ClassVar[str] = "sigmoid"
    slope: float
    intercept: float

    def __post_init__(self) -> None:
        _check_slope("slope", self.slope)
        _check_number("intercept", self.intercept)

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        return expit(self.slope * scores + self.intercept)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "slope": self.slope, "intercept": self.intercept}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(_number(document, "slope"), _number(document, "intercept"))


@dataclass(frozen=True)
class BlendMap(Map):
    """``(1 - rho) * inner(p) + rho * p``: the mean of a map and the raw score.

    >>> BlendMap(0.5, SigmoidMap(0.0, 0.0))(np.array([0.0, 1.0]))
    array([0.25, 0.75])
    """

    kind: ClassVar[str] = "blend"
    rho: float
    inner: Map

    def __post_init__(self) -> None:
        _check_number("rho", self.rho)
        if not 0.0 <= self.rho <= 1.0:
            raise ParameterError(message("rho in [0, 1]", f"{self.rho}"))

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        mapped = self.inner.apply_unchecked(scores)
        if self.rho == 0.0:
            return mapped
        return np.asarray((1.0 - self.rho) * mapped + self.rho * scores)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "rho": self.rho, "inner": self.inner.to_dict()}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(_number(document, "rho"), map_from_dict(document.get("inner")))


@dataclass(frozen=True)
class OddsMap(Map):
    """Multiply the odds of a map: ``q * factor / (q * factor + 1 - q)`` with q = inner(p).

    A change of the base rate that leaves the scores within each class as they were multiplies the
    odds of every score by one number.

    >>> OddsMap(0.25, IdentityMap())(np.array([0.0, 0.5, 0.8, 1.0]))
    array([0. , 0.2, 0.5, 1. ])
    """

    kind: ClassVar[str] = "odds"
    factor: float
    inner: Map

    def __post_init__(self) -> None:
        _check_number("factor", self.factor)
        if not LEAST_FACTOR <= self.factor <= 1.0 / LEAST_FACTOR:
            expected = f"factor from {LEAST_FACTOR:g} to {1.0 / LEAST_FACTOR:g}"
            raise ParameterError(message(expected, f"{self.factor}"))

    @property
    def against(self) -> float:
        """Factor of the odds against: with it, every step of the formula rounds monotonically."""
        return 1.0 / self.factor

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", over="ignore"):  # the odds against 0 are infinite
            odds_against = 1.0 / self.inner.apply_unchecked(scores) - 1.0
            return np.asarray(1.0 / (1.0 + odds_against * self.against))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "factor": self.factor, "inner": self.inner.to_dict()}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(_number(document, "factor"), map_from_dict(document.get("inner")))


def log_features(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``log(p)`` and ``-log(1 - p)``; both increase with p and are finite."""
    clipped = np.clip(scores, LOG_CLIP, 1.0 - LOG_CLIP)
    return np.log(clipped), -np.log1p(-clipped)


MAP_TYPES: dict[str, type[Map]] = {
    cls.kind: cls
    for cls in (IdentityMap, PiecewiseLinearMap, BetaMap, SigmoidMap, BlendMap, OddsMap)
}


def map_from_dict(document: Any) -> Map:
    """Rebuild a map from its JSON form; raise ``ArtifactError`` if it is not a valid map."""
    kind = document.get("kind") if isinstance(document, dict) else document
    if not isinstance(document, dict) or not isinstance(kind, str) or kind not in MAP_TYPES:
        hint = "the file may come from a newer version of lwcal"
        raise ArtifactError(message(f"a map of kind {', '.join(MAP_TYPES)}", f"{kind!r}", hint))
    try:
        return MAP_TYPES[kind].from_dict(document)
    except (InputError, ParameterError) as error:
        raise ArtifactError(f"The {kind} map is not valid: {error}") from None


def _check_order(rises: Any, values: FloatArray, expected: str) -> None:
    if not rises.all():
        first = int(np.argmin(rises))
        got = f"{values[first]} before {values[first + 1]} at position {first}"
        raise InputError(message(expected, got))


def _check_number(name: str, value: Any) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # the comparison also holds for whole numbers that no float can hold
    if not is_number or not abs(value) <= sys.float_info.max:
        raise ParameterError(message(f"a finite number for {name}", f"{value!r}"))


def _check_slope(name: str, value: Any) -> None:
    _check_number(name, value)
    if value < 0:
        raise ParameterError(message(f"{name} to be at least 0", f"{value}"))


def _number(document: dict[str, Any], name: str) -> float:
    _check_number(name, document.get(name))
    return float(document[name])


def _knots(document: dict[str, Any], name: str) -> FloatArray:
    values = document.get(name)
    if not isinstance(values, list) or not values:
        raise InputError(message(f"a list of {name} knots", f"{type(values).__name__}"))
    return np.array([_number({name: value}, name) for value in values])
