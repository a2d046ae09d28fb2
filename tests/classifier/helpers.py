"""What the tests of CalibratedClassifier share: a model whose answers are known, and a check."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Replay(ClassifierMixin, BaseEstimator):
    """A fitted model whose probabilities are its features."""

    def __init__(self, classes=(0, 1, 2)):
        self.classes = classes

    @property
    def classes_(self):
        """Known without a fit."""
        return np.array(self.classes)

    def predict_proba(self, X):
        """Give the features back."""
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = len(self.classes) > 2
        return tags


def assert_probabilities(probabilities, n_classes):
    """Float64 in [0, 1] with rows that sum to 1."""
    assert probabilities.dtype == np.float64
    assert probabilities.shape[1] == n_classes
    assert probabilities.min() >= 0.0
    assert probabilities.max() <= 1.0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-12)
