"""Models of the kind that misleads a noise estimate.

Each one is misspecified in its own way: its calibration curve bends where a noise model would
see wrong labels. Scores that other people cut, rounded or rescaled belong here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

TREES = 100


class Undersampled(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A model trained on as many rows of the larger class as there are of the smaller.

    Its scores are right for a base rate of one half, and too high for the rows it is used on.
    """

    def __init__(self, model: Any, random_state: int = 0) -> None:
        self.model = model
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a balanced subset."""
        random = np.random.default_rng(self.random_state)
        parts = [np.flatnonzero(y == label) for label in (0, 1)]
        size = min(len(part) for part in parts)
        kept = np.concatenate([random.permutation(part)[:size] for part in parts])
        self.model.fit(X[kept], y[kept])
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the model."""
        return self.model.predict_proba(X)


class Rescaled(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model whose scores somebody changed before they were handed on."""

    def __init__(self, model: Any, change: Callable[[Any], Any]) -> None:
        self.model = model
        self.change = change

    def fit(self, X: Any, y: Any) -> Self:
        """Train the model."""
        self.model.fit(X, y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        """Changed probabilities."""
        changed = self.change(self.model.predict_proba(X)[:, 1])
        return np.column_stack([1.0 - changed, changed])


def _logistic(**options: Any) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000, **options))


def _one_feature() -> Any:
    return make_pipeline(SelectKBest(f_classif, k=1), StandardScaler(), LogisticRegression())


def _forest(seed: int) -> Any:
    return RandomForestClassifier(TREES, min_samples_leaf=2, random_state=seed, n_jobs=1)


def _network(seed: int) -> Any:
    return make_pipeline(
        StandardScaler(), MLPClassifier((16,), max_iter=300, alpha=1e-3, random_state=seed)
    )


def cut(scores: Any) -> Any:
    """Cut scores to [0.1, 0.9] and round them to two digits.

    >>> cut(np.array([0.0, 0.456, 1.0]))
    array([0.1 , 0.46, 0.9 ])
    """
    return np.round(np.clip(scores, 0.1, 0.9), 2)


def squeezed(scores: Any) -> Any:
    """Map [0, 1] to [0.3, 0.8]: a ranking score dressed up as a probability.

    >>> squeezed(np.array([0.0, 0.5, 1.0]))
    array([0.3 , 0.55, 0.8 ])
    """
    return 0.3 + 0.5 * scores


def sharpened(scores: Any) -> Any:
    """Square the odds: an overconfident score.

    >>> sharpened(np.array([0.5, 0.9])).round(3)
    array([0.5  , 0.988])
    """
    p = np.clip(scores, 1e-6, 1.0 - 1e-6)
    return p**2 / (p**2 + (1.0 - p) ** 2)


LEARNERS: dict[str, Callable[[int], Any]] = {
    "Logistic regression": lambda seed: _logistic(),
    "Logistic regression, one feature": lambda seed: _one_feature(),
    "Logistic regression, balanced weights": lambda seed: _logistic(class_weight="balanced"),
    "Naive Bayes": lambda seed: GaussianNB(),
    "Stump": lambda seed: DecisionTreeClassifier(max_depth=1, random_state=seed),
    "Shallow tree": lambda seed: DecisionTreeClassifier(max_depth=3, random_state=seed),
    "AdaBoost": lambda seed: AdaBoostClassifier(n_estimators=50, random_state=seed),
    "Boosting": lambda seed: HistGradientBoostingClassifier(max_iter=60, random_state=seed),
    "Small network": _network,
    "Forest on an undersample": lambda seed: Undersampled(_forest(seed), seed),
    "Forest, scores cut": lambda seed: Rescaled(_forest(seed), cut),
    "Forest, scores squeezed": lambda seed: Rescaled(_forest(seed), squeezed),
    "Boosting, scores sharpened": lambda seed: Rescaled(
        HistGradientBoostingClassifier(max_iter=60, random_state=seed), sharpened
    ),
}
"""By the name that cells use; each makes an unfitted model from a seed."""
