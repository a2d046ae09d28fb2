"""CalibratedClassifier in the hands of scikit-learn."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import lwcal
from lwcal.classifier import CalibratedClassifier
from tests.classifier.helpers import Replay

NAMED_Y = "labels are called y_noisy, as in all of lwcal; the check wants the name y"
EXPECTED_FAILURES = {
    "check_fit_score_takes_y": NAMED_Y,
    "check_sample_weight_equivalence_on_dense_data": NAMED_Y,
    "check_sample_weight_equivalence_on_sparse_data": NAMED_Y,
}
COLUMNS = ["age", "income", "visits", "rating"]
prefit_and_folds = pytest.mark.parametrize("cv", ["prefit", 3])
averaged_and_pooled = pytest.mark.parametrize("ensemble", [True, False])


@pytest.mark.parametrize("freeze", [lambda model: model, FrozenEstimator])
def test_clone_of_a_prefit_classifier_keeps_the_model(two_classes, freeze):
    """So that it can be cross-validated and searched; the calibrators are forgotten."""
    X, y = two_classes
    model = freeze(LogisticRegression().fit(X[:300], y[:300]))
    fitted = CalibratedClassifier(model, lwcal.LWCal(floor=0.1)).fit(X[300:], y[300:])
    copy = clone(fitted)
    assert copy.estimator is model
    assert copy.calibrator is not fitted.calibrator
    assert not hasattr(copy, "pairs_")
    refitted = copy.fit(X[300:], y[300:])
    np.testing.assert_array_equal(refitted.predict_proba(X), fitted.predict_proba(X))


def test_clone_of_a_classifier_with_folds_copies_the_model(two_classes):
    """There is nothing to keep: the model is fitted anew."""
    fitted = CalibratedClassifier(LogisticRegression(C=2.0).fit(*two_classes), cv=3)
    copy = clone(fitted)
    assert copy.estimator.C == 2.0
    assert not hasattr(copy.estimator, "coef_")


@averaged_and_pooled
def test_a_frozen_model_is_prefit_whatever_cv_says(two_classes, ensemble):
    """Its fit does nothing, so all rows calibrate it, weights included."""
    X, y = two_classes
    model = LogisticRegression().fit(X[:300], y[:300])
    weights = np.linspace(0.0, 2.0, 600)
    frozen = CalibratedClassifier(FrozenEstimator(model), cv=3, ensemble=ensemble)
    frozen.fit(X, y, sample_weight=weights)
    prefit = CalibratedClassifier(model).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(frozen.predict_proba(X), prefit.predict_proba(X))


def test_cross_validation_and_search(two_classes):
    """Scores of folds, also of a fitted model, and a search over nested parameters."""
    X, y = two_classes
    model = LogisticRegression().fit(X[:300], y[:300])
    for classifier in (CalibratedClassifier(model), CalibratedClassifier(model, cv=3)):
        scores = cross_val_score(classifier, X[300:], y[300:], cv=3, scoring="neg_brier_score")
        assert (scores > -0.25).all()
    search = GridSearchCV(
        CalibratedClassifier(model, lwcal.LWCal(), cv=3),
        {"calibrator__floor": [0.1, 0.5], "estimator__C": [0.1, 2.0]},
        cv=2,
        error_score="raise",
    )
    best = search.fit(X, y).best_estimator_.pairs_[0]
    found = {"calibrator__floor": best.calibrators[0].floor, "estimator__C": best.estimator.C}
    assert search.best_params_ == found


def test_inside_and_around_a_pipeline(two_classes):
    """Scaling before the calibrated model and a calibrated pipeline do nearly the same."""
    X, y = two_classes
    frame = pd.DataFrame(X * [1.0, 10.0, 100.0, 1000.0], columns=COLUMNS)
    around = CalibratedClassifier(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    inside = make_pipeline(StandardScaler(), CalibratedClassifier(LogisticRegression(), cv=3))
    a, b = (model.fit(frame, y).predict_proba(frame) for model in (around, inside))
    assert around.feature_names_in_.tolist() == COLUMNS
    assert np.abs(a - b).mean() < 0.01  # not equal: the pipeline has a scaler in each fold


def test_parameters_are_nested(two_classes):
    """Parameters of model and calibrator are read and set through the classifier."""
    classifier = CalibratedClassifier(LogisticRegression(), lwcal.LWCal(), cv=3)
    changes = {"estimator__C": 0.5, "calibrator__floor": 0.2, "cv": 4, "ensemble": False}
    assert changes.items() <= classifier.set_params(**changes).get_params().items()
    (pair,) = classifier.fit(*two_classes).pairs_
    assert (pair.estimator.C, pair.calibrators[0].floor) == (0.5, 0.2)
    text = "CalibratedClassifier(cv=3, estimator=LogisticRegression())"
    assert repr(CalibratedClassifier(LogisticRegression(), cv=3)) == text


def test_pickle_gives_the_same_classifier(two_classes):
    """Fitted models and calibrators survive, bit for bit."""
    X, y = two_classes
    fitted = CalibratedClassifier(LogisticRegression(), cv=3).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize(
    ("model", "takes_nan", "takes_more_classes"),
    [(LGBMClassifier(), True, True), (SVC(), False, True), (Replay((0, 1)), False, False)],
)
def test_tags_are_those_of_the_model(model, takes_nan, takes_more_classes):
    """What the model takes, such as missing values, the calibrated model takes."""
    tags = CalibratedClassifier(model).__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.input_tags.allow_nan == takes_nan
    assert tags.classifier_tags.multi_class == takes_more_classes


@parametrize_with_checks(
    [CalibratedClassifier(LogisticRegression(), cv=3)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check):
    """Every check passes, or fails for the reason given above."""
    check(estimator)


class LabelsNamedY(CalibratedClassifier):
    """For the checks that pass labels by name."""

    def fit(self, X, y, sample_weight=None):
        """Fit as the parent does."""
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("name", [*EXPECTED_FAILURES, "check_dataframe_column_names_consistency"])
def test_only_the_name_of_the_labels_fails_checks(name):
    """With labels called y the checks that failed above pass, and one more that is not in them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings
        check = getattr(estimator_checks, name)
        check("LabelsNamedY", LabelsNamedY(LogisticRegression(), lwcal.Beta(), cv=3))
