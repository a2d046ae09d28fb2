"""Who differs: those who do, and nobody by chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.reviews.differences import class_differences, not_told_apart, wrong_on
from tests.reviews.hand_made import reviewer, summary

ANN, BOB, CID = ("Ann", [0.1, 0.1]), ("Bob", [0.11, 0.12]), ("Cid", [0.1, 0.4])
RATES = st.tuples(*[st.floats(0.0, 0.6)] * 2)


def three(**options):
    """Cid mistakes the second class; Ann and Bob share the first two ranks."""
    ranks = ((1, 2), (1, 2), (3, 3))
    made = [reviewer(*who, rank) for who, rank in zip((ANN, BOB, CID), ranks, strict=True)]
    return summary(*made, **options)


def simulated(seed, rates, n=500, opinions=2):
    """Fit rows of two classes, whose reviewers have these rates."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.3, 0.3, n)
    truth = rng.random(n) < scores
    wrong = rng.random((n, len(rates))) < np.array(rates)
    labels = (truth[:, None] ^ wrong).astype(float)
    labels[rng.random(labels.shape).argsort(axis=1) >= opinions] = np.nan
    return lwcal.Reviewed().fit(scores, labels).reviews_


def test_one_reviewer_differs_on_one_class():
    """The others do not differ because of him."""
    (found,) = class_differences(three())
    assert (found.reviewer, found.true) == (2, 1)
    assert found.wrong == pytest.approx((0.4, 0.38, 0.42))
    assert found.others == pytest.approx((0.11, 0.09, 0.13))
    assert [not_told_apart(three(), number) for number in range(3)] == [[1], [0], []]


def test_nobody_is_accused_if_reviewers_may_be_alike():
    """Ranks and intervals hold if they differ, and that must be as good as sure."""
    doubtful = three(differ=0.89)
    assert not doubtful.they_differ
    assert class_differences(doubtful) == []
    assert [len(not_told_apart(doubtful, number)) for number in range(3)] == [2, 2, 2]
    assert three(differ=0.9).they_differ


def test_one_reviewer_differs_from_nobody():
    """There is nobody to compare with."""
    alone = summary(reviewer(*ANN, (1, 1)))
    assert not alone.they_differ
    assert class_differences(alone) == []
    assert not_told_apart(alone, 0) == []


def test_shares_of_a_class_have_their_ends_in_order():
    """The least right labels are the most wrong ones."""
    assert wrong_on(reviewer(*CID, (1, 1)), 1) == pytest.approx((0.4, 0.38, 0.42))


@given(st.lists(RATES, min_size=2, max_size=7), st.data())
def test_ties_are_mutual_and_those_who_differ_lie_apart_from_most(rates, data):
    """Whatever the rates and ranks are."""
    places = st.integers(1, len(rates))
    ranks = [tuple(sorted(data.draw(st.tuples(places, places)))) for _ in rates]
    pairs = enumerate(zip(rates, ranks, strict=True))
    found = summary(*(reviewer(f"r{k}", rate, rank) for k, (rate, rank) in pairs))
    tied = [set(not_told_apart(found, number)) for number in range(len(rates))]
    for one in range(len(rates)):
        assert all(one in tied[other] for other in tied[one])
    for one in class_differences(found):
        own = rates[one.reviewer][one.true]
        others = [rate[one.true] for k, rate in enumerate(rates) if k != one.reviewer]
        assert 2 * sum(abs(own - other) > 0.02 for other in others) > len(others)


@pytest.mark.parametrize("seed", range(4))
def test_reviewers_who_are_alike_are_not_told_apart(seed):
    """Four people with the same rate."""
    found = simulated(seed, [0.15] * 4)
    assert class_differences(found) == []
    assert all(len(not_told_apart(found, number)) == 3 for number in range(4))


@pytest.mark.parametrize("seed", range(4))
def test_a_reviewer_who_is_often_wrong_is_found(seed):
    """Alone: the three others, who are alike, are not named."""
    found = simulated(seed, [0.1, 0.4, 0.1, 0.1], n=1000)
    assert {one.reviewer for one in class_differences(found)} == {1}
    assert not_told_apart(found, 1) == []
