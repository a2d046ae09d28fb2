"""Flipped labels that follow the sigmoid of a line, in numpy.

The compiled twin is part of the noise model; ``test_noise_model`` compares both.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from lwcal.kernels.lines import flipped_derivatives, flipped_log_likelihood

SHARED = settings(max_examples=60)
CLIP = 1e-12
STEP = 1e-6
SIZES = [0, 1, 7, 50, 1300]
pairs_of_rates = st.one_of(
    st.sampled_from([(0.0, 0.0), (0.0, 0.3), (0.5, 0.5), (1 - 1e-13, 0.0), (1e-14, 1e-14)]),
    st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)),
)
lines = st.tuples(st.floats(-30, 30), st.floats(-30, 30))


def labels_at(seed, size, width=6.0):
    """Return points with labels of both classes; some points have none."""
    rng = np.random.default_rng(seed)
    z = np.sort(width * rng.normal(size=size))
    negatives, positives = rng.poisson(1.5, (2, size)) * rng.uniform(0.5, 2.0, (2, size))
    return z, negatives, positives


def likelihood(line, rates, labels, clip=CLIP):
    """Return the log likelihood of one line."""
    slope, intercept = np.array([line], dtype=float).T
    return flipped_log_likelihood(slope, intercept, np.array([rates]), clip, *labels)[0]


def chances(line, rates, z):
    """Return accurate probabilities of a positive and of a negative label."""
    linear, kept = line[0] * z + line[1], 1 - (rates[0] + rates[1])
    chances = (rates[0] + kept * expit(linear), rates[1] + kept * expit(-linear))
    return np.clip(chances, CLIP, 1 - CLIP)


@SHARED
@given(line=lines, rates=pairs_of_rates, seed=st.integers(0, 99), size=st.sampled_from(SIZES))
def test_the_likelihood_is_the_sum_over_labels(line, rates, seed, size):
    """Compared with scipy, to the last digits of the largest terms."""
    z, negatives, positives = labels_at(seed, size)
    positive, negative = np.log(chances(line, rates, z))
    scale = 1 - positive @ positives - negative @ negatives
    found = likelihood(line, rates, (z, negatives, positives))
    assert found == pytest.approx(positive @ positives + negative @ negatives, abs=1e-13 * scale)


@SHARED
@given(line=lines, rates=pairs_of_rates, seed=st.integers(0, 99))
def test_exchanging_the_classes_changes_nothing(line, rates, seed):
    """A probability near 1 is as accurate as one near 0."""
    z, negatives, positives = labels_at(seed, 50)
    found = likelihood(line, rates, (z, negatives, positives))
    mirrored = (-line[0], -line[1]), rates[::-1], (z, positives, negatives)
    assert likelihood(*mirrored) == pytest.approx(found, rel=1e-13)


@pytest.mark.parametrize("size", SIZES)
def test_lines_do_not_affect_each_other(size):
    """Each has its own rates, and may be a view of a larger array."""
    rng = np.random.default_rng(size)
    labels = labels_at(size, size)
    points, rates = rng.normal(size=(20, 3)), rng.dirichlet((1, 1, 3), 20)[:, :2]
    found = flipped_log_likelihood(points[:, 0], points[:, 1], rates, CLIP, *labels)
    alone = [likelihood(point[:2], pair, labels) for point, pair in zip(points, rates, strict=True)]
    np.testing.assert_allclose(found, alone, rtol=1e-13)


def test_no_line_and_no_label():
    """Empty input gives empty or zero results."""
    none, labels = np.empty(0), labels_at(0, 5)
    found = flipped_log_likelihood(none, none, np.empty((0, 2)), CLIP, *labels)
    assert found.shape == (0,)
    assert likelihood((1.0, 0.0), (0.1, 0.1), (labels[0], np.zeros(5), np.zeros(5))) == 0
    _, gradient, information = flipped_derivatives(1.0, 0.0, 0.1, 0.1, CLIP, none, none, none)
    np.testing.assert_array_equal(gradient, np.zeros(4))
    np.testing.assert_array_equal(information, np.zeros((4, 4)))


@pytest.mark.parametrize("slope", [1e-300, 1e300, -1e300])
@pytest.mark.parametrize("intercept", [0.0, 1e300, -1e300])
def test_lines_of_any_size_give_finite_numbers(slope, intercept):
    """An impossible label costs the log of the clip, not infinity."""
    z, one = np.array([-2.0, 0.0, 3.0]), np.ones(3)
    found = likelihood((slope, intercept), (0.0, 0.0), (z, one, one))
    expected = np.log(chances((slope, intercept), (0.0, 0.0), z)).sum()
    assert found == pytest.approx(expected, rel=1e-13)
    numbers = flipped_derivatives(slope, intercept, 0.0, 0.0, CLIP, z, one, one)
    assert all(np.isfinite(number).all() for number in numbers)


def test_the_clip_is_the_given_one():
    """One contradicted and one confirmed label."""
    z, one = np.array([100.0]), np.ones(1)
    found = likelihood((1.0, 0.0), (0.0, 0.0), (z, one, one), clip=0.01)
    assert found == pytest.approx(np.log(0.01) + np.log(0.99), rel=1e-14)


@SHARED
@given(
    log_slope=st.floats(-2, 1),
    intercept=st.floats(-2, 2),
    rates=st.tuples(st.floats(0.01, 0.45), st.floats(0.01, 0.45)),
    size=st.sampled_from(SIZES),
)
def test_the_gradient_is_the_slope_of_the_likelihood(log_slope, intercept, rates, size):
    """Central differences by log slope, intercept and both rates."""
    labels, at = labels_at(size, size, 2.0), np.array([log_slope, intercept, *rates])

    def height(point):
        return likelihood((np.exp(point[0]), point[1]), tuple(point[2:]), labels)

    steps = STEP * np.eye(4)
    expected = [(height(at + step) - height(at - step)) / (2 * STEP) for step in steps]
    found, gradient, _ = flipped_derivatives(np.exp(log_slope), intercept, *rates, CLIP, *labels)
    assert found == pytest.approx(height(at), rel=1e-12)
    scale = 1 + labels[1].sum() + labels[2].sum()
    np.testing.assert_allclose(gradient / scale, np.array(expected) / scale, atol=1e-6)


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.1, 0.3), (0.6, 0.399)])
@pytest.mark.parametrize("size", [1, 9, 600])
def test_the_information_is_the_expected_square_of_the_gradient(rates, size):
    """Over both possible labels, at every point."""
    z, negatives, positives = labels_at(size, size, 2.0)
    line, one, none = (1.3, -0.2), np.ones(1), np.zeros(1)
    expected = np.zeros((4, 4))
    for at, total, *odds in zip(z, negatives + positives, *chances(line, rates, z), strict=True):
        for chance, label in zip(odds, ((none, one), (one, none)), strict=True):
            by_one = flipped_derivatives(*line, *rates, CLIP, np.array([at]), *label)[1]
            expected += total * chance * np.outer(by_one, by_one)
    found = flipped_derivatives(*line, *rates, CLIP, z, negatives, positives)[2]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(found, found.T, rtol=1e-12)
