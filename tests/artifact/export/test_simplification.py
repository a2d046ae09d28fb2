"""Simplified maps have fewer knots and stay within the allowed error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.artifact.export import simplify
from lwcal.artifact.export.simplification import knot_count, largest_error
from lwcal.errors import ParameterError
from lwcal.maps import BetaMap, BlendMap, PiecewiseLinearMap, map_from_dict
from tests.strategies import scores_of_any_kind
from tests.test_maps import knots_of, maps

GRID = np.linspace(0, 1, 301)


@given(fitted=maps, max_error=st.floats(0, 1), more=st.lists(scores_of_any_kind))
def test_no_value_moves_by_more_than_allowed(fitted, max_error, more):
    """At the knots, around them and between them; the result can be loaded."""
    simple = simplify(fitted, max_error)
    x = knots_of(fitted)
    points = np.concatenate([GRID, x, np.nextafter(x, 0), np.nextafter(x, 1), np.abs(more)])
    assert np.abs(simple(points) - fitted(points)).max() <= max_error
    assert largest_error(fitted, simple) <= max_error
    assert knot_count(simple) <= knot_count(fitted)
    np.testing.assert_array_equal(map_from_dict(simple.to_dict())(points), simple(points))


def test_knots_are_dropped(noisy_rows):
    """A smooth curve keeps few knots, and a staircase keeps its large steps."""
    curve = PiecewiseLinearMap(GRID, GRID**2)
    assert knot_count(simplify(curve, 0.001)) < 20
    fitted = lwcal.Isotonic().fit(*noisy_rows).map_
    counts = [knot_count(simplify(fitted, error)) for error in (0.0, 0.01, 0.05, 0.2)]
    assert counts[0] == knot_count(fitted)
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[0] / 4


@given(max_error=st.floats(0, 1))
def test_certainty_does_not_grow(max_error):
    """A map that never reaches 0 or 1 does not reach them when simplified."""
    simple = simplify(PiecewiseLinearMap(GRID, 0.001 + 0.998 * GRID**2), max_error)
    assert simple(GRID).min() >= 0.001
    assert simple(GRID).max() <= 0.999


def test_an_error_of_1_leaves_a_line():
    """Two knots at most, at the first and the last."""
    fitted = PiecewiseLinearMap(GRID, GRID**3)
    assert knot_count(simplify(fitted, 1.0)) == 2


def test_a_blend_may_move_its_inner_map_further():
    """The blend hides part of the error of its inner map."""
    inner = PiecewiseLinearMap(GRID, GRID**2)
    blend = BlendMap(0.9, inner)
    assert knot_count(simplify(blend, 0.001)) < knot_count(simplify(inner, 0.001))
    only_score = BlendMap(1.0, inner)
    assert simplify(only_score, 0.001) is only_score


def test_maps_without_knots_stay():
    """There is nothing to drop."""
    fitted = BetaMap(1.0, 2.0, 0.5)
    assert simplify(fitted, 0.5) is fitted
    assert largest_error(fitted, fitted) == 0.0


@pytest.mark.parametrize("max_error", [-0.1, 1.5, float("nan"), "0.1", True])
def test_impossible_errors_are_refused(max_error):
    """With the name of the parameter."""
    with pytest.raises(ParameterError, match="max_error"):
        simplify(BetaMap(1.0, 1.0, 0.0), max_error)
