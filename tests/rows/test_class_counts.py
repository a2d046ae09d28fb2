"""Counts of equal rows: exact up to a limit, then a sample that only the values decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.rows.class_counts import MOST_NUMBERS, ClassCounter, most_rows


def counted(scores, labels, weights=None, *, limit=None, pieces=1, chunk=7):
    """Counts of rows that arrive in pieces."""
    counter = ClassCounter(limit, chunk=chunk)
    for part in np.array_split(np.arange(len(labels)), pieces):
        counter.add(scores[part], labels[part], None if weights is None else weights[part])
    return counter.counts()


def rows_of(seed, n=60, digits=1):
    """Two columns, labels and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    return rng.random((n, 2)).round(digits), rng.integers(0, 2, n), rng.integers(0, 4, n) / 2


@given(seed=st.integers(0, 1000), pieces=st.integers(1, 9), weighted=st.booleans())
def test_equal_rows_are_counted(seed, pieces, weighted):
    """As numpy counts them, however they arrive."""
    scores, labels, weights = rows_of(seed)
    found = counted(scores, labels, weights if weighted else None, pieces=pieces)
    kept = weights > 0 if weighted else np.full(len(labels), True)
    table = np.column_stack([scores, labels])[kept]
    distinct, place = np.unique(table, axis=0, return_inverse=True)
    sums = np.bincount(place.ravel(), weights[kept] if weighted else None)
    order = np.lexsort((found.labels, *found.scores.T[::-1]))
    np.testing.assert_array_equal(found.scores[order], distinct[:, :2])
    np.testing.assert_array_equal(found.labels[order], distinct[:, 2])
    np.testing.assert_array_equal(found.weights[order], sums)
    assert found.total == sums.sum()
    assert not found.is_sample


@given(seed=st.integers(0, 1000), pieces=st.integers(1, 9), limit=st.integers(1, 40))
def test_a_sample_does_not_depend_on_the_order(seed, pieces, limit):
    """It has the limit of distinct rows, each with its full count."""
    scores, labels, weights = rows_of(seed)
    order = np.random.default_rng(seed).permutation(len(labels))
    whole = counted(scores, labels, weights)
    found = counted(scores, labels, weights, limit=limit, pieces=pieces)
    other = counted(scores[order], labels[order], weights[order], limit=limit)
    for one, same in zip(found, other, strict=True):
        np.testing.assert_array_equal(one, same)
    assert found.is_sample == (len(whole.labels) > limit)
    assert len(found.labels) == min(limit, len(whole.labels))
    np.testing.assert_array_equal(found.weights, whole.weights[: len(found.weights)])
    assert found.total == whole.total


def test_a_sample_is_uniform():
    """The mean of the rows that are kept is that of all, within what chance allows."""
    scores, labels, _ = rows_of(1, n=20_000, digits=6)
    found = counted(scores, labels, limit=2000, pieces=20, chunk=1000)
    assert abs(found.scores.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 4000)
    assert abs(found.labels.mean() - 0.5) < 4 * np.sqrt(1 / 4 / 2000)


@pytest.mark.parametrize(("n_classes", "expected"), [(2, 2**20), (32, 2**20), (64, 2**19)])
def test_many_classes_have_fewer_rows(n_classes, expected):
    """So that memory is bounded."""
    assert most_rows(n_classes) == expected
    assert most_rows(n_classes) * n_classes <= MOST_NUMBERS
