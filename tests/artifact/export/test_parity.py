"""Every target returns the values of ``predict``, in real engines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lwcal.artifact.export.linear_pieces import NEGLIGIBLE, TINY
from lwcal.calibrators import CALIBRATORS
from lwcal.maps import BlendMap, IdentityMap, OddsMap, PiecewiseLinearMap
from tests.artifact.export.targets import carrying
from tests.strategies import rows, scores_of_any_kind
from tests.test_maps import factors, knots_of, maps, piecewise

TOLERANCE = 1e-12
EXAMPLES = settings(max_examples=25)


def interesting_points(fitted, more=()):
    """Both ends, a grid, and around every knot."""
    x = knots_of(fitted)
    around = [np.nextafter(x, 0.0), x, np.nextafter(x, 1.0)]
    return np.concatenate([np.linspace(0, 1, 11), *around, np.array(list(more), dtype=float)])


def values_of(run, calibrator, points):
    """Run one column of scores through a target."""
    return run(calibrator, [(point,) for point in points], ["score"])[:, 0]


@given(fitted=maps, more=st.lists(scores_of_any_kind))
@EXAMPLES
def test_maps_of_every_kind(run, fitted, more):
    """Steep, flat, with ties, at the ends and beyond the knots."""
    points = interesting_points(fitted, more)
    expected = carrying(fitted).predict(points)
    np.testing.assert_allclose(
        values_of(run, carrying(fitted), points), expected, rtol=0, atol=TOLERANCE
    )


straight = st.one_of(st.just(IdentityMap()), piecewise())


@given(
    fitted=st.one_of(
        straight,
        st.builds(BlendMap, st.floats(0.01, 0.99), straight),
        st.builds(OddsMap, factors, straight),
    )
)
@EXAMPLES
def test_maps_without_logarithms_agree_bit_by_bit(run, fitted):
    """For all scores and probabilities that are not absurdly small."""
    points = interesting_points(fitted)
    points = points[(points == 0) | (points > TINY)]
    expected = carrying(fitted).predict(points)
    large = (expected == 0) | (expected > NEGLIGIBLE)
    values = values_of(run, carrying(fitted), points)
    np.testing.assert_array_equal(values[large], expected[large])


@pytest.mark.parametrize("method", CALIBRATORS)
@given(data=rows())
@settings(max_examples=4)
def test_every_calibrator(run, method, data):
    """Fitted to any rows."""
    calibrator = CALIBRATORS[method]().fit(*data)
    points = interesting_points(calibrator.map_, data[0])
    np.testing.assert_allclose(
        values_of(run, calibrator, points), calibrator.predict(points), rtol=0, atol=TOLERANCE
    )


def test_a_map_of_many_knots(run):
    """As in isotonic regression of many rows."""
    rng = np.random.default_rng(0)
    x = np.unique(rng.random(700))
    fitted = PiecewiseLinearMap(x, np.sort(rng.random(len(x))))
    points = interesting_points(fitted)
    np.testing.assert_array_equal(values_of(run, carrying(fitted), points), fitted(points))


@given(fitted=maps)
@EXAMPLES
def test_invalid_scores_have_no_probability(run, fitted):
    """NULL, NaN and everything outside [0, 1]; negative zero is valid."""
    none = [None, float("nan"), -1e-300, -0.5, 1.0 + 2.0**-52, 2.0, float("inf"), -float("inf")]
    values = values_of(run, carrying(fitted), [*none, -0.0, 1.0])
    assert np.isnan(values[:-2]).all()
    expected = fitted(np.array([0.0, 1.0]))
    np.testing.assert_allclose(values[-2:], expected, rtol=0, atol=TOLERANCE)
