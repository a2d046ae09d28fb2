"""Rows for a second opinion: a fair sample, and never to somebody who labelled them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.errors import InputError, ParameterError


def reviewed(seed=0, n=400, k=2):
    """Labels of three reviewers: of most rows one, of some two or none."""
    rng = np.random.default_rng(seed)
    scores = rng.random(n) if k == 2 else rng.dirichlet(np.ones(k), n)
    labels = rng.integers(0, k, (n, 3)).astype(object)
    given = np.eye(3, dtype=bool)[rng.integers(0, 3, n)]
    given[rng.random(n) < 0.1, 0] = True
    given[rng.random(n) < 0.05] = False
    labels[~given] = None
    return scores, labels, given


@settings(max_examples=25)
@given(st.integers(0, 1000), st.sampled_from([2, 3, 5]), st.sampled_from([None, "b"]))
def test_rows_with_one_opinion_of_somebody_else(seed, k, reviewer):
    """Whatever the classes are; those asked are those who labelled the row."""
    scores, labels, given = reviewed(seed, 120, k)
    names = ["a", "b", "c"]
    plan = lwcal.plan_opinions(
        scores,
        labels,
        20,
        reviewers=names,
        for_reviewer=reviewer,
        random_state=seed,
        classes=None if k == 2 else range(k),
    )
    assert len(set(plan.rows.tolist())) == 20
    assert (given[plan.rows].sum(axis=1) == 1).all()
    for row, asked, may in zip(plan.rows, plan.asked, plan.may_ask, strict=True):
        assert asked == tuple(np.array(names)[given[row]])
        assert set(asked) | set(may) == set(names)
        assert not set(asked) & set(may)
        assert reviewer not in asked
    eligible = given.sum(axis=1) == 1
    if reviewer:
        eligible &= ~given[:, 1]
    assert plan.eligible == eligible.sum()
    np.testing.assert_allclose(plan.probabilities, 20 / eligible.sum())


def test_a_row_is_chosen_as_often_as_the_plan_says():
    """The probability is that over seeds."""
    scores, labels, _ = reviewed(n=60)
    times, chance = np.zeros(60), 0.0
    for seed in range(1500):
        plan = lwcal.plan_opinions(scores, labels, 12, random_state=seed)
        times[plan.rows] += 1
        chance = plan.probabilities[0]
    assert set(np.flatnonzero(times)) == set(np.flatnonzero((labels != None).sum(1) == 1))  # noqa: E711
    np.testing.assert_allclose(times[times > 0] / 1500, chance, atol=0.05)


def test_the_sample_is_spread_over_labels_and_scores():
    """Closer to the shares of all rows than chance would be."""
    rng = np.random.default_rng(0)
    scores = rng.random(1000)
    labels = rng.random(1000) < scores
    for seed in range(20):
        rows = lwcal.plan_opinions(scores, labels, 50, random_state=seed).rows
        assert abs(labels[rows].mean() - labels.mean()) <= 0.02
        assert abs(scores[rows].mean() - scores.mean()) < 0.03


def test_third_opinions_if_they_are_asked_for():
    """Rows with two opinions are left out by default, and rows without any always."""
    scores, labels, given = reviewed()
    counts = given.sum(axis=1)
    n = int(((counts == 1) | (counts == 2)).sum())
    plan = lwcal.plan_opinions(scores, labels, n, most_opinions=2)
    assert set(counts[plan.rows]) == {1, 2}
    assert n == plan.eligible


def test_nobody_is_asked_if_nobody_knows_who_labelled():
    """One column of labels, and no names."""
    plan = lwcal.plan_opinions([0.1, 0.8, 0.4, 0.6], [0, 1, 0, 1], 2)
    assert plan.asked == ((), ())
    assert plan.reviewers == ()
    with pytest.raises(ParameterError, match="reviewers with for_reviewer, got labels without"):
        lwcal.plan_opinions([0.1, 0.8], [0, 1], 1, for_reviewer="Ann")


def test_the_long_form_and_the_same_seed():
    """Opinions in any form give the same plan, and another seed another one."""
    scores, labels, _ = reviewed()
    rows, who = np.nonzero(labels != None)  # noqa: E711
    long = lwcal.opinions(rows, who, labels[rows, who], items=np.arange(len(scores)))
    one, other = (lwcal.plan_opinions(scores, y, 30).rows for y in (labels, long))
    np.testing.assert_array_equal(one, other)
    again = lwcal.plan_opinions(scores, labels, 30, random_state=1).rows
    assert set(again) != set(one)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n": 0}, "n"),
        ({"n": 500}, "n of at most"),
        ({"most_opinions": 0}, "most_opinions"),
        ({"reviewers": ["a", "b"]}, "reviewers of shape"),
    ],
    ids=str,
)
def test_mistakes(changes, said):
    """They are refused with what is expected."""
    scores, labels, _ = reviewed()
    with pytest.raises((ParameterError, InputError), match=said):
        lwcal.plan_opinions(scores, labels, **changes)


def test_no_row_is_left():
    """Every row has two opinions, or was labelled by the reviewer."""
    with pytest.raises(InputError, match="rows with one opinion, got none"):
        lwcal.plan_opinions([0.2, 0.7], [[0, 1], [1, 1]], 1)
    with pytest.raises(InputError, match="rows with one opinion, none of 'Ann', got none"):
        lwcal.plan_opinions([0.2, 0.7], [0, 1], 1, reviewers=["Ann", " Ann "], for_reviewer="Ann")
