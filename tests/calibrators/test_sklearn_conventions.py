"""Calibrators follow scikit-learn's conventions.

scikit-learn checks only estimators that take a table of features. Its checks therefore run on
subclasses that turn the first feature into a score and the labels into 0 and 1. Parameters, fitted
attributes, weights, pickling and errors are those of the calibrator.
"""

import pickle
from typing import ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import ClassifierTags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.metadata_routing import get_routing_for_object

import lwcal
from lwcal.calibrators import CALIBRATORS
from lwcal.errors import InputError, InputTypeError

FULLY_CHECKED = (lwcal.Beta, lwcal.LWCal, lwcal.NoiseAware)
"""One that is parametric and fast, the method of the paper, and one with a noise model."""
EXPECTED_FAILURES = {
    "check_n_features_in": "scores are one column, so there are no features to count",
    "check_n_features_in_after_fitting": "scores are one column, so there are no features to count",
    "check_fit1d": "the check wants 1-d input refused, and scores are 1-d",
    "check_fit2d_predict1d": "the check wants 1-d input refused, and scores are 1-d",
}
OWN_PARAMETERS = {
    "platt": {"space": "score"},
    "trimmed-isotonic": {"keep": 0.5},
    "trimmed-beta": {"keep": 0.5},
    "lwcal": {"floor": 0.1, "threshold": 0.4},
    "gated": {"gate_center": 0.2, "gate_width": 0.5},
}
every_calibrator = pytest.mark.parametrize("method", CALIBRATORS)


class TakesFeatures:
    """Mixin that lets a calibrator take features, as scikit-learn's checks need."""

    __metadata_request__fit: ClassVar = {"scores": False}  # here the parameter is called X
    __metadata_request__predict: ClassVar = {"scores": False}

    def fit(self, X, y=None, sample_weight=None):
        """Fit to the first feature."""
        return super().fit(_first_feature_as_score(X), _larger_label(y), sample_weight)

    def predict(self, X):
        """Calibrate the first feature."""
        return super().predict(_first_feature_as_score(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # the checks then use two classes
        return tags


def _first_feature_as_score(X):
    if issparse(X):
        return X
    values = np.asarray(X)
    if values.ndim == 2 and values.shape[1] > 0:
        values = values[:, 0]
    if values.dtype.kind not in "fiu":
        return values
    with np.errstate(invalid="ignore"):
        return 0.5 + 0.5 * values / (1.0 + np.abs(values))  # infinity becomes NaN, to be refused


def _larger_label(y):
    if y is None:
        return None
    labels = np.asarray(y)
    return labels > labels.min() if labels.dtype.kind in "fiu" and labels.size else labels


def _taking_features(calibrator):
    subclass = type(f"{calibrator.__name__}OfFeature", (TakesFeatures, calibrator), {})
    subclass.__module__ = __name__
    globals()[subclass.__name__] = subclass  # pickle looks the class up by its name
    return subclass()


def _other_values(method):
    """Return values that differ from the defaults, sorted by name."""
    return dict(sorted({**OWN_PARAMETERS.get(method, {}), "pos_label": 1}.items()))


@parametrize_with_checks(
    [_taking_features(calibrator) for calibrator in FULLY_CHECKED],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check, request):
    """Every check passes, except those in the table above."""
    try:
        check(estimator)
    except Exception as failure:
        if request.node.get_closest_marker("xfail"):
            # without the traceback, on which pytest would spend 0.2 s
            raise failure.with_traceback(None) from None
        raise


@every_calibrator
def test_only_metadata_can_be_requested(method):
    """The first argument holds the data, so it is no metadata."""
    offered = get_routing_for_object(CALIBRATORS[method]())
    further = {
        "audited": {"y_audited", "audit_probability"},
        "reviewed": {"y_audited", "reviewers"},
    }
    assert set(offered.fit.requests) == {"sample_weight"} | further.get(method, set())
    assert not offered.predict.requests
    with config_context(enable_metadata_routing=True):
        asking = CALIBRATORS[method]().set_fit_request(sample_weight=True)
    assert get_routing_for_object(asking).fit.requests["sample_weight"] is True


@every_calibrator
@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (csr_array([[0.2], [0.8]]), InputTypeError, "sparse csr_array"),
        (np.array([0.2, 0.8j]), InputTypeError, "Complex data not supported.*complex128"),
        (np.array([0.2, {"p": 0.8}], dtype=object), InputTypeError, "row 1 .*'p'.*not 'dict'"),
        (np.array([0.2, "high"], dtype=object), InputError, "'high'"),
        (np.empty((2, 0)), InputError, r"0 feature\(s\)"),
        ([], InputError, "scores"),
    ],
)
def test_scores_that_are_no_numbers_are_refused(method, scores, error, words):
    """Fit and predict name the kind of data, and where it is."""
    calibrator = CALIBRATORS[method]()
    with pytest.raises(error, match=words):
        calibrator.fit(scores, [0, 1])
    calibrator.fit([0.2, 0.8, 0.4, 0.6], [0, 1, 1, 0])
    with pytest.raises(error, match=words):
        calibrator.predict(scores)


@every_calibrator
def test_labels_are_required(method):
    """Leaving them out is an error of ours, not Python's about a missing argument."""
    with pytest.raises(InputError, match="requires y to be passed, but the target y is None"):
        CALIBRATORS[method]().fit([0.2, 0.8])


@every_calibrator
def test_one_row_has_one_class(method):
    """No map can be fitted to it."""
    with pytest.raises(InputError, match="one class"):
        CALIBRATORS[method]().fit([0.2], [0])


def test_a_table_stands_in_for_the_rows(noisy_rows):
    """It holds the labels, so labels beside it are refused."""
    table = lwcal.ScoreTable.from_arrays(*noisy_rows)
    fitted = lwcal.LWCal().fit(table)
    assert fitted.diagnostics_ == lwcal.LWCal().fit(*noisy_rows).diagnostics_
    with pytest.raises(InputError):
        lwcal.LWCal().fit(table, noisy_rows[1])


@every_calibrator
def test_clone_keeps_parameters_and_forgets_the_fit(method, noisy_rows):
    """A clone is a new calibrator with the same parameters and no map."""
    fitted = CALIBRATORS[method](**_other_values(method)).fit(*noisy_rows)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "map_")


@every_calibrator
def test_parameters_can_be_read_and_set(method):
    """get_params returns what set_params stored, and __init__ takes it."""
    calibrator = CALIBRATORS[method]().set_params(**_other_values(method))
    parameters = calibrator.get_params()
    assert _other_values(method).items() <= parameters.items()
    assert CALIBRATORS[method](**parameters).get_params() == parameters


@every_calibrator
def test_options_are_keyword_only(method):
    """A value without a name would depend on the order of the options."""
    with pytest.raises(TypeError, match="positional"):
        CALIBRATORS[method](0.1)


@every_calibrator
def test_unknown_parameters_are_refused(method):
    """A misspelt parameter is an error, not a new attribute."""
    with pytest.raises(ValueError, match="Invalid parameter 'flor'"):
        CALIBRATORS[method]().set_params(flor=0.1)


@every_calibrator
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_gives_the_same_calibrator(method, protocol, noisy_rows):
    """Parameters, diagnostics and predictions are identical."""
    fitted = CALIBRATORS[method]().fit(*noisy_rows)
    copy = pickle.loads(pickle.dumps(fitted, protocol=protocol))
    grid = np.linspace(0, 1, 101)
    assert copy.get_params() == fitted.get_params()
    assert (copy.diagnostics_, copy.n_) == (fitted.diagnostics_, fitted.n_)
    np.testing.assert_array_equal(copy.predict(grid), fitted.predict(grid))


@every_calibrator
def test_repr_names_what_differs_from_the_default(method):
    """The text is the call that creates the calibrator."""
    cls = CALIBRATORS[method]
    given = ", ".join(f"{name}={value!r}" for name, value in _other_values(method).items())
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(cls(**_other_values(method))) == f"{cls.__name__}({given})"


@every_calibrator
def test_a_second_fit_forgets_the_first(method, noisy_rows):
    """A refitted calibrator equals a new one."""
    scores, labels = noisy_rows
    refitted = CALIBRATORS[method]().fit(scores[:100], labels[:100]).fit(scores, labels)
    fresh = CALIBRATORS[method]().fit(scores, labels)
    assert vars(refitted).keys() == vars(fresh).keys()
    assert refitted.diagnostics_ == fresh.diagnostics_
    np.testing.assert_array_equal(refitted.predict(scores), fresh.predict(scores))
