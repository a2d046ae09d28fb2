"""Fit a scaling of the log-probabilities: one slope, then as much structure as the rows carry.

The scores of class k become ``slope * x[k] + diagonal[k] * x[k] + off_diagonal[k] @ x +
intercepts[k]``, with x the centred logs of the probabilities. All but the slope have a normal
prior around 0. So the fit is temperature scaling where rows are few, and vector or matrix scaling
where they are many. In a matrix every class has K - 1 numbers off the diagonal, so each of them is
allowed the less the more classes there are.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.class_maps import ScalingMap, centred_logs
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.logit_counts import softness
from lwcal.numerics.soft_line import STEEPEST

SOFTEST = 0.5
"""Largest softness, where rows weigh less than one row together."""


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


class _Numbers(NamedTuple):
    """One value for each number of a scaling."""

    log_slope: float
    intercepts: FloatArray
    diagonal: FloatArray
    off_diagonal: FloatArray


class _Layout:
    """Which numbers of a scaling are free, as one array in units of their priors."""

    def __init__(self, prior: ScalingPrior, n_classes: int) -> None:
        k = n_classes
        sizes = {"log_slope": 1, "intercepts": k, "diagonal": k, "off_diagonal": k * k}
        deviations = prior._replace(off_diagonal=prior.off_diagonal / k)._asdict()
        self.n_classes = k
        self.parts = {name: size for name, size in sizes.items() if deviations[name] > 0.0}
        self.deviations = np.repeat(
            [deviations[name] for name in self.parts], list(self.parts.values())
        )

    def pack(self, numbers: _Numbers) -> FloatArray:
        """Free numbers in one array."""
        return np.concatenate([np.ravel(getattr(numbers, name)) for name in self.parts])

    def unpack(self, free: FloatArray) -> _Numbers:
        """The numbers of a scaling; those that are not free are 0."""
        ends = np.cumsum(list(self.parts.values()))[:-1]
        found = dict(zip(self.parts, np.split(free * self.deviations, ends), strict=True))
        k = self.n_classes
        return _Numbers(
            float(np.clip(found["log_slope"][0], -STEEPEST, STEEPEST)),
            found.get("intercepts", np.zeros(k)),
            found.get("diagonal", np.zeros(k)),
            found.get("off_diagonal", np.zeros(k * k)).reshape(k, k),
        )


def fit_scaling(rows: ClassRows, prior: ScalingPrior) -> ScalingMap:
    """Fit by maximum a posteriori, with the labels taken as right.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.5, 0.5, 0.5], 5000)
    >>> labels = (rng.random((5000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> flat = truth**0.5 / (truth**0.5).sum(axis=1, keepdims=True)
    >>> fit_scaling(ClassRows.from_arrays(flat, labels), ScalingPrior(2.0)).matrix[0, 0].round(1)
    np.float64(2.0)
    """
    soft = min(softness(rows.n), SOFTEST)
    x = centred_logs(rows.scores, soft)
    layout = _Layout(prior, rows.n_classes)
    # the search adds up in one order with one thread, and its threads would wait for ours
    with threadpool_limits(1, user_api="blas"):
        free = _minimise(_loss(rows, x, layout), _spread(rows, x, layout))
    found = layout.unpack(free)
    slopes = exp(found.log_slope) + found.diagonal
    return ScalingMap(np.diag(slopes) + found.off_diagonal, found.intercepts, soft)


def _loss(
    rows: ClassRows, x: FloatArray, layout: _Layout
) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """Mean log loss of a row plus the prior's part of it, and its gradient."""
    features, n = np.ascontiguousarray(x.T), max(rows.n, 1.0)
    if_right = np.eye(rows.n_classes)
    has_matrix = "off_diagonal" in layout.parts

    def evaluate(free: FloatArray) -> tuple[float, FloatArray]:
        at = layout.unpack(free)
        slope = exp(at.log_slope)
        slopes = slope + at.diagonal
        matrix = np.diag(slopes) + at.off_diagonal if has_matrix else slopes
        likelihood, by_matrix, by_intercepts, _ = kernels.class_likelihood(
            features, rows.labels, rows.weights, matrix, at.intercepts, if_right
        )
        by_slopes = by_matrix[:: rows.n_classes + 1] if has_matrix else by_matrix
        numbers = _Numbers(slope * by_slopes.sum(), by_intercepts, by_slopes, by_matrix)
        gradient = layout.pack(numbers) * layout.deviations
        return (0.5 * float(free @ free) - likelihood) / n, (free - gradient) / n

    return evaluate


def _spread(rows: ClassRows, x: FloatArray, layout: _Layout) -> FloatArray:
    """About the posterior standard deviation of each free number, for the raw scores.

    In these units the loss bends about equally in all directions, which makes the search short.
    """
    bend = rows.scores * (1.0 - rows.scores) * rows.weights[:, None]
    squares = x * x
    by_slopes = np.einsum("nk,nk->k", bend, squares)
    by_matrix = np.outer(bend.sum(axis=0), squares.mean(axis=0))
    information = _Numbers(by_slopes.sum(), bend.sum(axis=0), by_slopes, by_matrix)
    return np.asarray(1.0 / np.sqrt(1.0 + layout.pack(information) * layout.deviations**2))


def _minimise(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], unit: FloatArray
) -> FloatArray:
    """Search from 0, in these units."""
    from scipy.optimize import minimize  # slow to import, and most calibrators need none

    def in_units(steps: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = loss(steps * unit)
        return value, gradient * unit

    found = minimize(
        in_units,
        np.zeros(len(unit)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 500, "maxfun": 1000, "ftol": 1e-13, "gtol": 1e-8},
    )
    return np.asarray(found.x * unit)
