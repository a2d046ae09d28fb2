"""Calibrators of other libraries, with ``fit(scores, labels)`` and ``predict(scores)``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from lwcal.errors import missing_extra

LIBRARIES = {"betacal": "betacal", "venn-abers": "venn_abers"}
CLIP = 1e-6
"""Scores are clipped this far from 0 and 1 before their logit is taken."""


def require_libraries() -> None:
    """Raise an error if a library is missing."""
    for package, module in LIBRARIES.items():
        if find_spec(module) is None:
            raise missing_extra(package, "leaderboard", "the leaderboard")


def two_columns(scores: Any) -> Any:
    """Probabilities of both classes, one column each."""
    return np.column_stack([1.0 - scores, scores])


def logits(scores: Any) -> Any:
    """Log-odds of clipped scores, so that all are finite."""
    return logit(np.clip(scores, CLIP, 1 - CLIP))


class VennAbers:
    """The inductive Venn-Abers predictor, with its two probabilities merged."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Store the calibration rows."""
        from venn_abers import VennAbers as Predictor

        self._predictor = Predictor()
        with np.errstate(divide="ignore", invalid="ignore"):  # the library divides by zero
            self._predictor.fit(two_columns(scores), labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        with np.errstate(divide="ignore", invalid="ignore"):
            merged, _ = self._predictor.predict_proba(two_columns(scores))
        return merged[:, 1]


class Beta:
    """Beta calibration, as implemented by its authors."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit three parameters."""
        from betacal import BetaCalibration

        self._fitted = BetaCalibration(parameters="abm").fit(scores, labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._fitted.predict(scores)


class Temperature:
    """Temperature scaling of scikit-learn."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit the temperature."""
        model = FrozenEstimator(ScoreModel().fit(None, labels))
        self._fitted = CalibratedClassifierCV(model, method="temperature")
        self._fitted.fit(np.reshape(scores, (-1, 1)), labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._fitted.predict_proba(np.reshape(scores, (-1, 1)))[:, 1]


class ScoreModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no types in scikit-learn
    """A classifier with the score as its only feature."""

    def fit(self, X: Any, y: Any) -> Self:
        """Store the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the scores."""
        return two_columns(X[:, 0])

    def predict(self, X: Any) -> Any:
        """Return the more probable class."""
        return self.classes_[(X[:, 0] > 0.5).astype(int)]


class Quadratic:
    """Logistic regression on the logit and its square."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit three parameters with almost no penalty."""
        self._fitted = LogisticRegression(C=1e6, max_iter=1000).fit(self._terms(scores), labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._fitted.predict_proba(self._terms(scores))[:, 1]

    @staticmethod
    def _terms(scores: Any) -> Any:
        z = logits(scores) / 5.0  # the solver needs terms of similar size
        return np.column_stack([z, z**2])
