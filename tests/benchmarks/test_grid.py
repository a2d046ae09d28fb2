"""Fits at many numbers of rows: what neighbours predict, and who is slower than scikit-learn."""

import itertools

import pytest
from benchmarks.methods import GATED, ISOTONIC, LWCAL, SKLEARN
from benchmarks.results import GRID, Results
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import grid
from tests.benchmarks.made_up import add, grid_results


def test_the_grid_is_even():
    """Thirty sizes from 100 to ten million, none more than twice the one before."""
    assert (len(grid.SIZES), grid.SIZES[0], grid.SIZES[-1]) == (30, 100, 10_000_000)
    assert all(1.3 < more / fewer <= 2 for fewer, more in itertools.pairwise(grid.SIZES))
    assert grid.within(200, 700) == (200, 300, 500, 700)


@given(st.floats(-1.0, 2.0), st.floats(0.1, 10.0))
def test_neighbours_predict_every_power_of_the_rows(power, factor):
    """A size that takes longer stands out by as much."""
    made, odd = Results(), 5_000
    for rows in (3_000, odd, 7_000):
        time = 1e-6 * rows**power * (factor if rows == odd else 1.0)
        add(made, GRID, "continuous", rows, {LWCAL: time})
    assert grid.excess(made, odd) == pytest.approx(factor)


def test_no_prediction_without_two_neighbours():
    """At the ends of the grid and of the run."""
    made = grid_results(sizes=grid.within(0, 1_000))
    found = {rows: grid.excess(made, rows) for rows in grid.SIZES}
    assert [rows for rows, value in found.items() if value is not None] == [200, 300, 500, 700]


def test_nobody_is_slower():
    """Ten times as fast at every size; a tie is not slower."""
    assert grid.slower_than_sklearn(grid_results(faster=10.0)) == []
    assert grid.slower_than_sklearn(grid_results(faster=1.0)) == []


@pytest.mark.parametrize("name", grid.OWN)
@pytest.mark.parametrize("rows", [100, 5_000, 10_000_000])
def test_one_slow_size_of_one_method_is_found(name, rows):
    """The line names the method, the size and the ratio."""
    (line,) = grid.slower_than_sklearn(grid_results(faster=10.0, slow={(rows, name): 12.5}))
    assert line.startswith(f"{name} fit, {rows:,} rows: ")
    assert "1.25 times as long" in line


def test_the_fits_run_in_turns_up_to_the_limit(capsys):
    """Each method at each size."""
    made = Results()
    grid.measure_grid(made, 200, budget=0.0)
    assert [(m.rows, m.contender) for m in made] == [
        (rows, name) for rows in (100, 200) for name in (LWCAL, GATED, ISOTONIC, SKLEARN, "np.sort")
    ]
