"""Systematic samples: equal probabilities, and one row from every part of the sorted rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lwcal.numerics.systematic import Cells, cells_of, systematic_sample


@given(st.integers(1, 40), st.data(), st.integers(0, 2**32))
def test_one_row_of_every_stratum(n, data, seed):
    """The stratum says where the row stands among the sorted ones."""
    size = data.draw(st.integers(1, n))
    values = np.random.default_rng(seed).permutation(n).astype(float)
    found = systematic_sample(Cells(np.zeros(n, int), (values,), rotated=False), size, seed)
    assert sorted(found.strata.tolist()) == list(range(size))
    assert len(set(found.rows.tolist())) == size
    # the place of a row lies in its stratum, up to where the random start falls
    places = values[found.rows] * size / n
    assert (np.abs(places - found.strata) < 1.0 + size / n).all()


def test_every_row_has_the_same_chance():
    """Over many seeds, with two classes and with more."""
    rng = np.random.default_rng(0)
    scores, labels = rng.random(30), rng.integers(0, 2, 30)
    classes = rng.dirichlet(np.ones(3), 30)
    for cells in (cells_of(scores, labels), cells_of(classes, rng.integers(0, 3, 30))):
        times = np.zeros(30)
        for seed in range(2000):
            times[systematic_sample(cells, 6, seed).rows] += 1
        np.testing.assert_allclose(times / 2000, 0.2, atol=0.04)


def test_two_columns_are_those_of_the_second():
    """Scores of both of two classes say the same as one of them."""
    rng = np.random.default_rng(0)
    scores, labels = rng.random(50), rng.integers(0, 2, 50)
    both = cells_of(np.stack([1 - scores, scores], axis=1), labels)
    one = cells_of(scores, labels)
    np.testing.assert_array_equal(
        systematic_sample(both, 9, 1).rows, systematic_sample(one, 9, 1).rows
    )
