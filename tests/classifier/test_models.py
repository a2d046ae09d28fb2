"""CalibratedClassifier takes models of every kind, with their frames and weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lwcal
from lwcal.classifier import CalibratedClassifier
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import (
    COLUMNS,
    OnlyCodes,
    Replay,
    assert_probabilities,
    averaged_and_pooled,
    frozen_and_folds,
)


def test_rounding_errors_of_float32_are_clipped():
    """1.0000001 becomes 1, and -1e-7 becomes 0."""
    X = np.array([[1.0000001, -1e-7], [0.2, 0.8], [0.4, 0.6], [-1e-7, 1.0000001]], np.float32)
    model = CalibratedClassifier(FrozenEstimator(Replay((0, 1))), lwcal.Identity()).fit(
        X, [0, 0, 1, 1]
    )
    assert X.max() > 1.0
    assert model.predict_proba(X)[[0, 3]].tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("score", [1.001, -0.001, np.nan, np.inf])
def test_scores_that_are_no_probabilities_are_refused(score):
    """Scores beyond rounding errors are refused in fit and in predict_proba."""
    good, bad = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.9, 0.1], [0.2, score]])
    classifier = CalibratedClassifier(FrozenEstimator(Replay((0, 1))))
    for use in (lambda: classifier.fit(bad, [0, 1]), lambda: classifier.predict_proba(bad)):
        with pytest.raises(InputError, match="scores"):
            use()
        classifier.fit(good, [0, 1])


@pytest.mark.parametrize("data", ["two_classes", "iris"])
def test_a_model_with_decision_function_only(request, data):
    """The logistic function turns decision values into scores."""
    X, y = request.getfixturevalue(data)
    model = LinearSVC(max_iter=10_000).fit(X, y)
    calibrated = CalibratedClassifier(FrozenEstimator(model), lwcal.Beta()).fit(X, y)
    of_last_class = expit(model.decision_function(X).reshape(len(y), -1)[:, -1])
    by_hand = lwcal.Beta().fit(of_last_class, y == y.max())
    assert (
        calibrated.calibrated_classifiers_[0].calibrators[-1].diagnostics_ == by_hand.diagnostics_
    )
    assert_probabilities(calibrated.predict_proba(X), len(set(y)))


def test_a_model_that_is_no_scikit_learn_estimator():
    """A frozen model needs only classes_ and predict_proba, also to be cloned and displayed."""

    class Plain:
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, X):
            return np.column_stack([1 - X, X])

    scores = np.linspace(0.01, 0.99, 99)
    labels = np.where(scores > 0.4, "yes", "no")
    classifier = clone(CalibratedClassifier(FrozenEstimator(Plain()), lwcal.Isotonic()))
    classifier.fit(scores, labels)
    np.testing.assert_array_equal(classifier.predict(scores), labels)
    assert "Plain" in classifier._repr_html_()
    with pytest.raises(ParameterError, match=r"FrozenEstimator\(model\)"):
        CalibratedClassifier(Plain()).fit(scores, labels)


def test_lightgbm_with_column_names_and_weights(two_classes):
    """LightGBM gets data frames and weights, in folds and in prediction."""
    try:
        from lightgbm import LGBMClassifier
    except OSError as error:
        pytest.skip(f"LightGBM needs the system package libgomp1: {error}")
    X, y = two_classes
    kind = pd.Categorical(np.random.default_rng(0).choice(["a", "b"], len(y)))
    frame = pd.DataFrame(X, columns=COLUMNS).assign(kind=kind)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    model = LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1)
    calibrated = CalibratedClassifier(model, cv=3).fit(frame, y, sample_weight=weights)
    assert calibrated.feature_names_in_.tolist() == [*COLUMNS, "kind"]
    assert calibrated.n_features_in_ == 5
    assert_probabilities(calibrated.predict_proba(frame), 2)
    train, test = next(StratifiedKFold(3).split(frame, y))
    by_hand = clone(model).fit(frame.iloc[train], y[train], sample_weight=weights[train])
    scores = by_hand.predict_proba(frame.iloc[test])[:, 1]
    calibrator = lwcal.Auto().fit(scores, y[test], sample_weight=weights[test])
    assert (
        calibrated.calibrated_classifiers_[0].calibrators[0].diagnostics_ == calibrator.diagnostics_
    )


@frozen_and_folds
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_reach_the_model_as_frames(two_classes, frame, prepared):
    """The result is that of an array, with column names and without a warning."""
    X, y = two_classes
    columns = frame(dict(zip(COLUMNS, X.T, strict=True)))
    of_frame, of_array = (LogisticRegression().fit(data, y) for data in (columns, X))
    named = CalibratedClassifier(prepared(of_frame), cv=3).fit(columns, y)
    plain = CalibratedClassifier(prepared(of_array), cv=3).fit(X, y)
    assert named.feature_names_in_.tolist() == COLUMNS
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_allclose(named.predict_proba(columns), plain.predict_proba(X))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict_proba(X)


@averaged_and_pooled
def test_weights_reach_model_and_calibrator(two_classes, ensemble):
    """Weights are frequencies: integer weights equal repeated rows."""
    X, y = two_classes
    times = np.random.default_rng(2).integers(0, 4, len(y))
    model = LogisticRegression(tol=1e-10, max_iter=1000)
    weighted, repeated = (
        CalibratedClassifier(
            model,
            lwcal.Beta(),
            cv=[(np.arange(half), np.arange(half, n)), (np.arange(half, n), np.arange(half))],
            ensemble=ensemble,
        )
        for half, n in [(300, 600), (times[:300].sum(), times.sum())]
    )
    weighted.fit(X, y, sample_weight=times)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_a_frozen_pipeline_takes_weights(two_classes):
    """Only the calibrators use them, so the pipeline need not accept them."""
    X, y = two_classes
    weights = np.where(y == 1, 2.0, 1.0)
    pipeline = FrozenEstimator(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y))
    weighted = CalibratedClassifier(pipeline, lwcal.Platt()).fit(X, y, sample_weight=weights)
    unweighted = CalibratedClassifier(pipeline, lwcal.Platt()).fit(X, y)
    assert (weighted.predict_proba(X)[:, 1] > unweighted.predict_proba(X)[:, 1]).all()


class LikeXGBoost(OnlyCodes):
    """A model whose class belongs to the package xgboost."""

    __module__ = "xgboost.sklearn"


@averaged_and_pooled
@pytest.mark.parametrize(
    ("model", "encode_labels"),
    [
        (LikeXGBoost(), "auto"),
        (make_pipeline(StandardScaler(), LikeXGBoost()), "auto"),
        (type("Own", (LikeXGBoost,), {"__module__": "own"})(), "auto"),
        (OnlyCodes(), True),
    ],
)
@pytest.mark.parametrize("names", [["ham", "spam"], [1, 2]])
def test_models_that_take_only_codes(two_classes, model, encode_labels, names, ensemble):
    """The model is fitted to 0 and 1, and predict returns the labels."""
    X, y = two_classes
    labels = np.array(names)[y]
    named = CalibratedClassifier(model, encode_labels=encode_labels, cv=3, ensemble=ensemble)
    plain = clone(named).fit(X, y)
    named.fit(X, labels)
    assert named.classes_.tolist() == names
    assert named.calibrated_classifiers_[0].estimator.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(named.predict(X), np.array(names)[plain.predict(X)])
    np.testing.assert_array_equal(named.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("parameters", [{}, {"encode_labels": False}])
def test_other_models_get_the_labels_themselves(two_classes, parameters):
    """So that weights of classes by their label work, and the model decides what it takes."""
    X, y = two_classes
    labels = np.array(["ham", "spam"])[y]
    weighted = LogisticRegression(class_weight={"spam": 5.0, "ham": 1.0})
    calibrated = CalibratedClassifier(weighted, cv=3, **parameters).fit(X, labels)
    assert calibrated.calibrated_classifiers_[0].estimator.classes_.tolist() == ["ham", "spam"]
    with pytest.raises(ValueError, match="Invalid classes"):
        CalibratedClassifier(OnlyCodes(), **parameters).fit(X, labels)
    if parameters:
        with pytest.raises(ValueError, match="Invalid classes"):
            CalibratedClassifier(LikeXGBoost(), **parameters).fit(X, labels)
