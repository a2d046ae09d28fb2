"""CalibratedClassifier in scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import lwcal
from lwcal.classifier import CalibratedClassifier
from tests.classifier.helpers import COLUMNS, Replay, averaged_and_pooled


def test_the_default_is_five_stratified_folds(two_classes):
    """As in scikit-learn: an ensemble of five, whether or not the model is fitted."""
    X, y = two_classes
    model = LogisticRegression().fit(X, 1 - y)
    calibrated = CalibratedClassifier(model, lwcal.Beta()).fit(X, y)
    given = CalibratedClassifier(LogisticRegression(), lwcal.Beta(), cv=StratifiedKFold(5))
    assert len(calibrated.calibrated_classifiers_) == 5
    np.testing.assert_array_equal(calibrated.predict_proba(X), given.fit(X, y).predict_proba(X))
    assert (model.predict(X) == 1 - y).mean() > 0.7  # the model itself stays as it is


def test_clone_keeps_a_frozen_model(two_classes):
    """The clone has the same model and no calibrators."""
    X, y = two_classes
    model = FrozenEstimator(LogisticRegression().fit(X[:300], y[:300]))
    fitted = CalibratedClassifier(model, lwcal.LWCal(floor=0.1)).fit(X[300:], y[300:])
    copy = clone(fitted)
    assert copy.estimator is model
    assert copy.calibrator is not fitted.calibrator
    assert not hasattr(copy, "calibrated_classifiers_")
    refitted = copy.fit(X[300:], y[300:])
    np.testing.assert_array_equal(refitted.predict_proba(X), fitted.predict_proba(X))


def test_clone_forgets_the_fit_of_the_model(two_classes):
    """The folds fit the model anew."""
    fitted = CalibratedClassifier(LogisticRegression(C=2.0).fit(*two_classes))
    copy = clone(fitted)
    assert copy.estimator.C == 2.0
    assert not hasattr(copy.estimator, "coef_")


@pytest.mark.parametrize("parameters", [{}, {"cv": 3}, {"ensemble": False}])
def test_a_frozen_model_is_calibrated_on_all_rows(two_classes, parameters):
    """Its fit does nothing, so it needs no folds. The weights count."""
    X, y = two_classes
    model = LogisticRegression().fit(X[:300], y[:300])
    weights = np.linspace(0.0, 2.0, 600)
    frozen = CalibratedClassifier(FrozenEstimator(model), lwcal.Beta(), **parameters)
    (member,) = frozen.fit(X, y, sample_weight=weights).calibrated_classifiers_
    by_hand = lwcal.Beta().fit(model.predict_proba(X)[:, 1], y, sample_weight=weights)
    assert member.calibrators[0].diagnostics_ == by_hand.diagnostics_


def test_a_frozen_model_can_have_an_ensemble_of_calibrators(two_classes):
    """As in scikit-learn, if ensemble is True: one calibrator for each held-out part."""
    X, y = two_classes
    model = LogisticRegression().fit(X[:300], y[:300])
    frozen = CalibratedClassifier(FrozenEstimator(model), lwcal.Beta(), cv=3, ensemble=True)
    members = frozen.fit(X, y).calibrated_classifiers_
    for (_, test), member in zip(StratifiedKFold(3).split(X, y), members, strict=True):
        by_hand = lwcal.Beta().fit(model.predict_proba(X[test])[:, 1], y[test])
        assert member.estimator.estimator is model
        assert member.calibrators[0].diagnostics_ == by_hand.diagnostics_


def test_search_over_model_and_calibrator(two_classes):
    """The best parameters are those of the refitted members."""
    search = GridSearchCV(
        CalibratedClassifier(LogisticRegression(), lwcal.LWCal(), cv=3),
        {"calibrator__floor": [0.1, 0.5], "estimator__C": [0.1, 2.0]},
        cv=2,
        error_score="raise",
    )
    best = search.fit(*two_classes).best_estimator_.calibrated_classifiers_[0]
    found = {"calibrator__floor": best.calibrators[0].floor, "estimator__C": best.estimator.C}
    assert search.best_params_ == found


def test_inside_and_around_a_pipeline(two_classes):
    """A calibrated pipeline nearly equals a pipeline with a calibrated model."""
    X, y = two_classes
    frame = pd.DataFrame(X * [1.0, 10.0, 100.0, 1000.0], columns=COLUMNS)
    around = CalibratedClassifier(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    inside = make_pipeline(StandardScaler(), CalibratedClassifier(LogisticRegression(), cv=3))
    a, b = (model.fit(frame, y).predict_proba(frame) for model in (around, inside))
    assert around.feature_names_in_.tolist() == COLUMNS
    assert np.abs(a - b).mean() < 0.01  # not equal: the pipeline fits a scaler in each fold


def test_parameters_are_nested(two_classes):
    """The classifier reads and sets the parameters of model and calibrator."""
    classifier = CalibratedClassifier(LogisticRegression(), lwcal.LWCal(), cv=3)
    changes = {"estimator__C": 0.5, "calibrator__floor": 0.2, "cv": 4, "ensemble": False}
    assert changes.items() <= classifier.set_params(**changes).get_params().items()
    (member,) = classifier.fit(*two_classes).calibrated_classifiers_
    assert (member.estimator.C, member.calibrators[0].floor) == (0.5, 0.2)
    text = "CalibratedClassifier(cv=3, estimator=LogisticRegression())"
    assert repr(CalibratedClassifier(LogisticRegression(), cv=3)) == text


@averaged_and_pooled
def test_pickle_gives_the_same_classifier(two_classes, ensemble):
    """Its predictions are identical."""
    X, y = two_classes
    fitted = CalibratedClassifier(LogisticRegression(), cv=3, ensemble=ensemble).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("prepared", [FrozenEstimator, lambda model: model])
@pytest.mark.parametrize(
    ("model", "takes_nan", "takes_more_classes"),
    [(LGBMClassifier(), True, True), (SVC(), False, True), (Replay((0, 1)), False, False)],
)
def test_tags_are_those_of_the_model(prepared, model, takes_nan, takes_more_classes):
    """The calibrated model takes what the model takes, such as missing values."""
    tags = CalibratedClassifier(prepared(model)).__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.input_tags.allow_nan == takes_nan
    assert tags.classifier_tags.multi_class == takes_more_classes


@parametrize_with_checks([CalibratedClassifier(LogisticRegression(), cv=2)])
def test_scikit_learns_checks(estimator, check):
    """Every check passes."""
    check(estimator)
