"""CalibratedClassifier with models, calibrators and two classes or more."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import lwcal
from lwcal.classifier import CalibratedClassifier
from tests.classifier.helpers import (
    Replay,
    assert_probabilities,
    averaged_and_pooled,
    frozen_and_folds,
)


@pytest.mark.parametrize("calibrator", [None, lwcal.LWCal(), lwcal.Beta(pos_label="unused")])
def test_a_frozen_model_calibrates_the_score_of_the_second_class(two_classes, calibrator):
    """The second column is the calibrated second column of the model, which stays as it is."""
    X, y = two_classes
    model = LogisticRegression().fit(X[:300], y[:300])
    coefficients = model.coef_.copy()
    calibrated = CalibratedClassifier(FrozenEstimator(model), calibrator).fit(X[300:], y[300:])
    by_hand = lwcal.Auto() if calibrator is None else clone(calibrator)
    by_hand.set_params(pos_label=1).fit(model.predict_proba(X[300:])[:, 1], y[300:])
    expected = by_hand.predict(model.predict_proba(X)[:, 1])
    assert_probabilities(calibrated.predict_proba(X), 2)
    np.testing.assert_array_equal(calibrated.predict_proba(X)[:, 1], expected)
    np.testing.assert_array_equal(calibrated.predict(X), (expected > 0.5).astype(int))
    assert calibrated.calibrated_classifiers_[0].estimator.estimator is model
    np.testing.assert_array_equal(model.coef_, coefficients)
    assert not hasattr(calibrator, "map_")


def test_folds_are_calibrated_on_held_out_rows(two_classes):
    """Each member is a model of the training part with a calibrator of the held-out part."""
    X, y = two_classes
    calibrated = CalibratedClassifier(LogisticRegression(), lwcal.Beta(), cv=3).fit(X, y)
    of_folds = []
    splits = StratifiedKFold(3).split(X, y)
    for (train, test), member in zip(splits, calibrated.calibrated_classifiers_, strict=True):
        model = LogisticRegression().fit(X[train], y[train])
        by_hand = lwcal.Beta().fit(model.predict_proba(X[test])[:, 1], y[test])
        assert member.calibrators[0].diagnostics_ == by_hand.diagnostics_
        of_folds.append(by_hand.predict(model.predict_proba(X)[:, 1]))
    np.testing.assert_allclose(calibrated.predict_proba(X)[:, 1], np.mean(of_folds, axis=0))


@pytest.mark.parametrize("as_masks", [False, True])
def test_without_an_ensemble_the_held_out_scores_are_pooled(two_classes, as_masks):
    """One model is fitted to all rows, one calibrator to all held-out scores."""
    X, y = two_classes
    scores, splits = np.empty(len(y)), list(StratifiedKFold(3).split(X, y))
    for train, test in splits:
        model = LogisticRegression().fit(X[train], y[train])
        scores[test] = model.predict_proba(X[test])[:, 1]
    if as_masks:
        splits = [tuple(np.isin(np.arange(len(y)), part) for part in split) for split in splits]
    pooled = CalibratedClassifier(LogisticRegression(), lwcal.Beta(), cv=splits, ensemble=False)
    (member,) = pooled.fit(X, y).calibrated_classifiers_
    np.testing.assert_array_equal(member.estimator.coef_, LogisticRegression().fit(X, y).coef_)
    assert member.calibrators[0].diagnostics_ == lwcal.Beta().fit(scores, y).diagnostics_


def test_parallel_folds_give_the_same(two_classes):
    """Workers fit the folds if n_jobs asks for them, with the same result."""

    class NotesItsThread(LogisticRegression):
        def fit(self, X, y):
            self.thread_ = threading.get_ident()
            return super().fit(X, y)

    X, y = two_classes
    alone = CalibratedClassifier(NotesItsThread(), cv=3).fit(X, y)
    with parallel_config(backend="threading"):  # starts faster than processes
        together = clone(alone).set_params(n_jobs=2).fit(X, y)
    threads = {member.estimator.thread_ for member in together.calibrated_classifiers_}
    assert threading.get_ident() not in threads
    np.testing.assert_array_equal(alone.predict_proba(X), together.predict_proba(X))


@averaged_and_pooled
@pytest.mark.parametrize("data", ["two_classes", "iris"])
@pytest.mark.parametrize(
    ("calibrator", "method", "tolerance"),
    [(lwcal.Platt(space="score"), "sigmoid", 1e-3), (lwcal.Isotonic(), "isotonic", 1e-6)],
)
def test_same_as_calibrated_classifier_cv(request, data, calibrator, method, tolerance, ensemble):
    """Equal models, folds and methods give the probabilities that scikit-learn gives."""
    X, y = request.getfixturevalue(data)
    model = RandomForestClassifier(n_estimators=15, max_depth=4, random_state=0)
    folds = {"cv": StratifiedKFold(3, shuffle=True, random_state=1), "ensemble": ensemble}
    ours = CalibratedClassifier(model, calibrator, **folds).fit(X, y)
    theirs = CalibratedClassifierCV(model, method=method, **folds).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=tolerance)


@frozen_and_folds
def test_three_classes_get_one_calibrator_each(iris, prepared):
    """Each class is calibrated against the rest. Rows are then divided by their sum."""
    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y)
    calibrated = CalibratedClassifier(prepared(model), lwcal.Beta(), cv=3).fit(X, y)
    members = calibrated.calibrated_classifiers_
    expected = np.zeros((len(y), 3))
    for member in members:
        scores = member.estimator.predict_proba(X)
        rows = np.column_stack([member.calibrators[k].predict(scores[:, k]) for k in range(3)])
        expected += rows / rows.sum(axis=1, keepdims=True) / len(members)
    assert_probabilities(calibrated.predict_proba(X), 3)
    np.testing.assert_allclose(calibrated.predict_proba(X), expected)
    by_hand = lwcal.Beta().fit(model.predict_proba(X)[:, 1], y == 1)
    same_map = members[0].calibrators[1].diagnostics_ == by_hand.diagnostics_
    assert same_map == (prepared is FrozenEstimator)
    assert (calibrated.predict(X) == y).mean() > 0.8


@frozen_and_folds
@pytest.mark.parametrize("wrap", [np.asarray, list, pd.Series, pl.Series])
@pytest.mark.parametrize("names", [["ham", "spam"], [False, True]])
def test_labels_may_be_names_or_booleans(two_classes, prepared, wrap, names):
    """The probabilities are those of the labels 0 and 1, and predict returns the names."""
    X, y = two_classes
    labels = wrap(np.array(names)[y])
    named_model, model = (LogisticRegression().fit(X, list(values)) for values in (labels, y))
    named = CalibratedClassifier(prepared(named_model), cv=3).fit(X, labels)
    plain = CalibratedClassifier(prepared(model), cv=3).fit(X, y)
    assert named.classes_.tolist() == names
    np.testing.assert_array_equal(named.predict(X), np.array(names)[plain.predict(X)])
    np.testing.assert_array_equal(named.predict_proba(X), plain.predict_proba(X))


def test_a_row_of_zeros_takes_the_scores_of_the_model():
    """Scores replace a row of calibrated zeros. If they are zeros too, classes are equal."""
    X = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 5)
    calibrated = CalibratedClassifier(FrozenEstimator(Replay()), lwcal.Isotonic())
    calibrated.fit(X, [0, 1, 2] * 5)
    new = np.array([[0.05, 0.05, 0.10], [0.0, 0.0, 0.0], [0.8, 0.0, 0.0]])
    expected = [[0.25, 0.25, 0.5], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]]
    np.testing.assert_allclose(calibrated.predict_proba(new), expected, rtol=1e-15)
    np.testing.assert_array_equal(calibrated.predict(new), [2, 0, 0])
