"""FittedModel: parameters, and what it refuses."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal import CalibratedClassifier, FittedModel
from lwcal.errors import ParameterError
from tests.models.boosters import LIGHTGBM


@pytest.fixture(scope="module")
def booster(rows):
    """A booster of two classes."""
    X, y, _ = rows
    return LIGHTGBM.train("binary", X, y)


def test_it_is_a_classifier_that_stays_as_it_is(rows, booster):
    """fit changes nothing, and clone returns the same model."""
    X, y, _ = rows
    model = FittedModel(booster)
    assert model.fit(X, 1 - y) is model
    assert clone(model) is model
    assert model.score_scale_ == "logit"
    np.testing.assert_array_equal(model.predict(X), (booster.predict(X) > 0.5).astype(int))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"classes": ["a", "b", "c"]}, r"2 different classes.*\['a', 'b', 'c'\]"),
        ({"classes": ["a", "a"]}, r"2 different classes.*\['a', 'a'\]"),
        ({"output": "probabilities"}, "output with an ONNX model only.*leave it out"),
        ({"scale": "logit"}, "scale with an ONNX model only.*leave it out"),
        ({"model": LogisticRegression()}, r"LogisticRegression\(\).*FrozenEstimator\(model\)"),
        ({"model": None}, "ONNX model, got None"),
    ],
)
def test_bad_parameters_are_refused(rows, booster, parameters, expected):
    """When the model is used, as scikit-learn asks of estimators."""
    X, y, _ = rows
    model = FittedModel(**{"model": booster, **parameters})
    with pytest.raises(ParameterError, match=expected):
        CalibratedClassifier(model).fit(X, y)


def test_the_model_inside_is_reachable(rows, booster):
    """Without what freezes or adapts it, or as ensemble=False fitted it."""
    X, y, _ = rows
    frozen = CalibratedClassifier(FrozenEstimator(FittedModel(booster))).fit(X, y)
    assert frozen.estimator_ is booster
    pooled = CalibratedClassifier(LogisticRegression(), lwcal.Platt(), cv=3, ensemble=False)
    assert isinstance(pooled.fit(X, y).estimator_, LogisticRegression)
    assert pooled.estimator_ is pooled.calibrated_classifiers_[0].estimator


def test_folds_have_no_single_model(rows):
    """The message says how to get one."""
    X, y, _ = rows
    folds = CalibratedClassifier(LogisticRegression(), lwcal.Platt(), cv=3).fit(X, y)
    with pytest.raises(AttributeError, match=r"3 models, one for each fold.*ensemble=False"):
        _ = folds.estimator_
    assert not hasattr(folds, "estimator_")


def test_an_exported_calibrator_takes_the_margins(rows, booster):
    """The scale goes with the map, so an export of it is not fed with probabilities."""
    X, y, _ = rows
    calibrated = CalibratedClassifier(FittedModel(booster), lwcal.Beta()).fit(X, y)
    source = lwcal.export(calibrated, "python")
    module = {}
    exec(source, module)
    margins = booster.predict(X[:5], raw_score=True)
    found = [module["calibrate"](margin) for margin in margins.tolist()]
    np.testing.assert_allclose(found, calibrated.predict_proba(X[:5]), atol=1e-12)
    with pytest.raises(ParameterError, match="logit"):
        lwcal.export(calibrated, "sql")
