"""Flip rates: identities that undo each other, beliefs that add up, errors that explain."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from lwcal.errors import InputError, LwcalError, ParameterError
from lwcal.noise import (
    FlipRates,
    RatePosterior,
    class_contamination,
    clean_base_rate,
    clean_posterior,
    flip_labels,
    noisy_posterior,
)
from lwcal.noise.rates import as_flip_rates, as_rate_posterior

shares = st.floats(0, 1)
pairs = st.tuples(shares, shares).map(lambda pair: (0.95 * pair[0], 0.95 * (1 - pair[0]) * pair[1]))
columns = npst.arrays(np.float64, st.integers(1, 20), elements=shares)


@st.composite
def beliefs(draw):
    """Points anywhere in the triangle, with any probabilities."""
    points = np.array(draw(st.lists(pairs, min_size=1, max_size=12)))
    raw = draw(npst.arrays(np.float64, len(points), elements=st.floats(0.01, 1)))
    return RatePosterior(points, raw / raw.sum())


@given(clean=columns, rates=pairs)
def test_noisy_and_clean_posterior_undo_each_other(clean, rates):
    """In both directions."""
    assert clean_posterior(noisy_posterior(clean, rates), rates) == pytest.approx(clean, abs=1e-12)
    assert noisy_posterior(clean_posterior(clean, rates), rates) == pytest.approx(clean, abs=1e-12)


@given(clean=columns, rates=pairs)
def test_noise_keeps_probabilities_between_the_rates(clean, rates):
    """None below r0 or above 1 - r1, in the same order, and differences shrink to what is kept."""
    noisy = noisy_posterior(clean, rates)
    assert (noisy >= rates[0] - 1e-12).all()
    assert (noisy <= 1 - rates[1] + 1e-12).all()
    kept = FlipRates(*rates).kept
    assert np.diff(noisy) == pytest.approx(kept * np.diff(clean), abs=1e-12)


@given(clean=columns)
def test_without_noise_nothing_changes(clean):
    """Rates of 0 are the identity, bit for bit."""
    np.testing.assert_array_equal(noisy_posterior(clean, (0, 0)), clean)
    np.testing.assert_array_equal(clean_posterior(clean, (0, 0)), clean)


@given(base_rate=st.floats(0.01, 0.99), rates=pairs)
def test_contamination_agrees_with_the_joint_distribution(base_rate, rates):
    """Bayes' rule on the four cells of true and noisy label."""
    both = np.array(
        [
            [(1 - base_rate) * (1 - rates[0]), (1 - base_rate) * rates[0]],
            [base_rate * rates[1], base_rate * (1 - rates[1])],
        ]
    )  # true label by row, noisy label by column
    noisy = both[:, 1].sum()
    alpha, beta = class_contamination(noisy, rates)
    assert clean_base_rate(noisy, rates) == pytest.approx(base_rate, abs=1e-12)
    assert alpha == pytest.approx(both[0, 1] / noisy, abs=1e-12)
    assert beta == pytest.approx(both[1, 0] / (1 - noisy), abs=1e-12)


def test_rates_mean_what_flip_labels_does():
    """r0 is the negative_rate and r1 the positive_rate of the corruption, measured."""
    y = np.repeat([0, 1], [30_000, 20_000])
    noisy = flip_labels(
        y, kind="asymmetric", negative_rate=0.1, positive_rate=0.3, random_state=0
    ).labels
    rates = FlipRates(negative=0.1, positive=0.3)
    alpha, beta = class_contamination(noisy.mean(), rates)
    assert clean_base_rate(noisy.mean(), rates) == pytest.approx(0.4, abs=0.01)
    assert alpha == pytest.approx(np.mean(y[noisy == 1] == 0), abs=0.01)
    assert beta == pytest.approx(np.mean(y[noisy == 0] == 1), abs=0.01)


@pytest.mark.parametrize("noisy_base_rate", [0.05, 0.75])
def test_impossible_base_rates_have_no_contamination(noisy_base_rate):
    """Below r0 or above 1 - r1; the base rate itself is extrapolated."""
    with pytest.raises(ParameterError, match=r"noisy_base_rate to be a number from 0\.1 to 0\.7"):
        class_contamination(noisy_base_rate, (0.1, 0.3))
    assert not 0 <= clean_base_rate(noisy_base_rate, (0.1, 0.3)) <= 1


@pytest.mark.parametrize("noisy_base_rate", [0, 1, np.nan, "half"])
def test_contamination_needs_both_labels(noisy_base_rate):
    """Of no labels there is no share."""
    with pytest.raises(ParameterError, match="noisy_base_rate to be a number between 0 and 1"):
        class_contamination(noisy_base_rate, (0, 0))


@pytest.mark.parametrize("value", [(0.1, 0.2), [0.1, 0.2], np.array([0.1, 0.2])])
def test_rates_may_be_any_pair(value):
    """Whatever holds the two numbers."""
    assert as_flip_rates(value) == FlipRates(0.1, 0.2)
    assert as_flip_rates(FlipRates(0.1, 0.2)).kept == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (0.2, r"flip rates to be a pair \(r0, r1\), got 0\.2"),
        (None, "flip rates to be a pair"),
        ((0.1, 0.2, 0.3), "flip rates to be a pair"),
        ((-0.1, 0.2), "the flip rate of negatives to be a number from 0 to 1, got -0.1"),
        ((0.1, 1.2), "the flip rate of positives to be a number from 0 to 1, got 1.2"),
        ((0.1, np.nan), "the flip rate of positives"),
        (("0.1", 0.2), "the flip rate of negatives"),
        ((0.5, 0.5), r"add up to less than 1, got 0\.5 \+ 0\.5"),
        ((1, 0), r"add up to less than 1, got 1 \+ 0"),
    ],
)
def test_bad_rates_are_refused(value, says):
    """Each with what is wrong, wherever rates are taken."""
    for function in (as_flip_rates, as_rate_posterior, lambda rates: noisy_posterior(0.5, rates)):
        with pytest.raises(ParameterError, match=says):
            function(value)


@given(belief=beliefs(), confidence=st.floats(0.05, 0.95))
def test_the_mean_and_the_intervals_stay_among_the_points(belief, confidence):
    """The mean is a valid pair, and wider intervals hold narrower ones."""
    mean = as_flip_rates(belief.mean())
    narrow, wide = (belief.interval(level) for level in (confidence / 2, confidence))
    for axis in (0, 1):
        low, high = belief.points[:, axis].min(), belief.points[:, axis].max()
        assert low - 1e-12 <= mean[axis] <= high + 1e-12
        assert low <= wide[axis][0] <= narrow[axis][0]
        assert narrow[axis][1] <= wide[axis][1] <= high


def test_an_interval_leaves_out_equal_tails():
    """A hundred equally likely rates, five at each end."""
    points = np.column_stack((np.arange(100) / 200, np.full(100, 0.1)))
    belief = RatePosterior(points, np.full(100, 0.01))
    (low, high), constant = belief.interval(0.9)
    assert low == pytest.approx(0.02, abs=0.0051)
    assert high == pytest.approx(0.475, abs=0.0051)
    assert constant == (0.1, 0.1)


@given(belief=beliefs(), n=st.integers(1, 60), seed=st.integers(0, 99))
def test_points_are_drawn_as_often_as_their_weight_says(belief, n, seed):
    """Systematic resampling: n times the weight, up or down to the next whole number."""
    distinct, inverse = np.unique(belief.points, axis=0, return_inverse=True)
    weights = np.bincount(inverse.ravel(), belief.weights)
    drawn = np.array(belief.draw(n, np.random.default_rng(seed)))
    times = [(drawn == point).all(axis=1).sum() for point in distinct]
    assert sum(times) == n
    repeats = np.bincount(inverse.ravel())  # equal points apart round apart
    assert (np.abs(times - n * weights) < repeats + 1e-9).all()


def test_known_rates_are_certain():
    """One point, drawn every time."""
    belief = RatePosterior.known((0.1, 0.2))
    assert belief.mean() == FlipRates(0.1, 0.2)
    assert belief.interval() == ((0.1, 0.1), (0.2, 0.2))
    assert set(belief.draw(5, np.random.default_rng(0))) == {FlipRates(0.1, 0.2)}


def test_a_belief_is_taken_from_what_holds_it():
    """As it is, from an attribute, or made of a pair; an empty attribute is an error."""
    belief = RatePosterior.known((0.1, 0.2))
    assert as_rate_posterior(belief) is belief
    assert as_rate_posterior(SimpleNamespace(rates_posterior=belief)) is belief
    assert as_rate_posterior([0.1, 0.2]).mean() == belief.mean()
    with pytest.raises(ParameterError, match="got SimpleNamespace with NoneType"):
        as_rate_posterior(SimpleNamespace(rates_posterior=None))


@pytest.mark.parametrize(
    ("points", "weights", "says"),
    [
        ([0.1, 0.2], [1.0], r"points with two columns, r0 and r1, .* shape \(2,\)"),
        (np.zeros((0, 2)), [], "points with two columns"),
        ([[0.1, 0.2, 0.3]], [1.0], "points with two columns"),
        ([[0.1, 0.2], [0.6, 0.5]], [0.5, 0.5], "less than 1, got 1 of 2 values"),
        ([[0.1, -0.2]], [1.0], "rates of at least 0"),
        ([[0.1, np.nan]], [1.0], "rates of at least 0"),
        ([["low", "high"]], [1.0], "points to be real numbers"),
        ([[0.1, 0.2]], [0.5, 0.5], "one weight for each of the 1 points"),
        ([[0.1, 0.2]], [2.0], "add up to 1, got values from 2 to 2, which add up to 2; divide"),
        ([[0.1, 0.2], [0.2, 0.2]], [1.5, -0.5], "weights of at least 0"),
        ([[0.1, 0.2]], [np.nan], "weights of at least 0"),
    ],
)
def test_beliefs_are_checked(points, weights, says):
    """Each wrong array is named."""
    with pytest.raises(InputError, match=says):
        RatePosterior(points, weights)


@pytest.mark.parametrize("confidence", [0, 1, 90])
def test_confidence_is_checked(confidence):
    """A level between 0 and 1."""
    with pytest.raises(LwcalError, match="confidence to be a number between 0 and 1"):
        RatePosterior.known((0, 0)).interval(confidence)


@given(posterior=beliefs(), most=st.integers(2, 30), clean=st.floats(0, 0.9))
def test_thinning_keeps_the_mean_and_the_probability_of_no_noise(posterior, most, clean):
    """For any draws: few of them, the same mean, and rates that are still possible."""
    points = np.concatenate([[[0.0, 0.0]], posterior.points, [[0.0, 0.0]]])
    weights = np.concatenate([[clean / 2], (1 - clean) * posterior.weights, [clean / 2]])
    full = RatePosterior(points, weights)
    thin = full.thinned(most)
    assert len(thin.points) <= max(most, 2)
    assert thin.mean() == pytest.approx(full.mean(), abs=1e-12)
    for one in (full, thin):
        none = ~one.points.any(axis=1)
        assert one.weights[none].sum() == pytest.approx(
            clean + (1 - clean) * posterior.weights[~posterior.points.any(axis=1)].sum()
        )
    np.testing.assert_array_equal(full.thinned(most).points, thin.points)


def test_thinning_hardly_changes_the_spread():
    """Two hundred cells for a thousand draws of two rates."""
    points = np.random.default_rng(0).dirichlet((10, 20, 70), 1000)[:, :2]
    full = RatePosterior(points, np.full(1000, 0.001))
    assert len(full.thinned().points) <= 200
    np.testing.assert_allclose(full.thinned().interval(), full.interval(), atol=0.01)
