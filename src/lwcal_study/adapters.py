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
"""How close to 0 and 1 a score is taken at its word, where a logit is needed."""


def require_libraries() -> None:
    """Refuse before any work is done."""
    for package, module in LIBRARIES.items():
        if find_spec(module) is None:
            raise missing_extra(package, "contenders", "the leaderboard")


def two_columns(scores: Any) -> Any:
    """Probabilities of both classes, as scikit-learn writes them."""
    return np.column_stack([1.0 - scores, scores])


def logits(scores: Any) -> Any:
    """Log-odds, finite at 0 and 1."""
    return logit(np.clip(scores, CLIP, 1 - CLIP))


class VennAbers:
    """The inductive Venn-Abers predictor: its two probabilities merged to one."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Keep the calibration rows."""
        from venn_abers import VennAbers as Predictor

        self._predictor = Predictor()
        with np.errstate(divide="ignore", invalid="ignore"):  # as the library itself asks for
            self._predictor.fit(two_columns(scores), labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        with np.errstate(divide="ignore", invalid="ignore"):
            merged, _ = self._predictor.predict_proba(two_columns(scores))
        return merged[:, 1]


class Beta:
    """Beta calibration as its authors wrote it."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit its three parameters."""
        from betacal import BetaCalibration

        self._fitted = BetaCalibration(parameters="abm").fit(scores, labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._fitted.predict(scores)


class Temperature:
    """Temperature scaling of scikit-learn, around a model that only repeats the scores."""

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
    """A classifier whose only feature is its score."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the names of the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        """Repeat the scores."""
        return two_columns(X[:, 0])

    def predict(self, X: Any) -> Any:
        """Name the likelier class."""
        return self.classes_[(X[:, 0] > 0.5).astype(int)]


class Quadratic:
    """Logistic regression on the logit and its square: a bend that Platt scaling lacks."""

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit three parameters, almost without a penalty."""
        self._fitted = LogisticRegression(C=1e6, max_iter=1000).fit(self._terms(scores), labels)
        return self

    def predict(self, scores: Any) -> Any:
        """Calibrated probabilities."""
        return self._fitted.predict_proba(self._terms(scores))[:, 1]

    @staticmethod
    def _terms(scores: Any) -> Any:
        z = logits(scores) / 5.0  # terms of a like size, which the solver needs
        return np.column_stack([z, z**2])
