"""Opinions of one group count as one, and all others as before."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lwcal.reviews.one_voice import one_voice
from tests.reviews.simulated import simulated_rows

PAIRS = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=4)


@given(PAIRS, st.integers(0, 20), st.integers(1, 5))
def test_groups_speak_once_and_others_as_often_as_before(pairs, seed, opinions):
    """Weights of rows, and of the labels of those who are in no group, stay."""
    rows = simulated_rows(30, 3, 5, seed=seed, opinions=opinions, checked=0.3)
    number = {name: f"r{place}" for place, name in enumerate("abcde")}
    named = [tuple(number[name] for name in pair) for pair in pairs]
    found, origins = one_voice(rows, named)
    np.testing.assert_allclose(np.bincount(origins, found.weights), rows.weights)
    assert (found.scores == rows.scores[origins]).all()
    assert (found.truths == rows.truths[origins]).all()
    assert (np.diff(found.rows) >= 0).all()
    inside = np.isin(rows.names, [name for pair in named for name in pair])
    np.testing.assert_allclose(found.labels_given[~inside], rows.labels_given[~inside])
    assert (found.labels_given[inside] > 0.0).tolist() == (rows.labels_given[inside] > 0.0).tolist()
    for one, other in named:
        places = [rows.names.index(name) for name in {one, other}]
        said = np.bincount(found.rows[np.isin(found.reviewers, places)], minlength=len(origins))
        assert said.max() <= 1


def test_without_groups_nothing_changes():
    """Not even the order."""
    rows = simulated_rows(30, 2, 3, seed=0)
    found = one_voice(rows, [])
    assert found.rows is rows
    assert found.origins.tolist() == list(range(30))
