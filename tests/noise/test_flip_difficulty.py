"""Instance-dependent flip probabilities: proportional, capped, with the asked-for mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from lwcal.errors import InputError
from lwcal.noise import flip_labels
from lwcal.noise.difficulty import flip_probabilities

difficulties = npst.arrays(
    np.float64,
    st.integers(1, 40),
    elements=st.one_of(st.just(0.0), st.floats(1e-6, 1e6), st.integers(1, 3).map(float)),
).filter(lambda values: values.any())


@given(difficulty=difficulties, share=st.floats(0, 1))
def test_probabilities_have_the_mean_the_cap_and_the_proportions(difficulty, share):
    """The three promises, for every rate that is possible."""
    rate = share * 0.95 * np.mean(difficulty > 0)
    probabilities = flip_probabilities(difficulty, rate)
    assert probabilities.mean() == pytest.approx(rate, rel=1e-9, abs=1e-15)
    assert ((probabilities >= 0) & (probabilities <= 0.95)).all()
    assert (probabilities[difficulty == 0] == 0).all()
    below_cap = (difficulty > 0) & (probabilities < 0.95)
    ratios = probabilities[below_cap] / difficulty[below_cap]
    assert ratios == pytest.approx(ratios[:1].repeat(len(ratios)), rel=1e-9)
    order = np.argsort(difficulty, kind="stable")
    assert (np.diff(probabilities[order]) >= 0).all()


@given(difficulty=difficulties, factor=st.sampled_from([1e-200, 0.5, 1e302]))
def test_the_unit_of_difficulty_does_not_matter(difficulty, factor):
    """Only proportions count, however large or small the numbers."""
    rate = 0.6 * np.mean(difficulty > 0)
    expected = flip_probabilities(difficulty, rate)
    assert flip_probabilities(difficulty * factor, rate) == pytest.approx(expected, rel=1e-9)


def test_the_highest_possible_rate_puts_every_row_at_the_cap():
    """Rounding of the rate must not refuse what is just possible."""
    difficulty = np.array([0.0, 0.1, 7.0, 0.3, 0.0, 2.0, 0.0, 0.0, 0.0])
    rate = 0.95 * 4 / 9
    assert rate > 0.95 * (4 / 9)
    probabilities = flip_probabilities(difficulty, rate)
    assert probabilities == pytest.approx(np.where(difficulty > 0, 0.95, 0))


@pytest.mark.parametrize(
    ("difficulty", "says"),
    [
        ([0, 0, 0, 0], "0 of 4 rows above 0"),
        ([0, 0, 1, 1], "2 of 4 rows above 0; .* at most 0.475 here"),
        ([1, 1, 1], "each of the 4 labels"),
        ([[1, 1, 1, 1]], "each of the 4 labels"),
        ([1, 1, -1, 1], "difficulty to be finite and at least 0, got 1 of 4"),
        ([1, np.nan, 1, np.inf], "got 2 of 4"),
        (["hard"] * 4, "difficulty to be real numbers"),
    ],
)
def test_difficulty_that_cannot_give_the_rate_is_refused(difficulty, says):
    """Each with what would be possible."""
    with pytest.raises(InputError, match=says):
        flip_labels([0, 1, 0, 1], kind="instance", rate=0.5, difficulty=difficulty)


def test_a_rate_of_zero_is_always_possible():
    """Even when no row is difficult."""
    noisy = flip_labels([0, 1], kind="instance", rate=0, difficulty=[0, 0])
    assert noisy.labels.tolist() == [0, 1]
