"""Metrics of several classes, with intervals."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.metrics.intervals import CONFIDENCE, ece_interval
from lwcal.metrics.several_classes import JudgedRows


def class_intervals(rows: JudgedRows) -> dict[str, Estimate]:
    """Estimate metrics against labels that are right; the intervals are 90% intervals.

    The values equal those of :func:`lwcal.metrics.class_evaluate`.

    Examples
    --------
    >>> given = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    >>> rows = JudgedRows(np.array([0, 2]), given, np.full(2, 50.0), ("a", "b", "c"))
    >>> round(class_intervals(rows)["nll"].value, 3)
    0.458
    """
    right = rows.probabilities.argmax(axis=1) == rows.labels
    accuracy = mean_interval(right.astype(np.float64), rows.weights)
    return {
        "brier": mean_interval(rows.squared_errors(), rows.weights),
        "nll": mean_interval(rows.log_losses(), rows.weights),
        "accuracy": Estimate(accuracy.value, max(accuracy.low, 0.0), min(accuracy.high, 1.0)),
        "top_label_ece": ece_interval(rows.of_top_label()),
    }


def mean_interval(
    values: FloatArray, weights: FloatArray, confidence: float = CONFIDENCE
) -> Estimate:
    """Mean of rows with the interval of the normal distribution; weights are frequencies.

    >>> found = mean_interval(np.array([0.0, 1.0]), np.array([50.0, 50.0]))
    >>> found.value, round(found.high - found.value, 2)
    (0.5, 0.08)
    """
    n = float(weights.sum())
    mean = float(weights @ values / n)
    spread = sqrt(float(weights @ (values - mean) ** 2) / n)
    half = float(ndtri(0.5 + confidence / 2)) * spread / sqrt(n)
    return Estimate(mean, mean - half, mean + half)
