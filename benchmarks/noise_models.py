"""Times of the calibrators with a noise model: few rows and many, classes, reviewers."""

import numpy as np

import lwcal
from benchmarks.data import make_checked_rows, make_class_rows, make_opinions, make_rows
from benchmarks.methods import AUDITED, AUTO, NOISE_AWARE, REVIEWED, Run
from benchmarks.results import APPLY_CLASSES, NOISE_MODELS, Results
from benchmarks.timing import time_in_turns

FEW, MANY = 500, 100_000
AUDITED_ROWS, CHECKED = 5_000, 50
CLASSES = ((2_000, 10), (50_000, 10), (5_000, 100))
"""Rows and classes of fits to several classes."""
REVIEWED_ROWS, REVIEWERS = 10_000, 50
APPLIED_ROWS, APPLIED_CLASSES = 1_000_000, 10
SOFTMAX = "softmax in numpy"


def measure_noise_models(results: Results, most_rows: int, *, budget: float) -> None:
    """Time the fits at each number of rows up to a limit."""
    for rows in (FEW, AUDITED_ROWS, MANY):
        _measure(results, "continuous", rows, most_rows, budget)
    for rows, classes in CLASSES:
        _measure(results, described(classes), rows, most_rows, budget, classes)
    _measure(results, f"{REVIEWERS} reviewers", REVIEWED_ROWS, most_rows, budget)
    if most_rows >= APPLIED_ROWS:
        runs = _apply_runs()
        for name, timing in time_in_turns(runs, budget=budget).items():
            of = described(APPLIED_CLASSES)
            results.add_timing(APPLY_CLASSES, of, APPLIED_ROWS, name, timing)


def described(classes: int) -> str:
    """How the measurements call scores of several classes."""
    return f"{classes} classes"


def _measure(
    results: Results, scores: str, rows: int, most_rows: int, budget: float, classes: int = 2
) -> None:
    if rows > most_rows:
        return
    for name, timing in time_in_turns(_fits(rows, classes), budget=budget).items():
        results.add_timing(NOISE_MODELS, scores, rows, name, timing)


def _apply_runs() -> dict[str, Run]:
    """Calibrate many rows; beside it, what a map of classes cannot do without."""
    fitted = lwcal.NoiseAware().fit(*make_class_rows(CLASSES[0][0], APPLIED_CLASSES))
    probabilities, _ = make_class_rows(APPLIED_ROWS, APPLIED_CLASSES)
    logs = np.log(probabilities + 1e-9)
    return {NOISE_AWARE: lambda: fitted.predict(probabilities), SOFTMAX: lambda: _softmax(logs)}


def _softmax(logs: np.ndarray) -> np.ndarray:
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _fits(rows: int, classes: int) -> dict[str, Run]:
    if classes > 2:
        probabilities, y = make_class_rows(rows, classes)
        return {NOISE_AWARE: lambda: lwcal.NoiseAware().fit(probabilities, y)}
    if rows == REVIEWED_ROWS:
        scores, opinions = make_opinions(rows, REVIEWERS)
        return {REVIEWED: lambda: lwcal.Reviewed().fit(scores, opinions)}
    if rows == AUDITED_ROWS:
        scores, labels, truths = make_checked_rows(rows, CHECKED)
        return {AUDITED: lambda: lwcal.Audited().fit(scores, labels, y_audited=truths)}
    scores, labels = make_rows(rows, "continuous")
    return {
        NOISE_AWARE: lambda: lwcal.NoiseAware().fit(scores, labels),
        AUTO: lambda: lwcal.Auto().fit(scores, labels),
    }
