"""Platt scaling and beta calibration whose slopes may be negative.

The paper's AUCs need them: a map that never decreases keeps the AUC of the raw score, or loses some
of it to ties, and the paper's Platt and beta rows lose 0.02.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

import lwcal

EDGE = 1e-6
"""Scores are clipped here before their logarithms are taken."""
RIDGE = 1e-6
"""Keeps the fit to separable rows finite."""


class _Logistic(ABC):
    """Logistic regression on features of the score, by maximum likelihood."""

    def __repr__(self) -> str:
        """Name and constants, which are all that a fit depends on besides its rows."""
        return f"{type(self).__name__}(edge={EDGE:g}, ridge={RIDGE:g})"

    @abstractmethod
    def features(self, scores: Any) -> Any:
        """Columns of the regression."""

    def fit_table(self, table: lwcal.ScoreTable) -> _Logistic:
        """Fit to the counts of a table."""
        X = self.features(table.scores)
        signs = np.concatenate((np.full(len(X), -1.0), np.ones(len(X))))
        counts = np.concatenate((table.negatives, table.positives))
        X = np.concatenate((X, X))

        def loss(coefficients: Any) -> tuple[float, Any]:
            margins = signs * (X @ coefficients)
            pull = -counts * signs * expit(-margins)
            penalty = RIDGE * coefficients
            value = counts @ np.logaddexp(0.0, -margins) + penalty @ coefficients / 2
            return float(value), X.T @ pull + penalty

        self.coefficients = minimize(loss, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B").x
        return self

    def predict(self, scores: Any) -> Any:
        """Probabilities of new scores."""
        return expit(self.features(np.asarray(scores)) @ self.coefficients)


class FreePlatt(_Logistic):
    """Platt scaling on the logits of the scores, with a slope of any sign.

    >>> table = lwcal.ScoreTable.from_arrays([0.2, 0.3, 0.6, 0.8], [1, 1, 0, 1])
    >>> bool(FreePlatt().fit_table(table).coefficients[0] < 0)
    True
    """

    def features(self, scores: Any) -> Any:
        """The logit and a constant."""
        p = np.clip(scores, EDGE, 1 - EDGE)
        return np.column_stack((np.log(p / (1 - p)), np.ones(len(p))))


class FreeBeta(_Logistic):
    """Beta calibration with slopes of any sign.

    >>> table = lwcal.ScoreTable.from_arrays([0.2, 0.3, 0.6, 0.8], [0, 1, 0, 1])
    >>> FreeBeta().fit_table(table).predict([0.5]).shape
    (1,)
    """

    def features(self, scores: Any) -> Any:
        """Both logarithms and a constant."""
        p = np.clip(scores, EDGE, 1 - EDGE)
        return np.column_stack((np.log(p), -np.log1p(-p), np.ones(len(p))))
