"""Plans: every row has the same chance, and no part of the scores is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal import plan_audit
from lwcal.errors import InputError, ParameterError
from tests.strategies import rows


@given(data=rows(both_classes=False), seed=st.integers(0, 9), part=st.floats(0.01, 1))
def test_a_plan_holds_different_rows_with_their_probability(data, seed, part):
    """As many as the budget says, each once; the probabilities add up to it over all rows."""
    n = len(data[0])
    budget = max(1, int(part * n))
    plan = plan_audit(*data, budget, random_state=seed)
    assert len(set(plan.rows.tolist())) == len(plan.rows) == plan.budget == budget
    assert ((plan.rows >= 0) & (plan.rows < n)).all()
    np.testing.assert_allclose(plan.probabilities * plan.n, budget)


def test_every_row_has_the_chance_that_is_stated():
    """Over 4,000 plans each of 37 rows is picked as often as its probability says.

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
    """Of 10% positives a tenth of the plan, give or take one; of the scores every tenth too."""
    rng = np.random.default_rng(0)
    scores = rng.random(3000)
    labels = (rng.random(3000) < 0.1).astype(int)
    for seed in range(50):
        rows = plan_audit(scores, labels, 50, random_state=seed).rows
        assert abs(labels[rows].sum() - 50 * labels.mean()) < 1.5
        assert np.histogram(scores[rows], bins=5, range=(0, 1))[0].min() >= 6


def test_any_first_part_is_a_sample_of_the_same_kind():
    """The order is random: the first ten of fifty hold low and high scores alike."""
    scores = np.linspace(0, 1, 1000)
    labels = (scores > 0.5).astype(int)
    firsts = [scores[plan_audit(scores, labels, random_state=s).rows[:10]] for s in range(300)]
    assert np.mean(firsts) == pytest.approx(0.5, abs=0.02)


def test_the_same_state_gives_the_same_plan():
    """And another state another one."""
    rng = np.random.default_rng(0)
    data = rng.random(500), rng.integers(0, 2, 500)
    a, b, c = (plan_audit(*data, random_state=seed).rows for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert set(a) != set(c)


@pytest.mark.parametrize(
    ("budget", "error"), [(0, ParameterError), (2.5, ParameterError), (11, ParameterError)]
)
def test_budgets_that_cannot_be_are_refused(budget, error):
    """None, half a row, or more than there are."""
    with pytest.raises(error, match="budget"):
        plan_audit(np.linspace(0, 1, 10), [0, 1] * 5, budget)


def test_columns_of_different_length_are_refused():
    """As everywhere."""
    with pytest.raises(InputError, match="scores but"):
        plan_audit([0.1, 0.2, 0.3], [0, 1])
