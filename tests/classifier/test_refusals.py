"""CalibratedClassifier refuses unusable input, and says why."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.svm import SVC

import lwcal
from lwcal.classifier import CalibratedClassifier
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import assert_probabilities


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"cv": "prefit"}, r"'prefit'.*CalibratedClassifier\(FrozenEstimator\(model\)\)"),
        ({"cv": "five"}, "'five'"),
        ({"cv": 1}, "cv=1 .*n_splits=2 or more"),
        ({"cv": 100_000}, "cv=100000 .*number of samples"),
        ({"ensemble": "no"}, "ensemble.*'no'"),
        ({"encode_labels": 2}, "encode_labels.*2"),
        ({"calibrator": "lwcal"}, "calibrator.*'lwcal'"),
        ({"calibrator": lwcal.LWCal}, "calibrator.*<class"),
        ({"calibrator": lwcal.LWCal(floor=2.0), "cv": 3}, "floor.*2.0"),
        ({"estimator": FrozenEstimator(LGBMClassifier())}, "fitted.*LGBMClassifier"),
        ({"estimator": FrozenEstimator(LogisticRegression())}, "fitted.*LogisticRegression"),
        ({"estimator": KMeans(2, n_init=1), "cv": 3}, "decision_function.*KMeans"),
    ],
)
def test_bad_parameters_are_refused(two_classes, parameters, expected):
    """fit refuses them, as scikit-learn requires, and names the value."""
    with pytest.raises(ParameterError, match=expected):
        CalibratedClassifier(**{"estimator": LogisticRegression(), **parameters}).fit(*two_classes)


@pytest.mark.parametrize("pos_label", ["bad", None, "unknown"])
def test_flip_rates_of_another_positive_class_are_refused(two_classes, pos_label):
    """Who says that 30% of the bad rows are missed must not get 30% of the good ones."""
    X, y = two_classes
    labels = np.where(y == 1, "bad", "good")
    for name in ("noise_rates", "prior_rates"):
        calibrator = lwcal.NoiseAware(**{name: (0.0, 0.3)}, pos_label=pos_label)
        with pytest.raises(ParameterError, match=r"positive class 'good'.*'bad' labelled 'good'"):
            CalibratedClassifier(LogisticRegression(), calibrator).fit(X, labels)
    equal = lwcal.NoiseAware(noise_rates=(0.1, 0.1), pos_label=pos_label)
    right = lwcal.NoiseAware(noise_rates=(0.3, 0.0), pos_label="good")
    for calibrator in (equal, right):
        CalibratedClassifier(LogisticRegression(), calibrator, ensemble=False).fit(X, labels)
    obvious = lwcal.NoiseAware(noise_rates=(0.0, 0.3))
    CalibratedClassifier(LogisticRegression(), obvious, ensemble=False).fit(X, y)


@pytest.mark.parametrize(
    ("labels", "weights", "expected"),
    [
        (["0", "1"] * 300, None, r"\[0, 1\].*\['0', '1'\]"),
        ([0, 2] * 300, None, r"\[0, 1\].*\[2\]"),
        ([0] * 600, None, "class 1 in the calibration rows"),
        ([0, None] * 300, None, "300 of 600 .*row 1"),
        ([0, np.inf] * 300, None, "300 of 600 .*row 1"),
        ([0, 1] * 300, [-1.0] * 600, "sample_weight"),
        ([0, 1] * 300, [1.0] * 599, "599"),
        (None, None, "requires y to be passed, but the target y is None"),
    ],
)
def test_bad_labels_and_weights_are_refused(two_classes, labels, weights, expected):
    """Unknown, absent and missing classes, and impossible weights, are refused."""
    model = FrozenEstimator(LogisticRegression().fit(*two_classes))
    with pytest.raises(InputError, match=expected):
        CalibratedClassifier(model).fit(two_classes[0], labels, sample_weight=weights)


def test_decision_values_of_pairs_of_classes_are_refused():
    """One column for each pair of classes is not one for each class."""
    X, y = make_classification(n_classes=4, n_informative=4, random_state=0)
    model = SVC(decision_function_shape="ovo").fit(X, y)
    with pytest.raises(InputError, match=r"4 classes.*\(100, 6\)"):
        CalibratedClassifier(FrozenEstimator(model)).fit(X, y)


def test_a_class_missing_from_a_fold_is_named(two_classes):
    """The message names the class, the fold and its part, and the remedy."""
    X, y = two_classes
    thirds = np.repeat(["a", "b", "c"], 200)
    with pytest.raises(InputError, match=r"class 'a' in the training part of fold 1 of 3.*fewer"):
        CalibratedClassifier(LogisticRegression(), cv=KFold(3)).fit(X, thirds)
    rare = np.where(np.arange(600) < 2, "rare", y.astype(str))
    classifier = CalibratedClassifier(LogisticRegression(), cv=3)
    with (
        pytest.warns(UserWarning, match="least populated class"),
        pytest.raises(InputError, match=r"class 'rare' in the held-out part of fold 3.*fewer"),
    ):
        classifier.fit(X, rare)
    assert_probabilities(classifier.set_params(cv=2).fit(X, rare).predict_proba(X), 3)


def test_pooled_folds_need_every_class_only_in_training(two_classes):
    """Without an ensemble a held-out part may lack a class that another part has."""
    X, y = two_classes
    order = np.argsort(y, kind="stable")
    splits = [(order[150:-150], order[:150]), (order[150:-150], order[-150:])]
    pooled = CalibratedClassifier(LogisticRegression(), lwcal.Beta(), cv=splits, ensemble=False)
    assert pooled.fit(X, y).calibrated_classifiers_[0].calibrators[0].n_ == 300
    with pytest.raises(InputError, match="class 1 in the held-out part of fold 1 of 2"):
        pooled.set_params(ensemble=True).fit(X, y)


def test_a_failed_fit_keeps_the_last_one(two_classes):
    """Classes and members change together or not at all."""
    X, y = two_classes
    classifier = CalibratedClassifier(LogisticRegression(), cv=3).fit(X, y)
    before = classifier.predict_proba(X)
    with pytest.raises(InputError, match="one class"):
        classifier.fit(X, np.zeros(600))
    np.testing.assert_array_equal(classifier.predict_proba(X), before)
