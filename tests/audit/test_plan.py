"""Plans: every row has the same probability, and no range of scores is missed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal import plan_audit
from lwcal.errors import InputError, ParameterError
from tests.strategies import rows


@given(data=rows(both_classes=False), seed=st.integers(0, 9), part=st.floats(0.01, 1))
def test_a_plan_has_distinct_rows_with_their_probability(data, seed, part):
    """As many as the budget; the probabilities of all rows sum to it."""
    n = len(data[0])
    budget = max(1, int(part * n))
    plan = plan_audit(*data, budget, random_state=seed)
    assert len(set(plan.rows.tolist())) == len(plan.rows) == plan.budget == budget
    assert ((plan.rows >= 0) & (plan.rows < n)).all()
    np.testing.assert_allclose(plan.probabilities * plan.n, budget)


def test_every_row_is_picked_with_the_stated_probability():
    """Each of 37 rows is picked as often as stated, over 4,000 plans.

    The largest of 37 deviations stays below 4.5 standard errors.
    """
    rng = np.random.default_rng(0)
    scores, labels = rng.random(37), rng.integers(0, 2, 37)
    times = np.zeros(37)
    for seed in range(4000):
        times[plan_audit(scores, labels, 5, random_state=seed).rows] += 1
    error = np.sqrt(4000 * 5 / 37 * (1 - 5 / 37))
    assert np.abs(times - 4000 * 5 / 37).max() < 4.5 * error


def test_labels_and_scores_are_represented_in_every_plan():
    """With 10% positives, a tenth of the plan is positive, and each fifth of the scores occurs."""
    rng = np.random.default_rng(0)
    scores = rng.random(3000)
    labels = (rng.random(3000) < 0.1).astype(int)
    for seed in range(50):
        rows = plan_audit(scores, labels, 50, random_state=seed).rows
        assert abs(labels[rows].sum() - 50 * labels.mean()) < 1.5
        assert np.histogram(scores[rows], bins=5, range=(0, 1))[0].min() >= 6


def test_any_first_part_is_a_sample_of_the_same_kind():
    """The order is random: the first ten of fifty rows have low and high scores alike."""
    scores = np.linspace(0, 1, 1000)
    labels = (scores > 0.5).astype(int)
    firsts = [scores[plan_audit(scores, labels, random_state=s).rows[:10]] for s in range(300)]
    assert np.mean(firsts) == pytest.approx(0.5, abs=0.02)


def test_the_same_seed_gives_the_same_plan():
    """Another seed gives another plan."""
    rng = np.random.default_rng(0)
    data = rng.random(500), rng.integers(0, 2, 500)
    a, b, c = (plan_audit(*data, random_state=seed).rows for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert set(a) != set(c)


@pytest.mark.parametrize(
    ("budget", "error"), [(0, ParameterError), (2.5, ParameterError), (11, ParameterError)]
)
def test_impossible_budgets_are_refused(budget, error):
    """No rows, half a row, or more rows than there are."""
    with pytest.raises(error, match="budget"):
        plan_audit(np.linspace(0, 1, 10), [0, 1] * 5, budget)


def test_columns_of_different_length_are_refused():
    """As everywhere."""
    with pytest.raises(InputError, match="2"):
        plan_audit([0.1, 0.2, 0.3], [0, 1])


def class_rows(n, k, seed=0):
    """Scores of several classes, and labels that mostly follow them."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet([0.4] * k, n)
    labels = np.where(rng.random(n) < 0.8, scores.argmax(axis=1), rng.integers(0, k, n))
    return scores, labels


@given(n=st.integers(2, 60), k=st.integers(2, 7), seed=st.integers(0, 99), part=st.floats(0.01, 1))
def test_a_plan_of_several_classes_has_distinct_rows(n, k, seed, part):
    """As many as the budget, whatever classes occur."""
    budget = max(1, int(part * n))
    plan = plan_audit(*class_rows(n, k, seed), budget, random_state=seed, classes=range(k))
    assert len(set(plan.rows.tolist())) == len(plan.rows) == budget
    assert ((plan.rows >= 0) & (plan.rows < n)).all()
    np.testing.assert_allclose(plan.probabilities * plan.n, budget)


def test_every_row_of_several_classes_is_picked_with_the_stated_probability():
    """Each of 37 rows is picked as often as stated, over 4,000 plans."""
    scores, labels = class_rows(37, 4)
    times = np.zeros(37)
    for seed in range(4000):
        times[plan_audit(scores, labels, 5, random_state=seed, classes=range(4)).rows] += 1
    error = np.sqrt(4000 * 5 / 37 * (1 - 5 / 37))
    assert np.abs(times - 4000 * 5 / 37).max() < 4.5 * error


def test_labels_and_contradictions_are_represented_in_every_plan():
    """Each label, and the rows whose label has not the highest score, by their share."""
    scores, labels = class_rows(3000, 5)
    contradicts = scores.argmax(axis=1) != labels
    for seed in range(30):
        rows = plan_audit(scores, labels, 60, random_state=seed).rows
        assert abs(contradicts[rows].sum() - 60 * contradicts.mean()) < 1.5
        shares = np.bincount(labels) / 3000
        assert np.abs(np.bincount(labels[rows], minlength=5) - 60 * shares).max() < 2.5


def test_classes_of_equal_size_are_not_all_checked_at_the_same_rank():
    """One row of each of 20 classes: their ranks within the class differ as in a random sample."""
    labels = np.repeat(np.arange(20), 50)
    rank = np.tile(np.linspace(0.6, 0.99, 50), 20)
    scores = np.repeat((1 - rank[:, None]) / 19, 20, axis=1)
    scores[np.arange(1000), labels] = rank
    means = [rank[plan_audit(scores, labels, 20, random_state=s).rows].mean() for s in range(200)]
    assert np.std(means) < 1.3 * rank.std() / np.sqrt(20)


def test_rows_of_several_classes_in_another_order_give_the_same_plan():
    """Even if the scores of their labels are equal."""
    scores, labels = class_rows(400, 4)
    scores = np.unique(scores.round(2), axis=0)
    scores /= scores.sum(axis=1, keepdims=True)
    labels = labels[: len(scores)]
    order = np.random.default_rng(1).permutation(len(labels))
    first = plan_audit(scores, labels, 30, classes=range(4)).rows
    second = plan_audit(scores[order], labels[order], 30, classes=range(4)).rows
    np.testing.assert_array_equal(first, order[second])


def test_two_columns_are_planned_as_the_second():
    """The same rows in the same order."""
    scores, labels = class_rows(300, 2)
    one = plan_audit(scores[:, 1] / scores.sum(axis=1), labels)
    np.testing.assert_array_equal(plan_audit(scores, labels).rows, one.rows)


@pytest.mark.parametrize(
    ("options", "said"), [({"pos_label": 1}, "pos_label"), ({"classes": ["a"]}, "3 columns")]
)
def test_options_that_do_not_fit_several_columns_are_refused(options, said):
    """And classes beside one column."""
    with pytest.raises(ParameterError, match=said):
        plan_audit(*class_rows(30, 3), 5, **options)
    with pytest.raises(ParameterError, match="column of scores for each class"):
        plan_audit([0.1, 0.9], [0, 1], 1, classes=["a", "b"])
