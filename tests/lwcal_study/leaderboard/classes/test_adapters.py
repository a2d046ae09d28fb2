"""Calibrators of many classes with one interface, against the libraries themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

import lwcal
from lwcal_study.leaderboard.classes.adapters import (
    ClassScoreModel,
    Joint,
    OneAgainstRest,
    ScikitLearn,
)


def drawn(seed, n=200, n_classes=4):
    """Probabilities of a model, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(n_classes, 0.7), n)
    labels = (rng.random(n)[:, None] > scores.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return scores, labels


class Copied:
    """Returns its scores, or zeros where they are low."""

    def fit(self, scores, labels):
        """Remember the labels."""
        self.labels = labels
        return self

    def predict(self, scores):
        """Cut low scores."""
        return np.where(scores > 0.5, scores, 0.0)


def test_one_against_the_rest_is_that_of_the_classifier():
    """The comparison is with what lwcal.CalibratedClassifier does, bit for bit."""
    scores, labels = drawn(0)
    new, _ = drawn(1)
    model = FrozenEstimator(ClassScoreModel().fit(scores, labels))
    there = lwcal.CalibratedClassifier(model, lwcal.Auto(), multiclass="one_vs_rest")
    here = OneAgainstRest(lwcal.Auto).fit(scores, labels).predict(new)
    np.testing.assert_array_equal(here, there.fit(scores, labels).predict_proba(new))


@settings(max_examples=25)
@given(st.integers(0, 2**20), st.integers(3, 6))
def test_rows_of_one_against_the_rest_sum_to_one(seed, n_classes):
    """Also where every class was cut to zero: there the scores stay."""
    scores, labels = drawn(seed, 40, n_classes)
    found = OneAgainstRest(Copied).fit(scores, labels).predict(scores)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    low = (scores <= 0.5).all(axis=1)
    np.testing.assert_allclose(found[low], scores[low])
    assert (found[~low].max(axis=1) == 1).all()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_scikit_learn_fits_all_rows(method):
    """As it does with its own folds of a frozen model, but with any number of rows of a class."""
    scores, labels = drawn(2)
    new, _ = drawn(3)
    model = FrozenEstimator(ClassScoreModel().fit(scores, labels))
    there = CalibratedClassifierCV(model, method=method, ensemble=False).fit(scores, labels)
    here = ScikitLearn(method).fit(scores, labels).predict(new)
    np.testing.assert_allclose(here, there.predict_proba(new), atol=1e-9)
    labels[labels == 3] = 0
    labels[:2] = 3
    assert ScikitLearn(method).fit(scores, labels).predict(new).shape == new.shape


def test_a_joint_calibrator_keeps_the_column_of_a_class_without_labels():
    """Calibration rows of a rare class can all be mislabelled."""
    scores, labels = drawn(4)
    labels[labels == 2] = 1
    found = Joint(lwcal.Temperature()).fit(scores, labels).predict(scores)
    assert found.shape == scores.shape
    assert (found[:, 2] > 0).all()
