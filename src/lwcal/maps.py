"""Monotone maps from score to probability, as data: call them, or write them as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import expit

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.errors import ArtifactError, message
from lwcal.kernels.pure import LOG_CLIP


class Map(Protocol):
    """A non-decreasing function from [0, 1] to [0, 1]."""

    kind: ClassVar[str]

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Map scores that are known to lie in [0, 1]."""

    def to_dict(self) -> dict[str, Any]:
        """Write the map in types that JSON knows."""


@dataclass(frozen=True)
class IdentityMap:
    """The raw score.

    >>> IdentityMap()(np.array([0.25]))
    array([0.25])
    """

    kind: ClassVar[str] = "identity"

    def __call__(self, scores: FloatArray) -> FloatArray:
        return scores.copy()

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> IdentityMap:
        return cls()


@dataclass(frozen=True, eq=False)
class PiecewiseLinearMap:
    """Straight lines between knots, constant beyond them.

    >>> PiecewiseLinearMap(np.array([0.2, 0.6]), np.array([0.0, 1.0]))(np.array([0.1, 0.3, 0.9]))
    array([0.  , 0.25, 1.  ])
    """

    kind: ClassVar[str] = "piecewise_linear"
    x: FloatArray
    y: FloatArray

    def __call__(self, scores: FloatArray) -> FloatArray:
        return kernels.interpolate(scores, self.x, self.y)  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "x": self.x.tolist(), "y": self.y.tolist()}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> PiecewiseLinearMap:
        x, y = _knots(document, "x"), _knots(document, "y")
        if len(x) != len(y):
            raise ArtifactError(message("as many x as y knots", f"{len(x):,} and {len(y):,}"))
        if not (np.diff(x) > 0).all():
            raise ArtifactError(message("x knots that increase", "knots that do not"))
        if not (np.diff(y) >= 0).all():
            raise ArtifactError(message("y knots that never decrease", "knots that do"))
        return cls(x, y)


@dataclass(frozen=True)
class BetaMap:
    """``sigmoid(a * log(p) - b * log(1 - p) + c)``; with a = b, a line on the logits.

    >>> BetaMap(a=2.0, b=2.0, c=0.0)(np.array([0.5, 0.75]))
    array([0.5, 0.9])
    """

    kind: ClassVar[str] = "beta"
    a: float
    b: float
    c: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        log_p, log_q = log_features(scores)
        return np.asarray(expit(self.a * log_p + self.b * log_q + self.c))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "a": self.a, "b": self.b, "c": self.c}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> BetaMap:
        return cls(_slope(document, "a"), _slope(document, "b"), _number(document, "c"))


@dataclass(frozen=True)
class SigmoidMap:
    """``sigmoid(slope * p + intercept)`` on the score itself.

    >>> SigmoidMap(slope=4.0, intercept=-2.0)(np.array([0.5]))
    array([0.5])
    """

    kind: ClassVar[str] = "sigmoid"
    slope: float
    intercept: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        return np.asarray(expit(self.slope * scores + self.intercept))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "slope": self.slope, "intercept": self.intercept}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> SigmoidMap:
        return cls(_slope(document, "slope"), _number(document, "intercept"))


@dataclass(frozen=True)
class BlendMap:
    """``(1 - rho) * inner(p) + rho * p``: a map held back towards the raw score.

    >>> BlendMap(0.5, SigmoidMap(0.0, 0.0))(np.array([0.0, 1.0]))
    array([0.25, 0.75])
    """

    kind: ClassVar[str] = "blend"
    rho: float
    inner: Map

    def __call__(self, scores: FloatArray) -> FloatArray:
        return np.asarray((1.0 - self.rho) * self.inner(scores) + self.rho * scores)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "rho": self.rho, "inner": self.inner.to_dict()}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> BlendMap:
        rho = _number(document, "rho")
        if not 0.0 <= rho <= 1.0:
            raise ArtifactError(message("rho in [0, 1]", f"{rho}"))
        return cls(rho, map_from_dict(document.get("inner")))


def log_features(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``log(p)`` and ``-log(1 - p)``, both increasing in p and finite."""
    clipped = np.clip(scores, LOG_CLIP, 1.0 - LOG_CLIP)
    return np.log(clipped), -np.log1p(-clipped)


MAP_TYPES: dict[str, Any] = {
    cls.kind: cls for cls in (IdentityMap, PiecewiseLinearMap, BetaMap, SigmoidMap, BlendMap)
}


def map_from_dict(document: Any) -> Map:
    """Rebuild a map from its JSON form, refusing whatever is not a valid map."""
    if not isinstance(document, dict) or document.get("kind") not in MAP_TYPES:
        kind = document.get("kind") if isinstance(document, dict) else document
        raise ArtifactError(
            message(
                f"a map of kind {', '.join(MAP_TYPES)}",
                f"{kind!r}",
                "a newer version of lwcal may have written it",
            )
        )
    rebuilt: Map = MAP_TYPES[document["kind"]].from_dict(document)
    return rebuilt


def _number(document: dict[str, Any], name: str) -> float:
    value = document.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise ArtifactError(message(f"a finite number for {name}", f"{value!r}"))
    return float(value)


def _slope(document: dict[str, Any], name: str) -> float:
    value = _number(document, name)
    if value < 0:
        raise ArtifactError(message(f"{name} to be at least 0", f"{value}"))
    return value


def _knots(document: dict[str, Any], name: str) -> FloatArray:
    values = document.get(name)
    if not isinstance(values, list) or not values:
        raise ArtifactError(message(f"a list of {name} knots", f"{type(values).__name__}"))
    knots = np.array([_number({name: value}, name) for value in values])
    if knots.min() < 0.0 or knots.max() > 1.0:
        raise ArtifactError(
            message(f"{name} knots in [0, 1]", f"values from {knots.min()} to {knots.max()}")
        )
    return knots
