"""Native boosters of LightGBM, XGBoost and CatBoost in CalibratedClassifier."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score

import lwcal
from lwcal import CalibratedClassifier, FittedModel
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import assert_probabilities
from tests.models.boosters import CATBOOST, LIBRARIES, LIGHTGBM, XGBOOST

every_library = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)


@every_library
def test_two_classes_are_calibrated_by_raw_margins(rows, library):
    """The calibrator is that of the margins, bit for bit, and says that it takes logits."""
    X, y, _ = rows
    booster = library.train(library.two, X[:450], y[:450])
    calibrated = CalibratedClassifier(FrozenEstimator(booster)).fit(X[450:], y[450:])
    margins = np.asarray(library.margins(booster, X), dtype=np.float64)
    by_hand = lwcal.Auto().fit(margins[450:], y[450:], scale="logit")
    found = calibrated.calibrated_classifiers_[0].calibrators[0]
    assert found.scale_ == "logit"
    assert found.diagnostics_ == by_hand.diagnostics_
    np.testing.assert_array_equal(calibrated.predict_proba(X)[:, 1], by_hand.predict(margins))
    assert calibrated.estimator_ is booster


@every_library
@pytest.mark.parametrize("kind", ["two", "several", "one_vs_rest"])
def test_probabilities_before_calibration_are_those_of_the_library(rows, library, kind):
    """The link is the right one for every objective."""
    X, two, three = rows
    objective = getattr(library, kind)
    if objective is None:
        return  # this library has none
    booster = library.train(objective, X, two if kind == "two" else three)
    expected = np.asarray(library.probabilities(booster, X), dtype=np.float64)
    if expected.ndim == 1:
        expected = np.column_stack([1 - expected, expected])
    np.testing.assert_allclose(FittedModel(booster).predict_proba(X), expected, atol=1e-6)


@every_library
@pytest.mark.parametrize("multiclass", ["joint", "one_vs_rest"])
def test_several_classes(rows, library, multiclass):
    """All classes together or one by one; rows sum to 1."""
    X, _, y = rows
    booster = library.train(library.several, X[:450], y[:450])
    classifier = CalibratedClassifier(
        FrozenEstimator(booster), lwcal.MatrixScaling(), multiclass=multiclass
    ).fit(X[450:], y[450:])
    assert_probabilities(classifier.predict_proba(X), 3)
    assert (classifier.predict(X) == y).mean() > 0.5
    by_hand = lwcal.MatrixScaling().fit(FittedModel(booster).predict_proba(X[450:]), y[450:])
    if multiclass == "joint":
        found = classifier.calibrated_classifiers_[0].calibrators[0]
        assert found.diagnostics_ == pytest.approx(by_hand.diagnostics_)


@every_library
def test_named_classes_need_not_be_sorted(rows, library):
    """The order of `classes` is that of the model's numbers, whatever the alphabet says."""
    X, y, _ = rows
    names = ["yes", "no"]
    labels = np.array(names)[y]
    if library is CATBOOST:
        names = ["no", "yes"]  # it numbers texts itself, by the alphabet
        booster = library.train(library.two, X[:450], labels[:450])
        model = FrozenEstimator(booster)
    else:
        booster = library.train(library.two, X[:450], y[:450])
        model = FittedModel(booster, classes=names)
    calibrated = CalibratedClassifier(model).fit(X[450:], labels[450:])
    assert calibrated.classes_.tolist() == names
    of_numbers = CalibratedClassifier(
        FrozenEstimator(library.train(library.two, X[:450], y[:450]))
    ).fit(X[450:], y[450:])
    column = names.index("no")
    np.testing.assert_allclose(
        calibrated.predict_proba(X)[:, column], of_numbers.predict_proba(X)[:, 1], atol=0.02
    )
    assert (calibrated.predict(X) == labels).mean() > 0.65


@every_library
def test_names_that_the_model_does_not_know_are_refused(rows, library):
    """LightGBM and XGBoost know numbers only, so nothing is guessed from texts."""
    X, y, _ = rows
    booster = library.train(library.two, X, y)
    with pytest.raises(InputError, match=r"\[0, 1\].*\['no', 'yes'\]"):
        CalibratedClassifier(FrozenEstimator(booster)).fit(X, np.where(y, "yes", "no"))


@every_library
@pytest.mark.parametrize("kind", ["regression", "ranking"])
def test_regressors_and_rankers_are_refused(rows, library, kind):
    """The message names the objective and what to do instead."""
    X, y, _ = rows
    objective = getattr(library, kind)
    booster = library.train(objective, X, y)
    with pytest.raises(ParameterError, match=f"{library.name} model of classes.*{objective}"):
        CalibratedClassifier(FrozenEstimator(booster)).fit(X, y)


@every_library
def test_weights_reach_the_calibrator(rows, library):
    """Integer weights equal repeated rows."""
    X, y, _ = rows
    times = np.random.default_rng(1).integers(0, 3, len(y))
    model = FittedModel(library.train(library.two, X, y))
    weighted = CalibratedClassifier(model, lwcal.Beta()).fit(X, y, sample_weight=times)
    repeated = CalibratedClassifier(model, lwcal.Beta()).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


@every_library
def test_a_model_from_a_file_is_the_same(rows, library, tmp_path):
    """Its objective is in the file."""
    X, y, _ = rows
    booster = library.train(library.two, X, y)
    read = library.saved(booster, tmp_path / "model.txt")
    expected = FittedModel(booster).decision_function(X)
    np.testing.assert_allclose(FittedModel(read).decision_function(X), expected, atol=1e-6)


@every_library
def test_scikit_learn_tools_keep_the_booster(rows, library):
    """clone, pickle and cross-validation work, and never train it again."""
    X, y, _ = rows
    booster = library.train(library.two, X, y)
    classifier = CalibratedClassifier(FrozenEstimator(booster), lwcal.Platt())
    copy = clone(classifier)
    assert copy.estimator.estimator is booster
    fitted = copy.fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert cross_val_score(classifier, X, y, cv=3).min() > 0.6
    averaged = CalibratedClassifier(FittedModel(booster), lwcal.Platt(), ensemble=True, cv=3)
    assert_probabilities(averaged.fit(X, y).predict_proba(X), 2)
    assert clone(averaged).estimator.model is booster


@every_library
def test_a_booster_that_is_not_frozen_is_refused(rows, library):
    """It cannot be fitted on folds; the message says how to pass it."""
    X, y, _ = rows
    booster = library.train(library.two, X, y)
    with pytest.raises(ParameterError, match=r"CalibratedClassifier\(FrozenEstimator\(model\)\)"):
        CalibratedClassifier(booster).fit(X, y)


def test_margins_tell_apart_what_a_sigmoid_in_single_precision_does_not(rows):
    """XGBoost returns exactly 1 for margins beyond 17, which calibrate to different values."""
    import xgboost

    X, _, _ = rows
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    settings = {"objective": "binary:logistic", "nthread": 1, "max_depth": 3, "eta": 0.5}
    settings |= {"lambda": 0.001, "min_child_weight": 0}
    booster = xgboost.train(settings, xgboost.DMatrix(X, y), 60)
    certain = XGBOOST.probabilities(booster, X) == 1.0
    assert certain.any()
    calibrated = CalibratedClassifier(FrozenEstimator(booster), lwcal.Identity()).fit(X, y)
    assert len(np.unique(calibrated.predict_proba(X)[certain, 1])) > 1


def test_another_steepness_of_lightgbm_is_part_of_the_log_odds(rows):
    """Its parameter `sigmoid` stands between margin and log-odds."""
    X, y, _ = rows
    booster = LIGHTGBM.train("binary", X, y, sigmoid=2.5)
    expected = 2.5 * booster.predict(X, raw_score=True)
    np.testing.assert_allclose(FittedModel(booster).decision_function(X), expected)


@pytest.mark.parametrize("objective", ["multiclass", "multiclassova"])
def test_two_classes_trained_as_several(rows, objective):
    """LightGBM then has a margin for each of them."""
    X, y, _ = rows
    booster = LIGHTGBM.train(objective, X, y)
    calibrated = CalibratedClassifier(FrozenEstimator(booster)).fit(X, y)
    assert calibrated.calibrated_classifiers_[0].calibrators[0].scale_ == "logit"
    assert_probabilities(calibrated.predict_proba(X), 2)
    if objective == "multiclass":
        expected = booster.predict(X)
        np.testing.assert_allclose(FittedModel(booster).predict_proba(X), expected, atol=1e-9)


def test_two_classes_trained_as_several_in_xgboost(rows):
    """The same with a softmax of XGBoost."""
    X, y, _ = rows
    booster = XGBOOST.train("multi:softprob", X, y)
    expected = XGBOOST.probabilities(booster, X)
    np.testing.assert_allclose(FittedModel(booster).predict_proba(X), expected, atol=1e-6)


def test_several_targets_are_refused(rows):
    """A booster of XGBoost may predict several labels of a row."""
    import xgboost

    X, y, _ = rows
    both = np.column_stack([y, 1 - y])
    settings = {"objective": "binary:logistic", "nthread": 1}
    booster = xgboost.train(settings, xgboost.DMatrix(X, both), 3)
    with pytest.raises(ParameterError, match=r"one target.*2 targets"):
        CalibratedClassifier(FrozenEstimator(booster)).fit(X, y)


def test_a_loss_of_ones_own_is_refused(rows):
    """Nobody knows what its margins mean."""
    import lightgbm

    X, y, _ = rows

    def own(margins, data):
        return margins - data.get_label(), np.ones_like(margins)

    settings = {"objective": own, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(X, y), 3)
    with pytest.raises(ParameterError, match=r"'custom'; fit a calibrator to its scores"):
        CalibratedClassifier(FrozenEstimator(booster)).fit(X, y)


def test_an_unfitted_model_of_catboost_is_refused(rows):
    """It has no trees yet."""
    import catboost

    X, y, _ = rows
    with pytest.raises(ParameterError, match=r"a fitted model.*fit or load it first"):
        CalibratedClassifier(FittedModel(catboost.CatBoost())).fit(X, y)


def test_explanations_take_the_model_inside(rows):
    """The libraries' own SHAP values add up to the margin that is calibrated."""
    X, y, _ = rows
    model = LIGHTGBM.train("binary", X, y)
    calibrated = CalibratedClassifier(FrozenEstimator(model)).fit(X, y)
    contributions = calibrated.estimator_.predict(X, pred_contrib=True)
    margins = calibrated.calibrated_classifiers_[0].estimator.decision_function(X)
    np.testing.assert_allclose(contributions.sum(axis=1), margins, atol=1e-9)
