"""Logistic regression of pooled labels on one or two features, with non-negative slopes."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import expit

from lwcal.arrays import FloatArray

RIDGE = 1e-6
"""Penalty on squared slopes: keeps slopes finite for separable data, negligible otherwise."""
CHUNK = 1 << 12
"""Rows per chunk: temporary arrays of this length stay in the processor's cache."""
MAX_STEPS = 100


def fit_logistic(
    features: Sequence[FloatArray], negatives: FloatArray, positives: FloatArray
) -> tuple[FloatArray, float]:
    """Fit slopes, each at least 0, and an intercept by maximum likelihood.

    Returns
    -------
    slopes : float64 array
        One slope per feature.
    intercept : float
    """
    # The loss is convex, so the constrained optimum is the best feasible fit with some slopes
    # fixed at 0. Beta calibration has two features, which makes four such fits.
    best: tuple[float, FloatArray, float] | None = None
    for free in _subsets(len(features)):
        chosen = [features[k] for k in free]
        loss, weights = _newton(chosen, negatives, positives)
        if (weights[:-1] >= 0).all() and (best is None or loss < best[0]):
            slopes = np.zeros(len(features))
            slopes[list(free)] = weights[:-1]
            best = loss, slopes, float(weights[-1])
        if len(free) == len(features) and best is not None:
            break  # the unconstrained optimum is feasible
    assert best is not None  # the empty subset is always feasible
    return best[1], best[2]


def _subsets(size: int) -> list[tuple[int, ...]]:
    return [free for k in range(size, -1, -1) for free in combinations(range(size), k)]


def _newton(
    features: Sequence[FloatArray], negatives: FloatArray, positives: FloatArray
) -> tuple[float, FloatArray]:
    """Minimise the penalised loss over (slopes..., intercept) by damped Newton steps."""
    weights = np.zeros(len(features) + 1)
    weights[-1] = np.log(positives.sum() / negatives.sum())
    loss, gradient, hessian = _evaluate(weights, features, negatives, positives)
    for _ in range(MAX_STEPS):
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        decrement = float(gradient @ step)
        if decrement <= 1e-12 * max(loss, 1.0):
            break
        damping = 1.0
        while True:
            trial = weights - damping * step
            state = _evaluate(trial, features, negatives, positives)
            if state[0] <= loss - 1e-4 * damping * decrement or damping < 1e-8:
                break
            damping /= 2
        if not state[0] < loss:
            break
        weights, (loss, gradient, hessian) = trial, state
    return loss, weights


def _softplus(x: FloatArray) -> FloatArray:
    """Compute ``log(1 + exp(x))`` without overflow."""
    return np.asarray(np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))))


def _evaluate(
    weights: FloatArray,
    features: Sequence[FloatArray],
    negatives: FloatArray,
    positives: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the penalised loss, its gradient and its Hessian, summed over chunks of rows."""
    penalty = np.append(np.full(len(features), RIDGE), 0.0)
    loss = 0.5 * float(penalty @ weights**2)
    gradient, hessian = penalty * weights, np.diag(penalty)
    for start in range(0, len(positives), CHUNK):
        rows = slice(start, start + CHUNK)
        design = np.stack([feature[rows] for feature in features] + [np.ones_like(positives[rows])])
        linear = weights @ design
        total = negatives[rows] + positives[rows]
        probability = expit(linear)
        loss += float(total @ _softplus(linear) - positives[rows] @ linear)
        gradient = gradient + design @ (total * probability - positives[rows])
        hessian = hessian + (design * (total * probability * (1.0 - probability))) @ design.T
    return loss, gradient, hessian
