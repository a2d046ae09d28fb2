"""Scores that a model gives to rows, one column a class, and back to probabilities."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.utils import _safe_indexing

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.classifier.target import Array, Target
from lwcal.errors import InputError, ParameterError, message

ROUNDING = 1e-6  # how far sums in float32 may carry a probability out of [0, 1]


class CalibratedPair(NamedTuple):
    """A fitted model, and one calibrator a class; with two classes only that of the second."""

    estimator: Any
    calibrators: list[Calibrator]


def fit_and_score(
    model: Any, X: Any, target: Target, train: Array, test: Array, classes: Array
) -> tuple[Any, FloatArray]:
    """Fit a model to some rows, and score others."""
    seen = target.take(train)
    model.fit(_safe_indexing(X, train), seen.labels, **seen.weights)
    return model, model_scores(model, _safe_indexing(X, test), classes)


def model_scores(model: Any, X: Any, classes: Array) -> FloatArray:
    """One column of scores a class; with two classes only that of the second."""
    if hasattr(model, "predict_proba"):
        scores = _clip_rounding(np.asarray(model.predict_proba(X), dtype=np.float64))
    elif hasattr(model, "decision_function"):
        scores = np.asarray(expit(np.asarray(model.decision_function(X), dtype=np.float64)))
        scores = np.column_stack([1.0 - scores, scores]) if scores.ndim == 1 else scores
    else:
        raise ParameterError(message("predict_proba or decision_function", f"neither in {model!r}"))
    if scores.shape[1:] != classes.shape:
        expected = f"a column of scores for each of {len(classes)} classes"
        raise InputError(message(expected, f"an array of shape {scores.shape}"))
    return scores[:, 1:] if len(classes) == 2 else scores


def _clip_rounding(scores: FloatArray) -> FloatArray:
    """Leave what is further out, or missing, for the calibrator to refuse."""
    clipped = np.clip(scores, 0.0, 1.0)
    return np.where(np.abs(scores - clipped) <= ROUNDING, clipped, scores)


def probabilities(pair: CalibratedPair, X: Any, classes: Array) -> FloatArray:
    """Calibrated probabilities by one pair."""
    scores = model_scores(pair.estimator, X, classes)
    columns = zip(pair.calibrators, scores.T, strict=True)
    calibrated = np.column_stack([calibrator.predict(column) for calibrator, column in columns])
    return combine(calibrated, scores)


def combine(calibrated: FloatArray, scores: FloatArray) -> FloatArray:
    """Turn calibrated columns, one a class or that of the second of two, into rows of sum 1."""
    if calibrated.shape[1] == 1:
        return np.hstack([1.0 - calibrated, calibrated])
    rows = np.where(calibrated.any(axis=1, keepdims=True), calibrated, scores)
    rows = np.where(rows.any(axis=1, keepdims=True), rows, 1.0)
    return rows / rows.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]
