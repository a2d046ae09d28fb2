"""Maps from class probabilities to calibrated class probabilities.

A map is plain data, as those of two classes are: it can be called, and written as JSON.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ArtifactError, ParameterError, message
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import as_class_scores
from lwcal.rows.values import as_floats

ROWS_AT_ONCE = 1 << 16
"""Rows that are mapped together, so that what lies between stays in the cache."""


class ClassMap(ABC):
    """A function from class probabilities to class probabilities."""

    kind: ClassVar[str]
    n_classes: int

    def __call__(self, scores: ArrayLike) -> FloatArray:
        """Map rows of probabilities; raise ``InputError`` if a row does not sum to 1."""
        return self.apply_unchecked(as_class_scores(scores, n_classes=self.n_classes).values)

    @abstractmethod
    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        """Map rows that sum to 1. The caller has checked them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the map as types that JSON can represent."""

    @classmethod
    @abstractmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """Rebuild the map from the result of ``to_dict``."""


@dataclass(frozen=True)
class ClassIdentityMap(ClassMap):
    """The raw probabilities.

    >>> ClassIdentityMap(3)([[0.2, 0.3, 0.5]])
    array([[0.2, 0.3, 0.5]])
    """

    kind: ClassVar[str] = "class_identity"
    n_classes: int

    def __post_init__(self) -> None:
        if not (isinstance(self.n_classes, int) and self.n_classes >= 2):
            raise ParameterError(message("n_classes to be at least 2", f"{self.n_classes!r}"))

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        return scores.copy()

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "n_classes": self.n_classes}

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(document.get("n_classes"))  # type: ignore[arg-type]  # the constructor checks


@dataclass(frozen=True, eq=False)
class ScalingMap(ClassMap):
    """``softmax(matrix @ x + intercepts)`` with x the centred logs of the probabilities.

    ``x[k] = log(p[k] + softness) - mean of these logs over the classes``. Temperature scaling has
    one number on the diagonal of the matrix, vector scaling has one for each class.

    Parameters
    ----------
    matrix : (K, K)
    intercepts : (K,)
    softness : float
        Added to every probability, so that a 0 has a logarithm.

    Examples
    --------
    >>> sharper = ScalingMap(2.0 * np.eye(3), np.zeros(3), softness=1e-9)
    >>> sharper([[0.5, 0.25, 0.25]]).round(3)
    array([[0.667, 0.167, 0.167]])
    """

    kind: ClassVar[str] = "class_scaling"
    matrix: FloatArray
    intercepts: FloatArray
    softness: float

    def __post_init__(self) -> None:
        matrix, intercepts = (as_floats(v, "a scaling") for v in (self.matrix, self.intercepts))
        k = len(intercepts) if intercepts.ndim == 1 else 0
        if k < 2 or matrix.shape != (k, k):
            got = f"{matrix.shape} and {intercepts.shape}"
            raise ParameterError(message("a matrix (K, K) and intercepts (K,)", got))
        if not (np.isfinite(matrix).all() and np.isfinite(intercepts).all()):
            raise ParameterError(message("a scaling of finite numbers", "others"))
        soft = self.softness
        if isinstance(soft, bool) or not isinstance(soft, int | float) or not 0.0 < soft <= 1.0:
            raise ParameterError(message("softness above 0 and up to 1", f"{soft!r}"))
        object.__setattr__(self, "matrix", matrix)  # how a frozen dataclass sets its own fields
        object.__setattr__(self, "intercepts", intercepts)

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """Number of classes."""
        return len(self.intercepts)

    @property
    def slopes(self) -> FloatArray | None:
        """Slope of each class; None if classes take from each other."""
        diagonal = np.diagonal(self.matrix)
        return diagonal if np.array_equal(self.matrix, np.diag(diagonal)) else None

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        out = np.empty_like(scores)
        for start in range(0, len(scores), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            scale_rows(scores[rows], self.matrix, self.intercepts, self.softness, out[rows])
        return out

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "matrix": self.matrix.tolist(),
            "intercepts": self.intercepts.tolist(),
            "softness": self.softness,
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        return cls(
            _numbers(document.get("matrix"), "matrix"),
            _numbers(document.get("intercepts"), "intercepts"),
            document.get("softness"),  # type: ignore[arg-type]  # the constructor checks
        )


# Spark sends the next two functions to its workers, which have numpy, but not this package.


def scale_rows(
    scores: FloatArray,
    matrix: FloatArray,
    intercepts: FloatArray,
    softness: float,
    out: FloatArray,
) -> None:
    """Write what a :class:`ScalingMap` makes of rows that sum to 1."""
    x = centred_logs(scores, softness)
    diagonal = np.diagonal(matrix)
    if np.array_equal(matrix, np.diag(diagonal)):
        np.multiply(x, diagonal, out=out)
    else:
        # a product of matrices may add up in another order with more threads
        np.einsum("nj,kj->nk", x, matrix, out=out)
    out += intercepts
    out -= out.max(axis=1, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=1, keepdims=True)


def centred_logs(scores: FloatArray, softness: float) -> FloatArray:
    """Logs of the probabilities, less their mean over the classes."""
    x = np.log(scores + softness)
    x -= x.mean(axis=1, keepdims=True)
    return np.asarray(x)


CLASS_MAP_TYPES: dict[str, type[ClassMap]] = {
    cls.kind: cls for cls in (ClassIdentityMap, ScalingMap)
}


def class_map_from_dict(document: dict[str, Any]) -> ClassMap:
    """Rebuild a map from its JSON form; raise ``ArtifactError`` if it is not a valid map."""
    kind = document["kind"]
    try:
        return CLASS_MAP_TYPES[kind].from_dict(document)
    except ValueError as error:
        raise ArtifactError(f"The {kind} map is not valid: {error}") from None


def _numbers(value: Any, name: str) -> FloatArray:
    if not isinstance(value, list):
        raise ParameterError(message(f"{name} to be a list", f"{type(value).__name__}"))
    return as_floats(value, name)
