"""CalibratedClassifier takes models of every kind, with their frames and weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lwcal
from lwcal.classifier import CalibratedClassifier
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import Replay, assert_probabilities

COLUMNS = ["age", "income", "visits", "rating"]
prefit_and_folds = pytest.mark.parametrize("cv", ["prefit", 3])
averaged_and_pooled = pytest.mark.parametrize("ensemble", [True, False])


def test_rounding_errors_of_float32_are_clipped():
    """1.0000001 is 1 and -1e-7 is 0."""
    X = np.array([[1.0000001, -1e-7], [0.2, 0.8], [0.4, 0.6], [-1e-7, 1.0000001]], np.float32)
    model = CalibratedClassifier(Replay((0, 1)), lwcal.Identity()).fit(X, [0, 0, 1, 1])
    assert X.max() > 1.0
    assert model.predict_proba(X)[[0, 3]].tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("score", [1.001, -0.001, np.nan, np.inf])
def test_scores_that_are_no_probabilities_are_refused(score):
    """What is further out than rounding is an error, in fit and in predict_proba."""
    good, bad = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.9, 0.1], [0.2, score]])
    classifier = CalibratedClassifier(Replay((0, 1)))
    for use in (lambda: classifier.fit(bad, [0, 1]), lambda: classifier.predict_proba(bad)):
        with pytest.raises(InputError, match="probabilities in"):
            use()
        classifier.fit(good, [0, 1])


@pytest.mark.parametrize("data", ["two_classes", "iris"])
def test_a_model_with_decision_function_only(request, data):
    """Its decision values become scores through the logistic function."""
    X, y = request.getfixturevalue(data)
    model = LinearSVC(max_iter=10_000).fit(X, y)
    calibrated = CalibratedClassifier(model, lwcal.Beta()).fit(X, y)
    of_last_class = expit(model.decision_function(X).reshape(len(y), -1)[:, -1])
    by_hand = lwcal.Beta().fit(of_last_class, y == y.max())
    assert calibrated.pairs_[0].calibrators[-1].diagnostics_ == by_hand.diagnostics_
    assert_probabilities(calibrated.predict_proba(X), len(set(y)))


def test_a_model_that_is_no_scikit_learn_estimator():
    """With cv="prefit" classes_ and predict_proba are enough, also to clone and to display."""

    class Plain:
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, X):
            return np.column_stack([1 - X, X])

    scores = np.linspace(0.01, 0.99, 99)
    labels = np.where(scores > 0.4, "yes", "no")
    classifier = clone(CalibratedClassifier(Plain(), lwcal.Isotonic())).fit(scores, labels)
    np.testing.assert_array_equal(classifier.predict(scores), labels)
    assert "Plain" in classifier._repr_html_()


def test_lightgbm_with_column_names_and_weights(two_classes):
    """A data frame reaches LightGBM as one, in folds and in prediction, and weights arrive."""
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
    assert calibrated.pairs_[0].calibrators[0].diagnostics_ == calibrator.diagnostics_


@prefit_and_folds
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_reach_the_model_as_frames(two_classes, frame, cv):
    """Same result as from an array, with names and without a warning about them."""
    X, y = two_classes
    columns = frame(dict(zip(COLUMNS, X.T, strict=True)))
    named = CalibratedClassifier(LogisticRegression().fit(columns, y), cv=cv).fit(columns, y)
    plain = CalibratedClassifier(LogisticRegression().fit(X, y), cv=cv).fit(X, y)
    assert named.feature_names_in_.tolist() == COLUMNS
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_allclose(named.predict_proba(columns), plain.predict_proba(X))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict_proba(X)


@averaged_and_pooled
def test_weights_reach_model_and_calibrator(two_classes, ensemble):
    """Weights are frequencies for both: integer weights equal repeated rows."""
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


def test_a_pipeline_takes_weights_only_when_it_is_fitted_already(two_classes):
    """Folds would have to pass the weights on and cannot; a fitted pipeline needs none."""
    X, y = two_classes
    weights = np.where(y == 1, 2.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    with pytest.raises(ParameterError, match="takes sample_weight, got Pipeline"):
        CalibratedClassifier(pipeline, cv=3).fit(X, y, sample_weight=weights)
    weighted = CalibratedClassifier(pipeline, lwcal.Platt()).fit(X, y, sample_weight=weights)
    unweighted = CalibratedClassifier(pipeline, lwcal.Platt()).fit(X, y)
    assert (weighted.predict_proba(X)[:, 1] > unweighted.predict_proba(X)[:, 1]).all()
