"""Weights, groups and other parameters of fit reach the object that uses them."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lwcal
from lwcal.classifier import CalibratedClassifier
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import averaged_and_pooled


class Records(LogisticRegression):
    """A model that records the parameters of its fit."""

    __metadata_request__fit = {"campaign": True}  # noqa: RUF012

    def fit(self, X, y, sample_weight=None, campaign=None, note=None):
        """Record, then fit."""
        self.recorded_ = {"sample_weight": sample_weight, "campaign": campaign, "note": note}
        return super().fit(X, y, sample_weight)


@pytest.fixture
def routing():
    """Enable metadata routing."""
    with config_context(enable_metadata_routing=True):
        yield


def weights_of(y):
    """Make positives count twice."""
    return np.where(y == 1, 2.0, 1.0)


def test_columns_are_split_like_the_rows(two_classes):
    """A parameter with one value for each row is split, any other is passed as it is."""
    X, y = two_classes
    fitted = CalibratedClassifier(Records(), lwcal.Beta(), cv=GroupKFold(3))
    with config_context(enable_metadata_routing=True):
        fitted.fit(X, y, groups=np.arange(600) // 200, campaign=np.arange(600))
    for member in fitted.calibrated_classifiers_:
        assert len(member.estimator.recorded_["campaign"]) == 400
    plain = CalibratedClassifier(Records(), lwcal.Beta(), cv=3, ensemble=False)
    (member,) = plain.fit(X, y, campaign=np.arange(600), note="May").calibrated_classifiers_
    np.testing.assert_array_equal(member.estimator.recorded_["campaign"], np.arange(600))
    assert member.estimator.recorded_["note"] == "May"


@averaged_and_pooled
@pytest.mark.usefixtures("routing")
def test_groups_reach_the_splitter(two_classes, ensemble):
    """Rows of a group stay together."""
    X, y = two_classes
    groups = np.random.default_rng(0).integers(0, 20, len(y))
    splits = list(GroupKFold(4).split(X, y, groups))
    model = LogisticRegression()
    routed = CalibratedClassifier(model, lwcal.Beta(), cv=GroupKFold(4), ensemble=ensemble)
    by_hand = CalibratedClassifier(model, lwcal.Beta(), cv=splits, ensemble=ensemble)
    routed.fit(X, y, groups=groups)
    np.testing.assert_array_equal(routed.predict_proba(X), by_hand.fit(X, y).predict_proba(X))


@averaged_and_pooled
@pytest.mark.usefixtures("routing")
def test_weights_reach_the_step_of_a_pipeline(two_classes, ensemble):
    """The step that requests them gets those of the training rows."""
    X, y = two_classes
    weights = weights_of(y)
    step = LogisticRegression().set_fit_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    folds = {"cv": 3, "ensemble": ensemble}
    piped = CalibratedClassifier(make_pipeline(scaler, step), lwcal.Beta(), **folds)
    piped.fit(X, y, sample_weight=weights)
    unasked = make_pipeline(scaler, LogisticRegression().set_fit_request(sample_weight=False))
    calibrators_only = CalibratedClassifier(unasked, lwcal.Beta(), **folds)
    calibrators_only.fit(X, y, sample_weight=weights)
    for a, b in zip(
        piped.calibrated_classifiers_, calibrators_only.calibrated_classifiers_, strict=True
    ):
        assert a.estimator[-1].intercept_ > b.estimator[-1].intercept_ + 0.4  # log(2) is 0.69
        assert a.calibrators[0].n_ == b.calibrators[0].n_ > 200


@pytest.mark.usefixtures("routing")
def test_a_model_that_does_not_say_whether_it_wants_weights(two_classes):
    """scikit-learn refuses to guess, and so does the classifier."""
    X, y = two_classes
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        CalibratedClassifier(LogisticRegression()).fit(X, y, sample_weight=weights_of(y))
    with pytest.raises(TypeError, match="colour"):
        CalibratedClassifier(LogisticRegression()).fit(X, y, colour="red")


@pytest.mark.usefixtures("routing")
def test_weights_pass_through_cross_validation(two_classes):
    """The classifier requests them for itself, and its model for itself."""
    X, y = two_classes
    model = Records().set_fit_request(sample_weight=True)
    classifier = CalibratedClassifier(model, lwcal.Beta(), cv=3)
    classifier.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    found = cross_validate(
        classifier, X, y, cv=2, params={"sample_weight": weights_of(y)}, return_estimator=True
    )
    for fitted in found["estimator"]:
        weights = fitted.calibrated_classifiers_[0].estimator.recorded_["sample_weight"]
        assert set(weights) == {1.0, 2.0}


@pytest.mark.parametrize("enabled", [True, False])
def test_a_frozen_model_needs_no_request(two_classes, enabled):
    """The calibrators use the weights, and the model is not fitted."""
    X, y = two_classes
    frozen = CalibratedClassifier(FrozenEstimator(LogisticRegression().fit(X, y)), lwcal.Beta())
    with config_context(enable_metadata_routing=enabled):
        frozen.fit(X, y, sample_weight=weights_of(y))
    assert frozen.calibrated_classifiers_[0].calibrators[0].n_ == weights_of(y).sum()


def test_without_routing_the_model_gets_the_weights(two_classes):
    """As in scikit-learn, if its fit takes them."""
    X, y = two_classes
    fitted = CalibratedClassifier(Records(), cv=3).fit(X, y, sample_weight=weights_of(y))
    for member in fitted.calibrated_classifiers_:
        assert set(member.estimator.recorded_["sample_weight"]) == {1.0, 2.0}


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        (make_pipeline(LogisticRegression()), {"sample_weight": np.ones(600)}),
        (make_pipeline(LogisticRegression()), {"groups": np.arange(600)}),
        (LogisticRegression(), {"groups": np.arange(600)}),
        (LogisticRegression(), {"colour": "red"}),
    ],
)
def test_without_routing_the_model_must_take_every_parameter(two_classes, model, parameters):
    """The message names the parameter, the model and the remedy."""
    (name,) = parameters
    remedy = "leave colour out" if name == "colour" else "enable_metadata_routing=True"
    with pytest.raises(ParameterError, match=f"{name}.*{type(model).__name__}.*{remedy}"):
        CalibratedClassifier(model).fit(*two_classes, **parameters)


def test_without_routing_a_pipeline_takes_parameters_of_its_steps(two_classes):
    """Their names begin with that of the step."""
    X, y = two_classes
    pipeline = make_pipeline(StandardScaler(), Records())
    fitted = CalibratedClassifier(pipeline, cv=3).fit(X, y, records__campaign=np.arange(600))
    recorded = fitted.calibrated_classifiers_[0].estimator[-1].recorded_
    assert len(recorded["campaign"]) == 400


@pytest.mark.usefixtures("routing")
def test_bad_weights_are_refused_before_routing(two_classes):
    """With routing too."""
    X, y = two_classes
    with pytest.raises(InputError, match="sample_weight"):
        CalibratedClassifier(LogisticRegression()).fit(X, y, sample_weight=-weights_of(y))
