"""Shared by the tests of CalibratedClassifier: models with known answers, and a check."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

COLUMNS = ["age", "income", "visits", "rating"]


def as_it_is(model):
    """Leave a model to be refitted on folds."""
    return model


frozen_and_folds = pytest.mark.parametrize("prepared", [FrozenEstimator, as_it_is])
averaged_and_pooled = pytest.mark.parametrize("ensemble", [True, False])


class Replay(ClassifierMixin, BaseEstimator):
    """A fitted model whose probabilities are its features."""

    def __init__(self, classes=(0, 1, 2)):
        self.classes = classes

    @property
    def classes_(self):
        """Return the classes, also before a fit."""
        return np.array(self.classes)

    def predict_proba(self, X):
        """Return the features."""
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = len(self.classes) > 2
        return tags


class OnlyCodes(LogisticRegression):
    """A model that takes only the labels 0 to K - 1, as XGBoost's classifiers do."""

    def fit(self, X, y, sample_weight=None):
        """Refuse other labels, then fit."""
        classes = np.unique(y)
        if not np.array_equal(classes, np.arange(len(classes))):
            raise ValueError(f"Invalid classes: {classes}")
        return super().fit(X, y, sample_weight)


def assert_probabilities(probabilities, n_classes):
    """Assert float64 in [0, 1] with rows that sum to 1."""
    assert probabilities.dtype == np.float64
    assert probabilities.shape[1] == n_classes
    assert probabilities.min() >= 0.0
    assert probabilities.max() <= 1.0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-12)
