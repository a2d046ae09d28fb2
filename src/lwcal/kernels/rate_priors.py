"""Prior families of the flip rates, each with its own free coordinates.

A family maps unbounded coordinates u to rates (r0, r1), so that the search for a mode and the
spread of points around it never meet a boundary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.special import betaln, expit, gammaln

from lwcal.arrays import FloatArray

START = -1.5
"""Coordinates at which the search for a mode starts: rates of about 10%."""
FARTHEST = 25.0
"""Coordinates beyond give the same rates: their sum stays below 1, also after rounding."""


class PriorDerivatives(NamedTuple):
    """A family at one point, with the derivatives that a Newton step needs."""

    rates: tuple[float, float]
    """r0 and r1."""
    jacobian: FloatArray
    """d(r0, r1) / du, of shape (2, size)."""
    gradient: FloatArray
    """Gradient of the log density."""
    information: FloatArray
    """Negative Hessian of the log density; positive semi-definite in these coordinates."""
    log_density: float


class RatePrior(Protocol):
    """A family of flip rates with a density over its coordinates."""

    size: ClassVar[int]

    @property
    def numbers(self) -> tuple[float, ...]:
        """Size, up to three parameters and the log of the constant, as a kernel takes them."""

    def rates(self, u: FloatArray) -> FloatArray:
        """Rates of shape (k, 2) for coordinates of shape (k, size)."""

    def log_density(self, u: FloatArray) -> FloatArray:
        """Log density of the coordinates, including the Jacobian."""

    def derivatives(self, u: FloatArray) -> PriorDerivatives:
        """Rates and derivatives at one point of shape (size,)."""


@dataclass(frozen=True)
class FixedRates:
    """Known rates; (0, 0) means that every label is right.

    >>> FixedRates(0.1, 0.2).rates(np.empty((1, 0)))
    array([[0.1, 0.2]])
    """

    negative: float = 0.0
    positive: float = 0.0
    size: ClassVar[int] = 0

    @property
    def numbers(self) -> tuple[float, ...]:
        """The size, both rates, and zeros."""
        return (0, self.negative, self.positive, 0.0, 0.0)

    def rates(self, u: FloatArray) -> FloatArray:
        """Return the same pair for every row."""
        return np.full((len(u), 2), (self.negative, self.positive))

    def log_density(self, u: FloatArray) -> FloatArray:
        """Return 0: there is no free coordinate."""
        return np.zeros(len(u))

    def derivatives(self, u: FloatArray) -> PriorDerivatives:
        """Return empty derivatives: there is no free coordinate."""
        rates = (self.negative, self.positive)
        return PriorDerivatives(rates, np.zeros((2, 0)), np.zeros(0), np.zeros((0, 0)), 0.0)


@dataclass(frozen=True)
class SymmetricRates:
    """Both classes flip at one rate r, with 2r distributed as Beta(a, b).

    >>> SymmetricRates(1.5, 2.5).rates(np.array([[0.0]]))
    array([[0.25, 0.25]])
    """

    a: float
    b: float
    size: ClassVar[int] = 1

    @property
    def numbers(self) -> tuple[float, ...]:
        """The size, both parameters, a zero and the log of the constant."""
        return (1, self.a, self.b, 0.0, self._log_constant)

    def rates(self, u: FloatArray) -> FloatArray:
        """Half the logistic function of u, for both classes."""
        return np.repeat(0.5 * expit(np.minimum(u, FARTHEST)), 2, axis=1)

    def log_density(self, u: FloatArray) -> FloatArray:
        """Log of the Beta density of 2r, including the Jacobian of u."""
        x = u[:, 0]
        odds = self.a * np.logaddexp(0.0, -x) + self.b * np.logaddexp(0.0, x)
        return np.asarray(-odds - self._log_constant)

    @cached_property
    def _log_constant(self) -> float:
        return float(betaln(self.a, self.b))

    def derivatives(self, u: FloatArray) -> PriorDerivatives:
        """Rates and derivatives with respect to u."""
        share = float(expit(min(u[0], FARTHEST)))
        slope = share * (1.0 - share)
        total = self.a + self.b
        return PriorDerivatives(
            (0.5 * share, 0.5 * share),
            np.full((2, 1), 0.5 * slope),
            np.array([self.a - total * share]),
            np.array([[total * slope]]),
            float(self.log_density(u[None])[0]),
        )


@dataclass(frozen=True)
class FreeRates:
    """Each class has its own rate: (r0, r1, 1 - r0 - r1) follows a Dirichlet distribution.

    >>> FreeRates(1.0, 1.0, 2.0).rates(np.zeros((1, 2))).round(3)
    array([[0.333, 0.333]])
    """

    negative: float
    positive: float
    kept: float
    size: ClassVar[int] = 2

    @property
    def numbers(self) -> tuple[float, ...]:
        """The size, the three parameters and the log of the constant."""
        return (2, self.negative, self.positive, self.kept, self._log_constant)

    def rates(self, u: FloatArray) -> FloatArray:
        """First two shares of the softmax of (u, 0)."""
        near = np.minimum(u, FARTHEST)
        return np.exp(near - _log_total(near)[:, None])

    def log_density(self, u: FloatArray) -> FloatArray:
        """Log of the Dirichlet density, including the Jacobian of u."""
        odds = self.negative * u[:, 0] + self.positive * u[:, 1]
        return np.asarray(odds - self._total * _log_total(u) - self._log_constant)

    def derivatives(self, u: FloatArray) -> PriorDerivatives:
        """Rates and derivatives with respect to u."""
        r0, r1 = self.rates(u[None])[0].tolist()
        slope = np.array([[r0 * (1.0 - r0), -r0 * r1], [-r0 * r1, r1 * (1.0 - r1)]])
        gradient = np.array([self.negative - self._total * r0, self.positive - self._total * r1])
        density = float(self.log_density(u[None])[0])
        return PriorDerivatives((r0, r1), slope, gradient, self._total * slope, density)

    @property
    def _total(self) -> float:
        return self.negative + self.positive + self.kept

    @cached_property
    def _log_constant(self) -> float:
        return float(
            gammaln([self.negative, self.positive, self.kept]).sum() - gammaln(self._total)
        )


def family_of(numbers: FloatArray) -> RatePrior:
    """Restore a family from its ``numbers``.

    >>> family_of(np.array(SymmetricRates(2.0, 3.0).numbers))
    SymmetricRates(a=2.0, b=3.0)
    """
    size, a, b, c, _ = numbers.tolist()
    families: tuple[RatePrior, ...] = (FixedRates(a, b), SymmetricRates(a, b), FreeRates(a, b, c))
    return families[int(size)]


def _log_total(u: FloatArray) -> FloatArray:
    """Log of ``exp(u0) + exp(u1) + 1``, the denominator of a softmax of (u, 0)."""
    return np.asarray(np.logaddexp(np.logaddexp(u[:, 0], u[:, 1]), 0.0))
