"""LWCal and Gated-LWCal follow the paper's equations, whatever the rows."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.calibrators.gate import gate
from lwcal.errors import ParameterError
from lwcal.maps import BlendMap
from tests import reference
from tests.strategies import counts, rows

GRID = np.linspace(0, 1, 201)
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def random_rows(seed, n=700, digits=None):
    """Noisy rows, with ties when rounded."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 0.9, n)
    scores = scores if digits is None else scores.round(digits)
    labels = (rng.random(n) < 0.25 + 0.5 * scores).astype(int)
    return scores, labels


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("digits", [None, 2])
@pytest.mark.parametrize("method", ["lwcal", "gated"])
def test_the_map_is_the_papers(backend, seed, digits, method):
    """Against the formulas written out row by row."""
    scores, labels = random_rows(seed, digits=digits)
    calibrator = {"lwcal": lwcal.LWCal, "gated": lwcal.GatedLWCal}[method]().fit(scores, labels)
    expected, scalars = getattr(reference, method)(scores, labels)
    assert calibrator.diagnostics_ == pytest.approx(scalars, rel=1e-12)
    np.testing.assert_allclose(calibrator.predict(GRID), expected(GRID), atol=1e-10)


def test_float_order_and_layout_do_not_matter(noisy_rows):
    """Shuffled, strided and float32-born columns give the same map."""
    scores, labels = noisy_rows
    scores = scores.astype(np.float32)
    expected = lwcal.LWCal().fit(scores, labels).predict(GRID)
    order = np.random.default_rng(0).permutation(len(scores))
    shuffled = lwcal.LWCal().fit(scores[order].astype(float), labels[order])
    strided = lwcal.LWCal().fit(np.repeat(scores, 2)[::2], np.repeat(labels, 2)[::2])
    np.testing.assert_array_equal(shuffled.predict(GRID), expected)
    np.testing.assert_array_equal(strided.predict(GRID), expected)


@SHARED
@given(data=st.data(), weighted=rows())
def test_weights_count_as_repetitions_in_the_median_too(backend, data, weighted):
    """A row of weight k equals that row k times, in m, s, d and the map."""
    scores, labels = weighted
    times = data.draw(counts(len(scores)))
    assume(len(set(np.repeat(labels, times))) == 2)
    a = lwcal.GatedLWCal().fit(scores, labels, sample_weight=times)
    b = lwcal.GatedLWCal().fit(np.repeat(scores, times), np.repeat(labels, times))
    assert a.diagnostics_ == b.diagnostics_
    assert a.n_ == b.n_
    np.testing.assert_array_equal(a.predict(GRID), b.predict(GRID))


def test_when_half_the_losses_are_equal_the_scale_is_epsilon(backend):
    """s = 0: below the median full weight, at it one half, above it the floor."""
    scores = np.array([0.2, 0.2, 0.2, 0.2, 0.1, 0.4, 0.9])
    labels = np.array([0, 0, 0, 0, 0, 0, 1])
    calibrator = lwcal.LWCal().fit(scores, labels)
    assert calibrator.diagnostics_["s"] == 0.0
    record = lwcal.label_weights(calibrator, scores, labels)
    np.testing.assert_allclose(record.weight, [0.5, 0.5, 0.5, 0.5, 1.0, 0.05, 1.0], atol=1e-9)


def test_no_scale_at_all_is_still_stable(backend):
    """With s = 0 and epsilon = 0 a tiny scale remains, and no NaN comes out."""
    calibrator = lwcal.LWCal(epsilon=0.0).fit([0.3] * 6 + [0.9], [0, 0, 0, 0, 1, 0, 1])
    assert calibrator.diagnostics_["s"] == 0.0
    assert np.isfinite(calibrator.predict(GRID)).all()


@pytest.mark.parametrize("d", [0.0, 0.29, 0.35, 0.41, 1.0])
def test_the_gate_is_the_papers(d):
    """rho = clip((d - 0.29) / 0.12, 0, 1)."""
    assert gate(d) == pytest.approx(np.clip((d - 0.29) / 0.12, 0, 1))


def test_a_fully_open_gate_returns_the_raw_score():
    """Labels that contradict the model everywhere leave the score as it was."""
    scores = np.array([0.1, 0.3, 0.6, 0.8])
    calibrator = lwcal.GatedLWCal().fit(scores, [1, 1, 0, 0])
    assert calibrator.diagnostics_["rho"] == 1.0
    np.testing.assert_array_equal(calibrator.predict(GRID), GRID)


def test_a_closed_gate_is_lwcal(noisy_rows):
    """Below the gate both calibrators give the same probabilities."""
    gated = lwcal.GatedLWCal(gate_center=0.9).fit(*noisy_rows)
    assert isinstance(gated.map_, BlendMap)
    expected = lwcal.LWCal().fit(*noisy_rows).predict(GRID)
    np.testing.assert_array_equal(gated.predict(GRID), expected)


def test_every_constant_of_the_paper_is_a_parameter(noisy_rows):
    """Changing any of them changes the fit, and the defaults are the paper's."""
    defaults = lwcal.GatedLWCal(threshold=0.5).fit(*noisy_rows)
    assert defaults.get_params() == {
        "gate_center": 0.29,
        "gate_width": 0.12,
        "floor": 0.05,
        "ceiling": 1.0,
        "mad_factor": 1.4826,
        "epsilon": 1e-6,
        "threshold": 0.5,
        "pos_label": None,
    }
    for change in (
        {"floor": 0.5},
        {"ceiling": 0.3},
        {"mad_factor": 5.0},
        {"epsilon": 3.0},
        {"gate_center": 0.1},
        {"threshold": 0.9, "gate_center": 0.1},
        {"gate_center": 0.1, "gate_width": 0.9},
    ):
        changed = lwcal.GatedLWCal(**change).fit(*noisy_rows)
        assert not np.array_equal(changed.predict(GRID), defaults.predict(GRID)), change


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"floor": -0.1}, "floor to be a number from 0 to 1, got -0.1"),
        ({"floor": 0.9, "ceiling": 0.5}, "floor to be at most ceiling"),
        ({"ceiling": 0.0}, "ceiling to be a number above 0, up to 1"),
        ({"mad_factor": float("nan")}, "mad_factor to be a number of at least 0"),
        ({"epsilon": "small"}, "epsilon to be a number"),
        ({"threshold": True}, "threshold to be a number"),
        ({"gate_width": 0.0}, "gate_width to be a number above 0"),
    ],
)
def test_bad_parameters_are_refused_at_fit(parameters, expected):
    """As in scikit-learn, __init__ only assigns and fit checks."""
    with pytest.raises(ParameterError, match=expected):
        lwcal.GatedLWCal(**parameters).fit([0.2, 0.8], [0, 1])


def test_a_subclass_that_fits_in_another_way_is_asked_for_each_table():
    """Several tables are fitted at once only where that is the fit of the class."""

    class Reversed(lwcal.LWCal):
        def _fit(self, table):
            return super()._fit(
                lwcal.ScoreTable.unchecked(table.scores, table.positives, table.negatives)
            )

    tables = [lwcal.ScoreTable.from_arrays(*random_rows(seed)) for seed in range(2)]
    for found, table in zip(Reversed().fit_each(tables), tables, strict=True):
        np.testing.assert_array_equal(
            found.predict(GRID), Reversed().fit_table(table).predict(GRID)
        )
