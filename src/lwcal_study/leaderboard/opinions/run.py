"""Run one cell with several opinions: evaluate every method on the scores of one model."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import lwcal
from lwcal import metrics
from lwcal_study.leaderboard.classes.methods import checked_probabilities
from lwcal_study.leaderboard.grid import coordinates
from lwcal_study.leaderboard.methods import caught
from lwcal_study.leaderboard.opinions.methods import OpinionMethod, methods_of
from lwcal_study.leaderboard.opinions.ways import Fit, given, of_all_classes
from lwcal_study.opinions.cells import RATED_TASKS, OpinionCell, OpinionScores, fit_and_score

EVALUATED = ("nll", "brier", "top_label_ece")
"""Metrics of :func:`lwcal.metrics.class_evaluate`. Log loss clips at 1e-6."""
OF_REVIEWERS = ("covered", "covered_classes", "warned")
"""Share of reviewers whose true error rate is in its interval; the same for each true class; and
whether the summary warns of shared errors."""
OF_CONSENSUS = ("consensus_accuracy", "consensus_nll")
METRICS = (*EVALUATED, *OF_REVIEWERS, *OF_CONSENSUS, "seconds")
"""The numbers of a result."""


def run_cell(cell: OpinionCell) -> dict[str, Any]:
    """Fit and evaluate every method on one cell. The result has JSON types."""
    # threads change the last bit of a matrix product, and would blur the cost of a fit
    with threadpool_limits(1), lwcal.thread_limit(1):
        rows = fit_and_score(cell)
        apart = cell.task not in RATED_TASKS or RATED_TASKS[cell.task].apart
        methods = methods_of(cell.noise, rows.n_classes)
        return {
            "cell": coordinates(cell),
            "n_calibration": len(rows.calibration),
            "n_classes": rows.n_classes,
            "results": [evaluate(method, rows, apart=apart) for method in methods],
        }


def evaluate(method: OpinionMethod, rows: OpinionScores, *, apart: bool = True) -> dict[str, Any]:
    """Name, failure, metrics and cost of one method.

    Parameters
    ----------
    method : OpinionMethod
    rows : OpinionScores
    apart : bool
        Whether the trusted labels of the calibration rows are independent of the opinions. If
        not, a consensus cannot be judged by them.
    """
    found, seconds = Fit(None), 0.0

    def predict() -> Any:
        nonlocal found, seconds
        start = time.process_time()
        try:
            fitted = method.fit(rows, method.asked)
        finally:
            seconds = time.process_time() - start
        probability = of_all_classes(fitted.calibrator.predict(given(rows.test)))
        probability = checked_probabilities(probability, rows.test.shape)
        found = fitted
        return probability

    probability, failure = caught(predict, rows.test)
    judged = metrics.class_evaluate(rows.y_test, probability, classes=range(rows.n_classes))
    return {
        "contender": method.name,
        "oracle": method.oracle,
        "failure": failure,
        "extra": method.asked.extra(len(rows.calibration)),
        **{name: judged[name] for name in EVALUATED},
        **_of_reviewers(found, rows),
        **_of_consensus(found.consensus if apart else None, rows),
        "seconds": seconds,
    }


def _of_reviewers(found: Fit, rows: OpinionScores) -> dict[str, float | None]:
    summary = found.reviews
    if summary is None:
        return dict.fromkeys(OF_REVIEWERS)
    warned = float(summary.warning is not None)
    if rows.rates is None:  # nobody knows how often real people are wrong
        return {**dict.fromkeys(OF_REVIEWERS), "warned": warned}
    shares = np.bincount(rows.y_clean, minlength=rows.n_classes) / len(rows.y_clean)
    covered, of_classes = [], []
    for one in summary.reviewers:
        rates = rows.rates[one.name]  # columns are named by their numbers
        covered.append(one.wrong.low <= rates @ shares <= one.wrong.high)
        right = 1 - rates
        of_classes.append((np.diag(one.low) <= right) & (right <= np.diag(one.high)))
    return {
        "covered": float(np.mean(covered)),
        "covered_classes": float(np.mean(of_classes)),
        "warned": warned,
    }


def _of_consensus(truth: Any, rows: OpinionScores) -> dict[str, float | None]:
    if truth is None:
        return dict.fromkeys(OF_CONSENSUS)
    judged = metrics.class_evaluate(rows.y_clean, truth, classes=range(rows.n_classes))
    return {"consensus_accuracy": judged["accuracy"], "consensus_nll": judged["nll"]}
