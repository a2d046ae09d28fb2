"""Rows of several classes: equal rows are pooled, and the order says nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.errors import InputError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.rows.class_counts import ClassCounts


@given(seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(seed):
    """And a weight of 2 is the row twice."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet([1.0, 1.0, 1.0], 30).round(1) + 0.01
    scores /= scores.sum(axis=1, keepdims=True)
    labels = np.arange(30) % 3
    order = rng.permutation(60) % 30
    one = ClassRows.from_arrays(scores, labels, np.full(30, 2.0))
    other = ClassRows.from_arrays(scores[order], labels[order])
    for name in ("scores", "labels", "weights"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.n == other.n == 60


def test_counts_of_an_engine_are_divided_by_their_sums():
    """Their own arrays stay as they are."""
    scores = np.array([[0.3, 0.3, 0.3], [0.5, 0.5, 0.0]])
    counts = ClassCounts(scores, np.array([0, 1]), np.array([2.0, 1.0]), 10.0, is_sample=True)
    rows = ClassRows.of_counts(counts, ("a", "b", "c"))
    np.testing.assert_allclose(rows.scores.sum(axis=1), 1.0)
    assert scores[0, 0] == 0.3
    assert (rows.n, rows.sampled_from, rows.classes) == (3.0, 10.0, ("a", "b", "c"))


def test_one_class_is_refused():
    """There is nothing to calibrate."""
    with pytest.raises(InputError, match="one class, 'b'"):
        ClassRows.from_arrays([[0.5, 0.5], [0.2, 0.8]], ["b", "b"], classes=["a", "b"])


def test_a_later_fit_forgets_the_classes_and_the_sample():
    """A table has neither."""
    counts = ClassCounts(np.eye(3), np.arange(3), np.ones(3), 10.0, is_sample=True)
    fitted = lwcal.Temperature().fit_rows(ClassRows.of_counts(counts, (0, 1, 2)))
    assert (fitted.n_classes_, fitted.sampled_from_) == (3, 10.0)
    fitted.fit_table(lwcal.ScoreTable.from_arrays([0.2, 0.8], [0, 1]))
    assert (fitted.n_classes_, fitted.sampled_from_) == (2, None)
    with pytest.raises(InputError, match="one column"):
        fitted.class_score_map()
