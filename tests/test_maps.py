"""Maps are data: callable, written as JSON, refused when damaged."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import ArtifactError
from lwcal.maps import BetaMap, BlendMap, IdentityMap, PiecewiseLinearMap, SigmoidMap, map_from_dict
from tests.strategies import scores_of_any_kind

slopes = st.floats(0, 1e3)
numbers = st.floats(-1e3, 1e3)


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
maps = st.one_of(simple_maps, st.builds(BlendMap, st.floats(0, 1), simple_maps))


@given(fitted=maps, points=st.lists(scores_of_any_kind, min_size=1))
def test_maps_are_monotone_in_range_and_survive_json(fitted, points):
    """The three promises of a map, for every kind."""
    points = np.sort(np.array(points))
    values = fitted(points)
    assert (np.diff(values) >= -1e-15).all()
    assert ((values >= 0) & (values <= 1)).all()
    rebuilt = map_from_dict(json.loads(json.dumps(fitted.to_dict())))
    np.testing.assert_array_equal(rebuilt(points), values)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"kind": "spline"}, "a map of kind identity, .*, got 'spline'"),
        ([1], "a map of kind"),
        (None, "a map of kind"),
        ({"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [0.5]}, "as many x as y"),
        ({"kind": "piecewise_linear", "x": [0.2, 0.1], "y": [0.1, 0.5]}, "x knots that increase"),
        ({"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [0.5, 0.1]}, "never decrease"),
        ({"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [0.5, 1.1]}, r"in \[0, 1\]"),
        ({"kind": "piecewise_linear", "x": [], "y": []}, "a list of x knots"),
        ({"kind": "piecewise_linear", "x": ["a"], "y": [0.5]}, "a finite number for x"),
        ({"kind": "beta", "a": -1.0, "b": 1.0, "c": 0.0}, "a to be at least 0"),
        ({"kind": "beta", "a": 1.0, "b": 1.0}, "a finite number for c, got None"),
        ({"kind": "sigmoid", "slope": True, "intercept": 0.0}, "a finite number for slope"),
        ({"kind": "blend", "rho": 1.5, "inner": {"kind": "identity"}}, r"rho in \[0, 1\]"),
        ({"kind": "blend", "rho": 0.5}, "a map of kind"),
    ],
)
def test_damaged_maps_are_refused(document, expected):
    """What is not a monotone map into [0, 1] is not loaded."""
    with pytest.raises(ArtifactError, match=expected):
        map_from_dict(document)
