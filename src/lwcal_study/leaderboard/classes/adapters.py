"""Calibrators of many classes with one interface: ``fit(scores, labels)``, ``predict(scores)``.

Scores have a column for each class. Labels are the numbers of the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator


class Joint:
    """A calibrator of lwcal that takes all classes together."""

    def __init__(self, calibrator: Any) -> None:
        self._calibrator = calibrator

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit to all columns. A class without a label keeps its column."""
        self._calibrator.fit(scores, labels, classes=range(scores.shape[1]))
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._calibrator.predict(scores)


class OneAgainstRest:
    """A calibrator of two classes for each column. Rows are divided by their sums.

    A row of zeros keeps its scores, as in :class:`lwcal.CalibratedClassifier`.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit to each class against the rest."""
        self._fitted = [
            self._make().fit(column, (labels == k).astype(int)) for k, column in enumerate(scores.T)
        ]
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        columns = zip(self._fitted, scores.T, strict=True)
        found = np.column_stack([fitted.predict(column) for fitted, column in columns])
        found = np.where(found.any(axis=1, keepdims=True), found, scores)
        return found / found.sum(axis=1, keepdims=True)


class ScikitLearn:
    """A method of scikit-learn's ``CalibratedClassifierCV``, fitted to all rows at once."""

    def __init__(self, method: str) -> None:
        self._method = method

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit to the scores of a model that needs no fit, so one fold has all rows."""
        rows = np.arange(len(labels))
        model = FrozenEstimator(ClassScoreModel().fit(scores, labels))
        self._fitted = CalibratedClassifierCV(model, method=self._method, cv=[(rows, rows)])
        self._fitted.fit(scores, labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._fitted.predict_proba(scores)


class ClassScoreModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no types in scikit-learn
    """A classifier whose features are the scores."""

    def fit(self, X: Any, y: Any) -> Self:
        """Number the classes."""
        self.classes_ = np.arange(X.shape[1])
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the scores."""
        return X

    def predict(self, X: Any) -> Any:
        """Return the most probable class."""
        return X.argmax(axis=1)
