"""Logistic regression of pooled labels on functions of the score, with non-negative slopes."""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, Pooled

RIDGE = 1e-6
"""Penalty on squared slopes: keeps slopes finite for separable data, negligible otherwise."""
MAX_STEPS = 100
MANY_SCORES = 2048
"""With more distinct scores, the search starts from the fit to a coarser table."""
BLOCKS = 512
"""Size of that table. Its optimum is so close that two or three steps lead to the exact one."""


class Line(NamedTuple):
    """A curve ``sigmoid(a * log(p) - b * log(1 - p) + c)``, or ``sigmoid(a * p + c)``.

    Attributes
    ----------
    directions : sequence of float64 arrays of shape (k, 3)
        How k free numbers, the last of them the intercept, make up (a, b, c): all slopes first,
        then those that remain where a slope would be negative.
    of_logs : bool
        Whether the features are the logs.
    """

    directions: Sequence[FloatArray]
    of_logs: bool = True


_A, _B, _C = np.eye(3)
BETA = Line([np.stack(rows) for rows in ((_A, _B, _C), (_A, _C), (_B, _C), (_C,))])
"""Two slopes, as in beta calibration."""
ON_LOGITS = Line([np.stack(rows) for rows in ((_A + _B, _C), (_C,))])
"""One slope on the log-odds of the score."""
ON_SCORES = Line([np.stack(rows) for rows in ((_A, _C), (_C,))], of_logs=False)
"""One slope on the score itself."""


class Targets(NamedTuple):
    """Probability of a positive target, for positive and for negative labels."""

    if_positive: float = 1.0
    if_negative: float = 0.0

    def log_odds(self, negatives: float, positives: float) -> float:
        """Log-odds of a positive target among so many labels."""
        positive = positives * self.if_positive + negatives * self.if_negative
        negative = positives * (1.0 - self.if_positive) + negatives * (1.0 - self.if_negative)
        return log(positive / negative)


LABELS = Targets()
"""The labels themselves."""


def fit_logistic(
    line: Line, columns: Pooled, totals: tuple[float, float], targets: Targets = LABELS
) -> tuple[float, float, float]:
    """Fit slopes, each at least 0, and an intercept by maximum likelihood; return (a, b, c).

    Parameters
    ----------
    line : Line
    columns : tuple
        The columns of a :class:`lwcal.ScoreTable`.
    totals : pair of float
        Weight of its negative and of its positive labels, both above 0.
    targets : Targets
        What the labels stand for.

    Examples
    --------
    >>> columns = np.array([0.2, 0.8]), np.array([3.0, 1.0]), np.array([1.0, 3.0])
    >>> np.round(fit_logistic(ON_SCORES, columns, (4.0, 4.0)), 2)
    array([ 3.66,  0.  , -1.83])
    """
    # The loss is convex, so the constrained optimum is the best feasible fit with some slopes
    # fixed at 0.
    best: tuple[float, FloatArray] | None = None
    for directions in line.directions:
        start = np.zeros(len(directions))
        start[-1] = targets.log_odds(*totals)
        if len(columns[0]) > MANY_SCORES:
            _, start = _newton(directions, line.of_logs, _coarse(columns), targets, start)
        loss, free = _newton(directions, line.of_logs, columns, targets, start)
        if (free[:-1] >= 0).all() and (best is None or loss < best[0]):
            best = loss, free @ directions
            if directions is line.directions[0]:
                break  # the unconstrained optimum is feasible
    assert best is not None  # an intercept alone is always feasible
    a, b, c = best[1].tolist()
    return a, b, c


def _coarse(columns: Pooled) -> Pooled:
    """The table in blocks of neighbouring scores, each at its mean score."""
    n = len(columns[0])
    starts = np.arange(0, n, -(-n // BLOCKS))
    negatives, positives, sums = kernels.block_sums(*columns, starts)
    total = negatives + positives
    kept = total > 0
    return sums[kept] / total[kept], negatives[kept], positives[kept]


def _newton(
    directions: FloatArray, of_logs: bool, columns: Pooled, targets: Targets, start: FloatArray
) -> tuple[float, FloatArray]:
    """Minimise the penalised loss over the free numbers by damped Newton steps."""
    penalty = np.append(np.full(len(directions) - 1, RIDGE), 0.0)

    def evaluate(free: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        weights = (free @ directions).tolist()
        loss, gradient, hessian = kernels.logistic_loss(*columns, *targets, *weights, of_logs)
        return (
            loss + 0.5 * float(penalty @ free**2),
            directions @ gradient + penalty * free,
            directions @ hessian @ directions.T + np.diag(penalty),
        )

    free, (loss, gradient, hessian) = start, evaluate(start)
    for _ in range(MAX_STEPS):
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        decrement = float(gradient @ step)
        if decrement <= 1e-12 * max(loss, 1.0):
            # The loss no longer tells the difference, but a last step doubles the right digits.
            # In a direction that the data say nothing about, it could be long.
            if (np.abs(step) <= 1e-3 * (1.0 + np.abs(free))).all():
                free = free - step
            break
        damping = 1.0
        while True:
            trial = free - damping * step
            state = evaluate(trial)
            if state[0] <= loss - 1e-4 * damping * decrement or damping < 1e-8:
                break
            damping /= 2
        if not state[0] < loss:
            break
        free, (loss, gradient, hessian) = trial, state
    return loss, free
