"""Calibrators are scikit-learn estimators: its own checks, and what people do with estimators.

scikit-learn checks only estimators that take a table of features. So the checks run on
subclasses that turn the first feature into a score and the labels into 0 and 1; parameters,
fitted attributes, weights, pickling and errors are those of the calibrator.
"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import ClassifierTags
from sklearn.utils.estimator_checks import parametrize_with_checks

from lwcal.calibrators import CALIBRATORS

ONE_COLUMN = "scores are one column: there are no features to count, and 1-d input is right"
OWN_WORDS = "the input is refused, in our words instead of the ones the check looks for"
EXPECTED_FAILURES = {
    "check_n_features_in": ONE_COLUMN,
    "check_n_features_in_after_fitting": ONE_COLUMN,
    "check_fit1d": ONE_COLUMN,
    "check_fit2d_predict1d": ONE_COLUMN,
    "check_complex_data": OWN_WORDS,
    "check_dtype_object": "InputError is a ValueError; the check wants a TypeError",
    "check_estimators_empty_data_messages": OWN_WORDS,
    "check_estimator_sparse_array": OWN_WORDS,
    "check_estimator_sparse_matrix": OWN_WORDS,
    "check_estimator_sparse_tag": OWN_WORDS,
    "check_fit2d_1sample": OWN_WORDS,
    "check_requires_y_none": OWN_WORDS,
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
    """Put before a calibrator, makes one that scikit-learn's checks can feed."""

    def fit(self, X, y, sample_weight=None):
        """Fit to the first feature."""
        return super().fit(_first_feature_as_score(X), _larger_label(y), sample_weight)

    def predict(self, X):
        """Calibrate the first feature."""
        return super().predict(_first_feature_as_score(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # makes the checks use two classes
        return tags


def _first_feature_as_score(X):
    values = np.asarray(X)
    if values.ndim == 2 and values.shape[1] > 0:
        values = values[:, 0]
    if values.dtype.kind not in "fiu":
        return values
    with np.errstate(invalid="ignore"):
        return 0.5 + 0.5 * values / (1.0 + np.abs(values))  # infinity becomes NaN, to be refused


def _larger_label(y):
    labels = np.asarray(y)
    return labels > labels.min() if labels.dtype.kind in "fiu" and labels.size else labels


def _taking_features(calibrator):
    subclass = type(f"{calibrator.__name__}OfFeature", (TakesFeatures, calibrator), {})
    subclass.__module__ = __name__
    globals()[subclass.__name__] = subclass  # pickle looks the class up by its name
    return subclass()


def _other_values(method):
    """Values that are not the defaults, in the order of their names."""
    return dict(sorted({**OWN_PARAMETERS.get(method, {}), "pos_label": 1}.items()))


@parametrize_with_checks(
    [_taking_features(calibrator) for calibrator in CALIBRATORS.values()],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check, request):
    """Every check passes, or fails for the reason given above."""
    try:
        check(estimator)
    except Exception as failure:
        if request.node.get_closest_marker("xfail"):
            # pytest would spend 0.2 s on the traceback of each expected failure
            raise failure.with_traceback(None) from None
        raise


@every_calibrator
def test_clone_keeps_parameters_and_forgets_the_fit(method, noisy_rows):
    """A clone is a new calibrator with the same parameters and no map."""
    fitted = CALIBRATORS[method](**_other_values(method)).fit(*noisy_rows)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "map_")


@every_calibrator
def test_parameters_can_be_read_and_set(method):
    """What goes in through set_params comes out of get_params, and is what __init__ takes."""
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
    """Same parameters, same diagnostics, same bits out."""
    fitted = CALIBRATORS[method]().fit(*noisy_rows)
    copy = pickle.loads(pickle.dumps(fitted, protocol=protocol))
    grid = np.linspace(0, 1, 101)
    assert copy.get_params() == fitted.get_params()
    assert (copy.diagnostics_, copy.n_) == (fitted.diagnostics_, fitted.n_)
    np.testing.assert_array_equal(copy.predict(grid), fitted.predict(grid))


@every_calibrator
def test_repr_names_what_differs_from_the_default(method):
    """The text is the call that makes the calibrator."""
    cls = CALIBRATORS[method]
    given = ", ".join(f"{name}={value!r}" for name, value in _other_values(method).items())
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(cls(**_other_values(method))) == f"{cls.__name__}({given})"


@every_calibrator
def test_a_second_fit_forgets_the_first(method, noisy_rows):
    """Refitting gives what a new calibrator gives."""
    scores, labels = noisy_rows
    refitted = CALIBRATORS[method]().fit(scores[:100], labels[:100]).fit(scores, labels)
    fresh = CALIBRATORS[method]().fit(scores, labels)
    assert vars(refitted).keys() == vars(fresh).keys()
    assert refitted.diagnostics_ == fresh.diagnostics_
    np.testing.assert_array_equal(refitted.predict(scores), fresh.predict(scores))
