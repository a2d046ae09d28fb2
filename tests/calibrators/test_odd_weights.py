"""Weights of any size that is accepted: every fit works, and can be saved and loaded."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lwcal import Audited, ScoreTable
from lwcal.artifact import from_document, to_document
from lwcal.calibrators import CALIBRATORS
from lwcal.errors import InputError
from lwcal.rows.fault_kinds import HEAVIEST, LIGHTEST
from tests.strategies import rows

GRID = np.concatenate([np.linspace(0, 1, 101), [5e-324, 1e-310, 2.0**-60, 1 - 2.0**-53]])
GRID.sort()
COSTLY = settings(max_examples=30)
MOST_ROWS = 9
exponents = st.one_of(
    st.floats(-100, 14),
    st.sampled_from([-100, -30, -12, 0, 9, 12, 14]),
    st.floats(-3, 3),
)


@st.composite
def odd_weights(draw, n):
    """Weights that are all equal, of a few sizes, or of any size, and a few zeros."""
    few = draw(st.lists(exponents, min_size=1, max_size=3))
    kind = st.sampled_from(few) if draw(st.booleans()) else exponents
    weights = 10.0 ** np.array(draw(st.lists(kind, min_size=n, max_size=n)), dtype=float)
    weights = np.maximum(weights, LIGHTEST)  # 10**-100 may round below
    weights[2:][np.array(draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2)), bool)] = 0
    return weights


@pytest.mark.parametrize("method", CALIBRATORS)
@COSTLY
@given(data=st.data(), table=rows(max_size=MOST_ROWS))
def test_whatever_can_be_fitted_can_be_saved_and_loaded(method, data, table):
    """And is a monotone map into [0, 1], without a warning."""
    scores, labels = table
    weights = data.draw(odd_weights(len(scores)))
    fitted = CALIBRATORS[method]().fit(scores, labels, sample_weight=weights)
    assert fitted.n_ == pytest.approx(weights.sum())
    assert np.isfinite(list(fitted.diagnostics_.values())).all()
    values = fitted.predict(GRID)
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) >= -1e-12).all()
    loaded = from_document(json.loads(json.dumps(to_document(fitted), allow_nan=False)))
    np.testing.assert_array_equal(loaded.predict(GRID), values)
    assert loaded.n_ == fitted.n_


@COSTLY
@given(data=st.data(), table=rows(max_size=MOST_ROWS))
def test_checked_labels_may_have_odd_weights_too(data, table):
    """Some rows are checked, and some of their labels are wrong."""
    scores, labels = table
    weights = data.draw(odd_weights(len(scores)))
    truth = st.sampled_from([0.0, 1.0, np.nan])
    truths = np.array(data.draw(st.lists(truth, min_size=len(scores), max_size=len(scores))))
    fitted = Audited().fit(scores, labels, sample_weight=weights, y_audited=truths)
    values = fitted.predict(GRID)
    assert ((values >= 0) & (values <= 1)).all()
    loaded = from_document(json.loads(json.dumps(to_document(fitted), allow_nan=False)))
    np.testing.assert_array_equal(loaded.predict(GRID), values)


def test_a_covariance_that_rounding_made_indefinite_is_widened():
    """It belongs to the truth of rows of which one weighs 10^12 times as much as another."""
    fitted = Audited().fit([1, 0, 0, 0], [0, 1, 1, 0], [1e9, 1, 1e12, 10], y_audited=[0, 0, 0, 0])
    assert np.isfinite(fitted.predict(GRID)).all()


SMALL, LARGE = np.nextafter(LIGHTEST, 0.0), np.nextafter(HEAVIEST, np.inf)


@pytest.mark.parametrize("weight", [SMALL, LARGE, 5e-324, 1e300, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("rest", [0.0, 1.0])
def test_weights_beyond_the_range_are_refused_with_their_row(weight, rest):
    """From rows of any kind, and as counts."""
    scores, labels, weights = [0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1], [rest, 1.0, weight, 1.0]
    frame = {"s": scores, "y": labels, "w": weights}
    for refused in (
        lambda: ScoreTable.from_arrays(scores, labels, weights),
        lambda: ScoreTable.from_arrays(scores, labels, [str(value) for value in weights]),
        lambda: ScoreTable.from_frame(frame, "s", "y", "w"),
        lambda: ScoreTable.from_counts(scores, weights, [1, 1, 1, 1]),
    ):
        with pytest.raises(InputError, match=r"1 of 4 values is invalid, the first in row 2"):
            refused()
    with pytest.raises(InputError, match="cannot be used"):
        ScoreTable(scores, [1.0, 1.0, weight, 1.0], [1.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("weight", [LIGHTEST, HEAVIEST / 4, 0.0])
def test_the_ends_of_the_range_belong_to_it(weight):
    """In the quick way through plain numbers, too."""
    table = ScoreTable.from_arrays([0.2, 0.4, 0.8], [0, 0, 1], [weight, 1.0, weight or 1.0])
    assert table.n_negative == weight + 1.0


def test_a_total_that_cannot_count_rows_is_refused():
    """Of rows, of counts, of frames and of tables that are added."""
    scores, labels, half = [0.2, 0.8], [0, 1], [6e14, 6e14]
    whole = ScoreTable.from_arrays(scores, labels, [4e14, 4e14])
    for refused in (
        lambda: ScoreTable.from_arrays(scores, labels, half),
        lambda: ScoreTable.from_frame({"s": scores, "y": labels, "w": half}, "s", "y", "w"),
        lambda: ScoreTable.from_counts(scores, half, half),
        lambda: ScoreTable(scores, half, half),
        lambda: whole + whole,
    ):
        with pytest.raises(InputError, match="add up to"):
            refused()
