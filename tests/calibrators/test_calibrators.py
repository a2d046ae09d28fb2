"""What every calibrator promises: a monotone map, from rows or counts, never a NaN."""

from copy import copy

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from lwcal import ScoreTable
from lwcal.calibrators import CALIBRATORS
from lwcal.errors import InputError, LwcalError
from tests.strategies import counts, rows

GRID = np.concatenate([np.linspace(0, 1, 101), [5e-324, 1e-310, 2.0**-60, 1 - 2.0**-53]])
every_calibrator = pytest.mark.parametrize("method", CALIBRATORS)
COSTLY = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Every example is a fit, and every calibrator has its own examples: hundreds in all."""


@every_calibrator
@COSTLY
@given(data=rows())
def test_any_rows_give_a_monotone_map_into_the_unit_interval(backend, method, data):
    """Ties, zeros, ones, denormals, two rows: always probabilities, always in order."""
    calibrator = CALIBRATORS[method]().fit(*data)
    points = np.sort(np.concatenate([GRID, data[0]]))
    values = calibrator.predict(points)
    assert values.dtype == np.float64
    assert np.isfinite(values).all()
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) >= -1e-12).all()


@every_calibrator
@COSTLY
@given(data=st.data(), weighted=rows(max_size=25))
def test_weights_are_repetitions(method, data, weighted):
    """A row of weight k equals that row k times."""
    scores, labels = weighted
    times = data.draw(counts(len(scores)))
    assume(len(set(np.repeat(labels, times))) == 2)
    a = CALIBRATORS[method]().fit(scores, labels, sample_weight=times)
    b = CALIBRATORS[method]().fit(np.repeat(scores, times), np.repeat(labels, times))
    np.testing.assert_array_equal(a.predict(GRID), b.predict(GRID))


@every_calibrator
def test_a_copy_is_fitted_for_itself(method, noisy_rows):
    """The calibrator that was copied keeps what it learned, and the copy its parameters."""
    scores, labels = noisy_rows
    calibrator = CALIBRATORS[method](pos_label=1).fit(scores, labels)
    before, reference = calibrator.predict(GRID), calibrator.reference_.to_dict()
    copied = copy(calibrator)
    np.testing.assert_array_equal(copied.predict(GRID), before)
    copied.fit(scores, 1 - labels)
    assert copied.get_params() == calibrator.get_params()
    assert copied.diagnostics_ is not calibrator.diagnostics_
    np.testing.assert_array_equal(calibrator.predict(GRID), before)
    assert calibrator.reference_.to_dict() == reference
    assert copied.reference_.to_dict() != reference


@every_calibrator
def test_rows_and_counts_give_the_same_map(method, noisy_rows):
    """fit and fit_table are one thing."""
    scores, labels = noisy_rows
    table = ScoreTable.from_arrays(scores[:300], labels[:300])
    table += ScoreTable.from_arrays(scores[300:], labels[300:])
    a = CALIBRATORS[method]().fit(scores, labels)
    b = CALIBRATORS[method]().fit_table(table)
    np.testing.assert_array_equal(a.predict(GRID), b.predict(GRID))
    assert (a.n_, a.diagnostics_) == (b.n_, b.diagnostics_)


@every_calibrator
def test_several_tables_are_fitted_as_each_is(backend, method, noisy_rows):
    """Whichever form they have; the calibrator itself learns nothing."""
    scores, labels = noisy_rows
    halves = [
        ScoreTable.from_arrays(scores[part], labels[part])
        for part in (slice(300), slice(300, None))
    ]
    tables = [*halves, halves[0].scaled(2.0)]
    calibrator = CALIBRATORS[method]()
    for found, table in zip(calibrator.fit_each(tables), tables, strict=True):
        alone = CALIBRATORS[method]().fit_table(table)
        np.testing.assert_array_equal(found.predict(GRID), alone.predict(GRID))
        assert (found.n_, found.diagnostics_) == (alone.n_, alone.diagnostics_)
        assert found.reference_.is_of(table)
    assert not hasattr(calibrator, "map_")
    one_class = ScoreTable.from_arrays([0.2, 0.7], [1, 1])
    with pytest.raises(InputError, match="no negative label"):
        calibrator.fit_each([*halves, one_class])
    assert calibrator.fit_each([]) == []


@every_calibrator
def test_diagnostics_have_the_names_the_class_states(method, noisy_rows):
    """What a calibrator learned is finite, named and explained."""
    calibrator = CALIBRATORS[method]().fit(*noisy_rows)
    stated = [
        name
        for name in calibrator.diagnostic_meanings
        if name in calibrator.diagnostics_ or name not in calibrator.optional_diagnostics
    ]
    assert list(calibrator.diagnostics_) == stated
    assert all(calibrator.diagnostic_meanings.values())
    assert np.isfinite(list(calibrator.diagnostics_.values())).all()


@every_calibrator
def test_equal_scores_give_one_probability(method):
    """With one distinct score the map is the base rate, but for the raw score's."""
    calibrator = CALIBRATORS[method]().fit([0.4] * 10, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    assert 0.0 <= calibrator.predict([0.4])[0] <= 0.6


@every_calibrator
def test_named_classes_work(method):
    """Strings and booleans calibrate like 0 and 1."""
    scores, labels = np.array([0.1, 0.6, 0.4, 0.9]), np.array([0, 0, 1, 1])
    expected = CALIBRATORS[method]().fit(scores, labels).predict(GRID)
    for given_labels, pos_label in ((labels == 1, None), (np.where(labels, "bad", "good"), "bad")):
        fitted = CALIBRATORS[method](pos_label=pos_label).fit(scores, given_labels)
        np.testing.assert_array_equal(fitted.predict(GRID), expected)


@every_calibrator
def test_predicting_before_fitting_is_scikit_learns_error(method):
    """The usual NotFittedError."""
    with pytest.raises(NotFittedError, match="call fit first"):
        CALIBRATORS[method]().predict([0.5])


@every_calibrator
@pytest.mark.parametrize("labels", [[0, 0], [1, 1]])
def test_one_class_is_refused(method, labels):
    """No probability can be learned from one class."""
    with pytest.raises(InputError, match=r"no (positive|negative) label in 2 rows"):
        CALIBRATORS[method]().fit([0.2, 0.8], labels)


@every_calibrator
def test_one_row_is_refused(method):
    """One row has one class."""
    with pytest.raises(InputError, match="no negative label in 1 row"):
        CALIBRATORS[method]().fit([0.2], [1])


junk = st.lists(
    st.one_of(st.none(), st.floats(), st.integers(-2, 2), st.booleans(), st.text(max_size=2)),
    max_size=6,
)


@every_calibrator
@given(scores=junk, labels=junk, weights=st.one_of(st.none(), junk))
def test_junk_is_refused_in_our_words(method, scores, labels, weights):
    """Whatever comes, the answer is a calibrator or an error of ours."""
    try:
        calibrator = CALIBRATORS[method]().fit(scores, labels, sample_weight=weights)
    except LwcalError as error:
        assert isinstance(error, InputError)
    else:
        assert np.isfinite(calibrator.predict(GRID)).all()


@every_calibrator
def test_new_scores_are_checked_too(method, noisy_rows):
    """Prediction refuses what fitting refuses."""
    calibrator = CALIBRATORS[method]().fit(*noisy_rows)
    with pytest.raises(InputError, match="1 of 2 values is outside"):
        calibrator.predict([0.5, 1.5])
    assert calibrator.predict(np.array([0.5], dtype=np.float32)).dtype == np.float64
