"""Every target returns the values of ``predict`` for more than two classes, in real engines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.calibrators import CALIBRATORS, ClassCalibrator
from lwcal.class_maps import ClassIdentityMap, ScalingMap
from lwcal.classifier import CalibratedModel
from lwcal.errors import InputError
from lwcal.rows.probabilities import OFF_BY, most_off_by
from tests.artifact.export.targets import carrying_classes
from tests.classifier.helpers import Replay
from tests.multiclass.test_joint_fit import rows_of

TOLERANCE = 1e-12
ODD_NAMES = ["a b", 'c"d', "e'f", "é", "[g]", "h`", "{class}", "--", "日本", "\\"]


def scaling(rng, n_classes, kind, softness):
    """A scaling as they are fitted: one slope, one for each class, or a matrix."""
    slopes = rng.uniform(0.2, 2.0, 1 if kind == "temperature" else n_classes)
    matrix = np.diag(np.broadcast_to(slopes, n_classes))
    if kind == "matrix":
        matrix = matrix + rng.normal(0.0, 0.3, (n_classes, n_classes))
    intercepts = np.zeros(n_classes) if kind == "temperature" else rng.normal(size=n_classes)
    return ScalingMap(matrix, intercepts, softness)


def scores_of(rng, n_classes, n=12):
    """Rows with tiny and equal probabilities, exact zeros, and sums that were rounded."""
    rows = rng.dirichlet(np.full(n_classes, 0.05), n)
    rows[: n // 2] *= rng.uniform(1.0 - 0.9 * OFF_BY, 1.0, (n // 2, 1))
    smallest = np.full(n_classes, 5e-324)
    smallest[-1] = 1.0
    return np.vstack([rows, np.eye(n_classes), np.full(n_classes, 1.0 / n_classes), smallest])


def columns_of(n_classes):
    """Names of columns of which no engine approves without quotes."""
    return [f"p {k}" for k in range(n_classes)]


def same(run, calibrator, scores):
    """Compare a target with ``predict``."""
    n_classes = scores.shape[1]
    values = run(calibrator, scores.tolist(), columns_of(n_classes))
    np.testing.assert_allclose(values, calibrator.predict(scores), rtol=0, atol=TOLERANCE)


@given(
    kind=st.sampled_from(["temperature", "vector", "matrix"]),
    n_classes=st.integers(3, 6),
    softness=st.floats(1e-12, 1.0),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=15)
def test_scalings_of_every_kind(run, kind, n_classes, softness, seed):
    """Certain rows, uncertain rows and zeros."""
    rng = np.random.default_rng(seed)
    fitted = scaling(rng, n_classes, kind, softness)
    same(run, carrying_classes(fitted, range(n_classes)), scores_of(rng, n_classes))


@pytest.mark.parametrize("softness", [1e-6, 1e-300])
@pytest.mark.parametrize("kind", ["temperature", "vector", "matrix"])
def test_many_classes_with_odd_names(run, kind, softness):
    """26 classes; the logarithm of the smallest softness is far from the others."""
    rng = np.random.default_rng(0)
    classes = [*ODD_NAMES, *range(16)]
    fitted = scaling(rng, 26, kind, softness)
    same(run, carrying_classes(fitted, classes), scores_of(rng, 26, n=40))


def test_raw_probabilities(run):
    """Rows are divided by their sum."""
    fitted = carrying_classes(ClassIdentityMap(4), "abcd")
    same(run, fitted, scores_of(np.random.default_rng(1), 4))


def test_sums_of_two_digits(run):
    """0.985 and 1.015 are allowed, although adding up makes an error; a little more is not."""
    fitted = carrying_classes(ClassIdentityMap(3), "abc")
    same(run, fitted, np.array([[0.33, 0.33, 0.325], [0.335, 0.34, 0.34], [0.2, 0.2, 0.59]]))
    beyond = [[0.33, 0.33, 0.32499], [0.335, 0.34, 0.34001]]
    for row in beyond:
        with pytest.raises(InputError):
            fitted.predict([row])
    values = np.array(run(fitted, beyond, columns_of(3)), dtype=float)
    assert np.isnan(values).all()


def test_steep_slopes_do_not_overflow(run):
    """The largest exponent is 0, also where others vanish."""
    fitted = ScalingMap(np.diag([900.0, 700.0, 800.0]), np.array([0.0, 1e4, -1e4]), 1e-9)
    values = run(carrying_classes(fitted, "abc"), np.eye(3).tolist(), columns_of(3))
    np.testing.assert_allclose(values, fitted(np.eye(3)), rtol=0, atol=1e-9)


def test_a_factor_that_vanishes_does_not_underflow(run):
    """Factors near 0, and a matrix that is 0 except for one number."""
    matrix = np.full((3, 3), 1e-310)
    matrix[1, 2] = 0.5
    same(run, carrying_classes(ScalingMap(matrix, np.ones(3), 0.01), "abc"), np.eye(3))


CLASS_METHODS = [name for name, cls in CALIBRATORS.items() if issubclass(cls, ClassCalibrator)]


@pytest.mark.parametrize("method", CLASS_METHODS)
def test_every_calibrator(run, method):
    """Fitted to rows of four classes."""
    scores, labels = rows_of(200)
    same(run, CALIBRATORS[method]().fit(scores, labels), scores[:50])


def rows_around_the_limits():
    """Rows that ``predict`` takes, and rows that it refuses by little."""
    whole = np.array([0.25, 0.25, 0.5])
    low, high = 1.0 - most_off_by(3), 1.0 + most_off_by(3)
    sums = [low - 1e-9, low + 1e-9, high - 1e-9, high + 1e-9]
    outside = [[-1e-300, 0.5, 0.5], [1.0 + 2.0**-52, 0.0, 0.0], [0.5, -0.25, 0.75]]
    return [*(whole * total for total in sums), *map(np.array, outside), np.zeros(3), whole]


def is_taken(calibrator, row):
    """Whether ``predict`` takes a row."""
    try:
        calibrator.predict(row[None, :])
    except InputError:
        return False
    return True


@pytest.mark.parametrize(
    "fitted",
    [
        ClassIdentityMap(3),
        ScalingMap(2.0 * np.eye(3), np.zeros(3), 0.01),
        ScalingMap(np.ones((3, 3)) / 3.0, np.arange(3.0), 0.01),
        ScalingMap(np.zeros((3, 3)), np.arange(3.0), 0.01),  # the same result for every row
    ],
    ids=["identity", "slopes", "matrix", "constant"],
)
def test_invalid_rows_have_no_probabilities(run, fitted):
    """Neither those that ``predict`` refuses, nor those with a missing score."""
    calibrator = carrying_classes(fitted, "abc")
    rows = rows_around_the_limits()
    taken = [is_taken(calibrator, row) for row in rows]
    assert taken == [False, True, True, False, False, False, False, False, True]
    missing = [[0.5, value, 0.5] for value in (None, float("nan"), float("inf"), -float("inf"))]
    values = run(calibrator, [*(row.tolist() for row in rows), *missing], columns_of(3))
    np.testing.assert_array_equal(np.isfinite(values).all(axis=1), [*taken, *[False] * 4])
    np.testing.assert_array_equal(np.isnan(values).any(axis=1), [*(not t for t in taken), *[1] * 4])


def test_a_classifier_takes_rows_of_any_sum(run):
    """As in ``predict_proba``: zeros are equal shares, and rounding in float32 is clipped."""
    rng = np.random.default_rng(0)
    classifier = lwcal.CalibratedClassifier(Replay(("a", "b", "c")))
    classifier.classes_ = np.array(["a", "b", "c"])
    joint = carrying_classes(scaling(rng, 3, "matrix", 1e-4), range(3))
    classifier.calibrated_classifiers_ = [
        CalibratedModel(Replay(("a", "b", "c")), [joint], classifier.classes_)
    ]
    scores = np.vstack([rng.random((9, 3)), np.zeros(3), [1.0 + 1e-7, -1e-7, 0.0], [5e-324, 1, 1]])
    values = run(classifier, [*scores.tolist(), [0.5, None, 0.5], [0.5, 1.1, 0.5]], columns_of(3))
    np.testing.assert_allclose(
        values[:-2], classifier.predict_proba(scores), rtol=0, atol=TOLERANCE
    )
    assert np.isnan(values[-2:]).all()
