"""Counts of opinions: the same for rows in any order and in any number of parts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError
from lwcal.reviews.name_keys import common_names, reviewer_keys
from lwcal.reviews.opinion_counts import OpinionCounter, OpinionCounts
from lwcal.reviews.opinion_rows import OpinionRows, stacked
from tests.reviews.simulated import simulated_rows

ARRAYS = ("scores", "weights", "truths", "rows", "reviewers", "labels")


def same(one, other):
    """Whether two counts are equal, to the last bit."""
    arrays = all(
        getattr(one.rows, name).tobytes() == getattr(other.rows, name).tobytes() for name in ARRAYS
    )
    facts = [
        (c.rows.names, c.rows.classes, c.tally, c.total, c.limit, c.highest) for c in (one, other)
    ]
    return arrays and facts[0] == facts[1]


def rows_of(seed, n=60, reviewers=4):
    """Rows with few distinct values, and with weights that add up exactly."""
    rng = np.random.default_rng(seed)
    positive = rng.integers(0, 4, n) / 4
    asked = rng.random((n, reviewers)) < 0.4
    rows, who = np.nonzero(asked)
    return OpinionRows(
        np.stack([1 - positive, positive], axis=1),
        rng.integers(0, 4, n) / 2,
        np.where(rng.random(n) < 0.8, -1, rng.integers(0, 2, n)),
        rows,
        who,
        rng.integers(0, 2, len(rows)),
        ("no", "yes"),
        tuple(f"r{k}" for k in range(reviewers)),
    )


def counted(rows, limit=None, pieces=1, chunk=7):
    """Counts of rows that arrive in pieces."""
    counter = OpinionCounter(limit, chunk=chunk)
    for part in np.array_split(np.arange(len(rows.weights)), pieces):
        counter.add(rows.part(part), reviewer_keys(rows.names))
    found = counter.found(rows.classes, rows.names)
    return replace(found, scale="probability")


@given(seed=st.integers(0, 1000), pieces=st.integers(1, 9))
def test_equal_rows_are_counted(seed, pieces):
    """As a dictionary counts them, however they arrive."""
    rows = rows_of(seed)
    found = counted(rows, pieces=pieces)
    expected = {}
    for row, (score, weight, truth) in enumerate(
        zip(rows.scores[:, 1], rows.weights, rows.truths, strict=True)
    ):
        mine = rows.rows == row
        said = tuple(zip(rows.reviewers[mine], rows.labels[mine], strict=True))
        if weight and (said or truth >= 0):
            expected[score, truth, said] = expected.get((score, truth, said), 0.0) + weight
    kept = found.rows
    assert len(kept.weights) == len(expected)
    for row, (score, weight, truth) in enumerate(
        zip(kept.scores[:, 1], kept.weights, kept.truths, strict=True)
    ):
        mine = kept.rows == row
        said = tuple(zip(kept.reviewers[mine], kept.labels[mine], strict=True))
        assert expected[score, truth, said] == weight
    assert found.total == sum(expected.values())
    assert found.tally.rows == 60
    assert found.tally.unlabelled == ((rows.opinions == 0) & ~rows.is_checked).sum()


@given(seed=st.integers(0, 1000), limit=st.one_of(st.none(), st.integers(1, 30)))
def test_merging_does_not_depend_on_order_or_grouping(seed, limit):
    """It is what the rows of all parts give together, all of them or a sample."""
    rows = rows_of(seed)
    where = np.random.default_rng(seed).integers(0, 3, 60)
    a, b, c = (counted(rows.part(where == k), limit) for k in range(3))
    whole = counted(rows, limit)
    for found in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a, b), b.merge(c, a)):
        assert same(found, whole)
    assert whole.is_sample == (
        limit is not None and max(np.bincount(counted(rows).rows.tells, minlength=2)) > limit
    )


@given(seed=st.integers(0, 1000), limit=st.integers(1, 30), pieces=st.integers(1, 9))
def test_a_sample_keeps_both_kinds_of_rows(seed, limit, pieces):
    """As many of each as the limit allows, each with its full weight, in any order."""
    rows = rows_of(seed)
    order = np.random.default_rng(seed).permutation(60)
    found, whole = counted(rows, limit, pieces), counted(rows)
    assert same(found, counted(rows.part(order), limit))
    for kind in (True, False):
        of_kind = whole.rows.tells == kind
        kept = found.rows.weights[found.rows.tells == kind]
        assert len(kept) == min(limit, of_kind.sum())
        np.testing.assert_array_equal(kept, whole.rows.weights[of_kind][: len(kept)])
    assert found.total == whole.total


def test_parts_may_have_other_reviewers():
    """Then they are sorted; the order in which they were met does not matter."""
    rows = rows_of(1)
    turned = replace(rows, reviewers=3 - rows.reviewers, names=rows.names[::-1])
    one, other = counted(rows), counted(turned)
    for found in (one.merge(other), other.merge(one)):
        assert found.rows.names == rows.names
        np.testing.assert_array_equal(found.rows.weights, 2 * one.rows.weights)
    assert common_names([("Ann",), (" Ann ", "ann")]) == ("Ann", "ann")
    assert common_names([("007",), ("7", "07")]) == ("007", "07", "7")
    assert common_names([(10, 2), (1,)]) == (1, 2, 10)


def test_a_class_that_nobody_named_is_that_of_the_others():
    """Shards may lack a class; other classes are refused."""
    found = counted(rows_of(2))
    lacking = replace(found, rows=replace(found.rows, classes=("no", None)))
    assert lacking.merge(found).rows.classes == ("no", "yes")
    assert lacking.merge(lacking).reviewable().rows.classes == ("no", 1)
    others = replace(found, rows=replace(found.rows, classes=("good", "bad")))
    with pytest.raises(InputError, match="counts of the same classes"):
        found.merge(others)
    with pytest.raises(InputError, match="counts on one scale, got percent and probability"):
        found.merge(replace(found, scale="percent"))
    with pytest.raises(InputError, match="scores in the same columns"):
        found.merge(replace(found, has_classes=True))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_distinct_rows_are_the_rows(n_classes):
    """The order of rows does not matter, nor whether equal ones were counted before."""
    rows = simulated_rows(80, n_classes, 3, seed=1, checked=0.2)
    twice = stacked([rows, rows]).part(np.random.default_rng(0).permutation(160))
    found, expected = twice.distinct(), replace(rows, weights=2 * rows.weights).distinct()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    nothing = replace(rows, weights=np.zeros(80)).distinct()
    assert len(nothing.weights) == 0


def test_counts_say_what_they_are():
    """In a line."""
    found = counted(rows_of(3))
    assert isinstance(found, OpinionCounts)
    assert str(found).startswith("60 rows with opinions of 4 reviewers, ")
