"""Run one cell with many classes: evaluate every method on the scores of one model."""

from __future__ import annotations

from typing import Any

from threadpoolctl import threadpool_limits

import lwcal
from lwcal import metrics
from lwcal_study.classes.cells import ClassCell, ClassScores, fit_and_score
from lwcal_study.leaderboard.classes.methods import class_methods, timed_attempt
from lwcal_study.leaderboard.grid import coordinates
from lwcal_study.leaderboard.methods import Method

EVALUATED = ("nll", "brier", "top_label_ece", "mean_class_ece")
"""Metrics of :func:`lwcal.metrics.class_evaluate`. Log loss clips at 1e-6."""
METRICS = (*EVALUATED, "seconds")
"""The numbers of a result."""


def run_cell(cell: ClassCell) -> dict[str, Any]:
    """Fit and evaluate every method on one cell. The result has JSON types."""
    # threads change the last bit of a matrix product, and would blur the cost of a fit
    with threadpool_limits(1), lwcal.thread_limit(1):
        rows = fit_and_score(cell)
        return {
            "cell": coordinates(cell),
            "n_calibration": len(rows.calibration),
            "n_classes": len(rows.classes),
            "results": [evaluate(method, rows) for method in class_methods().values()],
        }


def evaluate(method: Method, rows: ClassScores) -> dict[str, Any]:
    """Name, failure, metrics and cost of one method."""
    (probability, failure), seconds = timed_attempt(method, rows)
    found = metrics.class_evaluate(rows.y_test, probability, classes=rows.classes)
    return {
        "contender": method.name,
        "oracle": method.oracle,
        "failure": failure,
        **{name: found[name] for name in EVALUATED},
        "seconds": seconds,
    }
