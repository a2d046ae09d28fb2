"""Log-odds that stay finite, and pooling that a smooth model cannot see."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.special import logit

from lwcal import ScoreTable
from lwcal.noise.logit_counts import (
    BINS_PER_LOGIT,
    EXACT_SCORES,
    LogitCounts,
    pool_by_logit,
    score_at,
    soft_logit,
    softness,
)
from tests.strategies import rows, scores_of_any_kind

softs = st.sampled_from([softness(n) for n in (1, 10, 1000, 10**6, 10**9)])
ladder = st.sets(st.integers(0, 10**6), min_size=2, max_size=40)


def many_rows(seed, n=20_000, distinct=None):
    """A table of far more distinct scores than are kept apart."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.3, 0.3, n)
    if distinct:
        scores = np.round(scores * distinct) / distinct
    return ScoreTable.from_arrays(scores, (rng.random(n) < scores).astype(int))


@given(steps=ladder, soft=softs)
def test_soft_log_odds_strictly_increase(steps, soft):
    """From 0 to 1, both included, for scores a millionth apart."""
    z = soft_logit(np.array(sorted(steps | {0, 10**6})) / 1e6, soft)
    assert np.isfinite(z).all()
    assert (np.diff(z) > 0).all()


@given(scores=npst.arrays(np.float64, 20, elements=scores_of_any_kind), soft=softs)
def test_soft_log_odds_never_decrease(scores, soft):
    """Denormals and other scores closer than a double can tell after softening may be equal."""
    z = soft_logit(np.sort(scores + 0.0), soft)
    assert np.isfinite(z).all()
    assert (np.diff(z) >= 0).all()


@given(scores=npst.arrays(np.float64, 20, elements=scores_of_any_kind), soft=softs)
def test_exchanging_the_classes_changes_the_sign(scores, soft):
    """Odds against are one over odds for; within what rounding 1 - s loses."""
    forward, backward = soft_logit(scores, soft), soft_logit(1.0 - scores, soft)
    np.testing.assert_allclose(forward, -backward, atol=1e-15 / soft)


@given(scores=npst.arrays(np.float64, 20, elements=scores_of_any_kind), soft=softs)
def test_score_at_is_the_inverse(scores, soft):
    """And stays in [0, 1] for log-odds that no score has."""
    assert score_at(soft_logit(scores, soft), soft) == pytest.approx(scores, abs=1e-14)
    np.testing.assert_array_equal(score_at(np.array([-50.0, 50.0]), soft), [0.0, 1.0])


def test_many_rows_need_little_softening():
    """In the limit, log-odds are log-odds."""
    scores = np.linspace(0.01, 0.99, 99)
    assert soft_logit(scores, softness(10**9)) == pytest.approx(logit(scores), abs=1e-6)


def test_counts_are_softened_for_their_rows_or_more():
    """Half a row in n, unless a hypothesis asks for more."""
    table = ScoreTable.from_arrays([0.0, 0.5, 1.0, 1.0], [0, 0, 1, 0])
    own, more = LogitCounts.from_table(table), LogitCounts.from_table(table, least_softness=0.3)
    assert (own.soft, more.soft) == (1 / 8, 0.3)
    assert LogitCounts.from_table(table, least_softness=0.01).soft == 1 / 8
    np.testing.assert_array_equal(own.z, soft_logit(table.scores, 1 / 8))
    np.testing.assert_array_equal(own.negatives, [1, 1, 1])
    np.testing.assert_array_equal(own.positives, [0, 0, 1])


@given(data=rows())
def test_small_tables_are_left_alone(data):
    """The same object: nothing is lost where nothing is gained."""
    table = ScoreTable.from_arrays(*data)
    assert pool_by_logit(table) is table


@pytest.mark.parametrize("distinct", [EXACT_SCORES - 1, EXACT_SCORES])
def test_the_border_between_small_and_large(distinct):
    """EXACT_SCORES distinct scores are kept; one more is pooled."""
    scores = np.linspace(0.4, 0.6, distinct)
    table = ScoreTable.from_counts(scores, np.ones(distinct), np.ones(distinct))
    assert len(pool_by_logit(table)) == distinct
    extended = table + ScoreTable.from_counts([0.4001, 0.4002], [1, 1], [0, 0])
    assert len(pool_by_logit(extended)) < EXACT_SCORES


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("distinct", [None, 1000])
def test_pooling_keeps_rows_classes_and_order(seed, distinct):
    """Totals exactly, the mean score, increasing scores, and few of them."""
    table = many_rows(seed, distinct=distinct)
    small = pool_by_logit(table)
    assert len(small) < len(table)
    assert (small.n, small.n_negative, small.n_positive) == (
        table.n,
        table.n_negative,
        table.n_positive,
    )
    assert (np.diff(small.scores) > 0).all()
    sums = [t.scores @ (t.negatives + t.positives) for t in (table, small)]
    assert sums[0] == pytest.approx(sums[1], rel=1e-12)


@given(seed=st.integers(0, 10**6))
def test_every_bin_is_narrow_and_its_mean_is_inside(seed):
    """No row moves by more than one bin of log-odds, and no bin holds another's rows."""
    table = many_rows(seed, n=1000)
    small = pool_by_logit(table)
    soft = softness(table.n)
    counts = (small.negatives + small.positives).astype(int)
    owner = np.repeat(np.arange(len(small)), counts)  # rows are in order, and so are the bins
    scores = np.repeat(table.scores, (table.negatives + table.positives).astype(int))
    moved = soft_logit(scores, soft) - soft_logit(small.scores[owner], soft)
    assert np.abs(moved).max() <= 1 / BINS_PER_LOGIT + 1e-9
    for index in range(0, len(small), 7):
        inside = scores[owner == index]
        assert inside.min() - 1e-15 <= small.scores[index] <= inside.max() + 1e-15


@given(seed=st.integers(0, 10**6), cut=st.integers(1, 999))
def test_parts_in_any_order_pool_alike(seed, cut):
    """Merging is addition, so the pooled table cannot depend on it."""
    rng = np.random.default_rng(seed)
    scores, labels = rng.random(1000), rng.integers(0, 2, 1000)
    order = rng.permutation(1000)
    whole = pool_by_logit(ScoreTable.from_arrays(scores, labels))
    shuffled = scores[order], labels[order]
    first, second = (
        ScoreTable.from_arrays(*(column[part] for column in shuffled))
        for part in (slice(cut), slice(cut, None))
    )
    merged = pool_by_logit(second + first)
    np.testing.assert_array_equal(merged.scores, whole.scores)
    np.testing.assert_array_equal(merged.negatives, whole.negatives)
    np.testing.assert_array_equal(merged.positives, whole.positives)


def test_pooling_again_changes_next_to_nothing():
    """Means stay in their bins."""
    small = pool_by_logit(many_rows(5))
    assert len(small) > EXACT_SCORES
    again = pool_by_logit(small)
    np.testing.assert_array_equal(again.positives, small.positives)
    np.testing.assert_allclose(again.scores, small.scores, rtol=1e-14)
