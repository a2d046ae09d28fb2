"""Share of positive labels as a smooth curve of the score: a polynomial of its log-odds."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from lwcal.arrays import FloatArray
from lwcal.kernels.newton import Local, find_mode
from lwcal.noise.logit_counts import pool_by_logit, soft_logit
from lwcal.table import ScoreTable

SOFT = 1e-5
"""Softening of the log-odds."""
RIDGE = 0.1
"""Penalty on the coefficients of a curve, so that it stays finite."""


def smooth_rate(table: ScoreTable, scores: FloatArray, degree: int = 2) -> FloatArray:
    """Share of positive labels at some scores, by a polynomial of the log-odds."""
    pooled = pool_by_logit(table)
    z, at = soft_logit(pooled.scores, SOFT), soft_logit(scores, SOFT)
    coefficients, _ = fit_curve(powers(z, degree), pooled.negatives, pooled.positives)
    return np.asarray(expit(powers(at, degree) @ coefficients))


def powers(z: FloatArray, degree: int) -> FloatArray:
    """Powers of the log-odds, of which a curve is made."""
    return np.stack([(z / 3.0) ** power for power in range(degree + 1)], axis=1)


def fit_curve(
    design: FloatArray, negatives: FloatArray, positives: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Coefficients of a logistic regression of any columns, and the information about them."""
    n, penalty = negatives + positives, np.full(design.shape[1], RIDGE)
    penalty[0] = 0.0  # the first column is constant

    def log_density(points: FloatArray) -> FloatArray:
        losses = [deviance(design @ one, negatives, positives) / 2.0 for one in points]
        return np.asarray(-np.array(losses) - 0.5 * points**2 @ penalty)

    def local(point: FloatArray) -> Local:
        rate = expit(design @ point)
        return Local(
            float(log_density(point[None])[0]),
            design.T @ (positives - n * rate) - penalty * point,
            (design * (n * rate * (1.0 - rate))[:, None]).T @ design + np.diag(penalty),
        )

    return find_mode(log_density, local, np.zeros(design.shape[1]))


def deviance(logits: FloatArray, negatives: FloatArray, positives: FloatArray) -> float:
    """How badly these log-odds fit the labels: twice the log loss."""
    return float(2.0 * (negatives @ np.logaddexp(0, logits) + positives @ np.logaddexp(0, -logits)))
