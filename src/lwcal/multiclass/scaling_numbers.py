"""The numbers of a scaling of log-probabilities: which are free, and their priors.

The scores of class k become ``slope * x[k] + diagonal[k] * x[k] + off_diagonal[k] @ x +
intercepts[k]``, with x the centred logs of the probabilities. All but the slope have a normal
prior around 0. So the fit is temperature scaling where rows are few, and vector or matrix scaling
where they are many. In a matrix every class has K - 1 numbers off the diagonal, so each of them is
allowed the less the more classes there are.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.numerics.soft_line import STEEPEST

LOG_SLOPE_SD = 2.0
"""So wide that it is worth less than a row, but separable labels do not make a slope infinite."""
INTERCEPT_SD = 0.8
DIAGONAL_SD = 0.2
OFF_DIAGONAL_SD = 0.3


class ScalingPrior(NamedTuple):
    """Standard deviations of the normal priors. With 0, these numbers are not fitted.

    Attributes
    ----------
    log_slope : float
        Of the log of the slope, around 0.
    intercepts : float
        Of each intercept.
    diagonal : float
        Of each class's own addition to the slope.
    off_diagonal : float
        Of each number off the diagonal, times the number of classes.
    """

    log_slope: float
    intercepts: float = 0.0
    diagonal: float = 0.0
    off_diagonal: float = 0.0


class Numbers(NamedTuple):
    """One value for each number of a scaling."""

    log_slope: float
    intercepts: FloatArray
    diagonal: FloatArray
    off_diagonal: FloatArray

    @property
    def matrix(self) -> FloatArray:
        """Factors of the centred logs, of shape (K, K)."""
        return np.asarray(np.diag(exp(self.log_slope) + self.diagonal) + self.off_diagonal)


class Layout:
    """Which numbers of a scaling are free, as one array in units of their priors."""

    def __init__(self, prior: ScalingPrior, n_classes: int) -> None:
        k = n_classes
        sizes = {"log_slope": 1, "intercepts": k, "diagonal": k, "off_diagonal": k * k}
        deviations = prior._replace(off_diagonal=prior.off_diagonal / k)._asdict()
        self.parts = {name: size for name, size in sizes.items() if deviations[name] > 0.0}
        self.deviations = np.repeat(
            [deviations[name] for name in self.parts], list(self.parts.values())
        )
        # made once, since a search packs and unpacks numbers at every step
        ends = np.cumsum([0, *self.parts.values()]).tolist()
        self._places = dict(zip(self.parts, map(slice, ends[:-1], ends[1:]), strict=True))
        self._zeros = {name: np.zeros(size) for name, size in sizes.items()}
        self._shape = (k, k)

    @property
    def has_matrix(self) -> bool:
        """Whether numbers off the diagonal are free."""
        return "off_diagonal" in self.parts

    def pack(self, numbers: Numbers) -> FloatArray:
        """Free numbers in one array."""
        free = np.empty(len(self.deviations))
        for name, place in self._places.items():
            free[place] = np.ravel(getattr(numbers, name))
        return free

    def unpack(self, free: FloatArray) -> Numbers:
        """The numbers of a scaling; those that are not free are 0."""
        values = free * self.deviations
        found = self._zeros | {name: values[place] for name, place in self._places.items()}
        return Numbers(
            min(max(float(found["log_slope"][0]), -STEEPEST), STEEPEST),
            found["intercepts"],
            found["diagonal"],
            found["off_diagonal"].reshape(self._shape),
        )

    def spread(self, scores: FloatArray, weights: FloatArray, x: FloatArray) -> FloatArray:
        """About the posterior standard deviation of each free number, for the raw scores.

        In these units the loss bends about equally in all directions, which makes a search short.
        """
        bend = scores * (1.0 - scores) * weights[:, None]
        squares = x * x
        by_slopes = np.einsum("nk,nk->k", bend, squares)
        by_matrix = np.outer(bend.sum(axis=0), squares.mean(axis=0))
        information = Numbers(by_slopes.sum(), bend.sum(axis=0), by_slopes, by_matrix)
        return np.asarray(1.0 / np.sqrt(1.0 + self.pack(information) * self.deviations**2))
