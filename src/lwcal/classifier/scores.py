"""The scores of a model, one column for each class, and their calibrated probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.classifier.target import Array
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.scales import LOGIT, PROBABILITY

ROUNDING = 1e-6
"""Sums in float32 can move a probability this far outside [0, 1]."""


@dataclass(frozen=True)
class CalibratedModel:
    """A fitted model with its calibrators.

    Attributes
    ----------
    estimator : classifier
        The fitted model.
    calibrators : list of Calibrator
        One calibrator for each class, or one for all of them. Two classes need only that of the
        second class.
    classes : array
        The classes, in the order of the columns of ``predict_proba``.
    """

    estimator: Any
    calibrators: list[Calibrator]
    classes: Array

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the calibrated probability of each class. Every row sums to 1."""
        scores = model_scores(self.estimator, X, self.classes)
        if len(self.calibrators) < scores.shape[1]:
            return self.calibrators[0].predict(joint_scores(scores))
        columns = zip(self.calibrators, scores.T, strict=True)
        calibrated = np.column_stack([calibrator.predict(column) for calibrator, column in columns])
        return combine(calibrated, scores)


def is_joint(calibrator: Calibrator, n_classes: int) -> bool:
    """Whether one calibrator takes the scores of all classes together."""
    if not isinstance(calibrator, ClassCalibrator):
        return False
    return n_classes > 2 and not calibrator.calibrates_classes_apart


def joint_scores(scores: FloatArray) -> FloatArray:
    """Scores of all classes for one calibrator, which refuses those outside [0, 1]."""
    return whole_rows(scores) if ((scores >= 0.0) & (scores <= 1.0)).all() else scores


def whole_rows(scores: FloatArray) -> FloatArray:
    """Scores whose rows sum to 1. A row of zeros makes all classes equally probable.

    >>> whole_rows(np.array([[0.0, 0.0], [0.2, 0.6]]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    rows = np.where(scores.any(axis=1, keepdims=True), scores, 1.0)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def score_scale(model: Any, classes: Array) -> str:
    """Scale of the scores of a model: margins if it has them for two classes, and says so.

    The margins of more classes become probabilities first, since one class alone has no log-odds.
    """
    is_one_column = len(classes) == 2
    return str(getattr(model, "score_scale_", PROBABILITY)) if is_one_column else PROBABILITY


def model_scores(model: Any, X: Any, classes: Array) -> FloatArray:
    """Return one column of scores for each class, or only that of the second of two."""
    if score_scale(model, classes) == LOGIT:
        return np.asarray(model.decision_function(X), dtype=np.float64).reshape(-1, 1)
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
    """Clip rounding errors only: the calibrator refuses other scores outside [0, 1]."""
    clipped = np.clip(scores, 0.0, 1.0)
    return np.where(np.abs(scores - clipped) <= ROUNDING, clipped, scores)


def combine(calibrated: FloatArray, scores: FloatArray) -> FloatArray:
    """Turn calibrated columns into one column for each class, with rows that sum to 1."""
    if calibrated.shape[1] == 1:
        return np.hstack([1.0 - calibrated, calibrated])
    return whole_rows(np.where(calibrated.any(axis=1, keepdims=True), calibrated, scores))
