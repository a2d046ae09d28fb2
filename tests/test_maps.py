"""Maps are data: they can be called and written as JSON, and damaged ones are refused."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.errors import ArtifactError, InputError, LwcalError, ParameterError
from lwcal.maps import (
    BetaMap,
    BlendMap,
    IdentityMap,
    OddsMap,
    PiecewiseLinearMap,
    SigmoidMap,
    map_from_dict,
)
from tests.strategies import scores_of_any_kind

slopes = st.floats(0, 1e3)
numbers = st.floats(-1e3, 1e3)
not_scores = st.one_of(
    st.sampled_from([np.nan, np.inf, -np.inf, 1.5, -1.0, 1e300, -1e300, np.nextafter(1, 2)]),
    st.floats(1.0, exclude_min=True),
    st.floats(max_value=-0.0, exclude_max=True, allow_subnormal=False),
)


@st.composite
def piecewise(draw):
    """Random knots, steep and flat."""
    x = draw(st.lists(scores_of_any_kind.map(abs), min_size=1, max_size=12, unique=True))
    y = draw(st.lists(st.floats(0, 1), min_size=len(x), max_size=len(x)))
    return PiecewiseLinearMap(np.sort(x), np.sort(y))


simple_maps = st.one_of(
    st.just(IdentityMap()),
    piecewise(),
    st.builds(BetaMap, slopes, slopes, numbers),
    st.builds(SigmoidMap, slopes, numbers),
)
blends = st.builds(BlendMap, st.floats(0, 1), simple_maps)
factors = st.floats(0.02, 50)
"""Factors of the odds; exports differ by this much more than without them."""
maps = st.one_of(simple_maps, blends, st.builds(OddsMap, factors, st.one_of(simple_maps, blends)))


def knots_of(fitted):
    """Scores at the knots, however deep they lie; none for maps without them."""
    inner = getattr(fitted, "inner", None)
    return getattr(fitted, "x", np.empty(0)) if inner is None else knots_of(inner)


@given(fitted=maps, points=st.lists(scores_of_any_kind, min_size=1))
def test_maps_are_monotone_in_range_and_survive_json(fitted, points):
    """The three promises of a map, for every kind."""
    points = np.sort(np.array(points))
    values = fitted(points)
    assert (np.diff(values) >= -1e-15).all()
    assert ((values >= 0) & (values <= 1)).all()
    np.testing.assert_array_equal(fitted.apply_unchecked(points), values)
    rebuilt = map_from_dict(json.loads(json.dumps(fitted.to_dict())))
    np.testing.assert_array_equal(rebuilt(points), values)


@given(
    fitted=maps, good=st.lists(scores_of_any_kind, max_size=5), bad=not_scores, at=st.integers(0)
)
def test_maps_refuse_what_is_not_a_score(fitted, good, bad, at):
    """Missing, infinite or outside [0, 1], at any position."""
    scores = good.copy()
    scores.insert(at % (len(good) + 1), bad)
    with pytest.raises(InputError, match="probabilities, from 0 to 1"):
        fitted(np.array(scores))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bad=not_scores)
def test_fitted_maps_refuse_what_is_not_a_score(backend, bad):
    """With either backend, however many rows there are."""
    fitted = lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])
    with pytest.raises(InputError):
        fitted.map_(np.full(1000, bad))


def test_maps_take_any_column_but_no_matrix():
    """As ``predict`` does."""
    fitted = SigmoidMap(4.0, -2.0)
    np.testing.assert_array_equal(fitted([0.5]), [0.5])
    np.testing.assert_array_equal(fitted(np.array([0.5], dtype=np.float32)), [0.5])
    for scores in (np.full((3, 2), 0.5), 0.5, []):
        with pytest.raises(InputError):
            fitted(scores)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([0.1, 0.2], [0.5], "2 and 1"),
        ([0.2, 0.1], [0.1, 0.5], "0.2 before 0.1 at position 0"),
        ([0.1, 0.3, 0.3], [0.1, 0.5, 0.5], "at position 1"),
        ([0.1, 0.2], [0.5, 0.1], "0.5 before 0.1"),
        ([0.1, 0.2], [0.5, 1.1], "1.1"),
        ([0.1, np.nan], [0.5, 0.6], "not NaN"),
        ([-0.1, 0.2], [0.5, 0.6], "-0.1"),
        ([], [], "x knots"),
        ([[0.1], [0.2]], [[0.1, 0.2]], "y knots"),
    ],
)
def test_knots_that_are_no_map_are_refused(x, y, expected):
    """Lengths, order and range are checked when the map is made."""
    with pytest.raises(InputError, match=expected):
        PiecewiseLinearMap(np.array(x), np.array(y))


@given(
    x=st.lists(st.floats(), max_size=6), y=st.lists(st.floats(), max_size=6), point=st.floats(0, 1)
)
def test_any_knots_are_a_monotone_map_or_refused(x, y, point):
    """No knots reach a kernel unchecked."""
    try:
        fitted = PiecewiseLinearMap(np.array(x), np.array(y))
    except LwcalError:
        return
    assert min(y) <= fitted([point])[0] <= max(y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: BetaMap(-1.0, 1.0, 0.0),
        lambda: BetaMap(1.0, np.nan, 0.0),
        lambda: BetaMap(1.0, 1.0, np.inf),
        lambda: SigmoidMap(-0.5, 0.0),
        lambda: SigmoidMap(1.0, "0"),
        lambda: BlendMap(1.5, IdentityMap()),
        lambda: BlendMap(np.nan, IdentityMap()),
    ],
)
def test_parameters_that_are_no_map_are_refused(make):
    """Falling, undefined or outside [0, 1]."""
    with pytest.raises(ParameterError):
        make()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"kind": "spline"}, "identity, .*'spline'"),
        ({"kind": ["identity"]}, "identity"),
        ([1], "identity"),
        (None, "None"),
        ({"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [0.5]}, "2 and 1"),
        ({"kind": "piecewise_linear", "x": [0.2, 0.1], "y": [0.1, 0.5]}, "0.2 before 0.1"),
        ({"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [0.5, 0.1]}, "0.5 before 0.1"),
        ({"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [0.5, 1.1]}, r"\[0, 1\]"),
        ({"kind": "piecewise_linear", "x": [], "y": []}, "x knots"),
        ({"kind": "piecewise_linear", "x": ["a"], "y": [0.5]}, "number for x.*'a'"),
        ({"kind": "beta", "a": -1.0, "b": 1.0, "c": 0.0}, "a .*-1.0"),
        ({"kind": "beta", "a": 1.0, "b": 1.0}, "number for c.*None"),
        ({"kind": "sigmoid", "slope": True, "intercept": 0.0}, "number for slope.*True"),
        ({"kind": "blend", "rho": 1.5, "inner": {"kind": "identity"}}, r"rho.*1\.5"),
        ({"kind": "blend", "rho": 0.5}, "None"),
    ],
)
def test_damaged_maps_are_refused(document, expected):
    """Only monotone maps into [0, 1] are loaded."""
    with pytest.raises(ArtifactError, match=expected):
        map_from_dict(document)
