"""Sigmoids of lines, and flipped labels that follow them, in both backends."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from lwcal import kernels

SHARED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
CLIP = 1e-12
STEP = 1e-6
SIZES = [0, 1, 7, 8, 9, 511, 512, 513, 1300]
"""Numbers of points, around whole registers and blocks of the compiled kernels."""
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


def likelihood(backend, line, rates, labels, clip=CLIP):
    """Return the log likelihood of one line."""
    slope, intercept = np.array([line], dtype=float).T
    return backend.flipped_log_likelihood(slope, intercept, np.array([rates]), clip, *labels)[0]


def chances(line, rates, z):
    """Return accurate probabilities of a positive and of a negative label."""
    linear, kept = line[0] * z + line[1], 1 - (rates[0] + rates[1])
    chances = (rates[0] + kept * expit(linear), rates[1] + kept * expit(-linear))
    return np.clip(chances, CLIP, 1 - CLIP)


@SHARED
@given(line=lines, rates=pairs_of_rates, seed=st.integers(0, 99), size=st.sampled_from(SIZES))
def test_the_likelihood_is_the_sum_over_labels(backend, line, rates, seed, size):
    """Compared with scipy, to the last digits of the largest terms."""
    z, negatives, positives = labels_at(seed, size)
    positive, negative = np.log(chances(line, rates, z))
    scale = 1 - positive @ positives - negative @ negatives
    found = likelihood(backend, line, rates, (z, negatives, positives))
    assert found == pytest.approx(positive @ positives + negative @ negatives, abs=1e-13 * scale)


@SHARED
@given(line=lines, rates=pairs_of_rates, seed=st.integers(0, 99))
def test_exchanging_the_classes_changes_nothing(backend, line, rates, seed):
    """A probability near 1 is as accurate as one near 0."""
    z, negatives, positives = labels_at(seed, 50)
    found = likelihood(backend, line, rates, (z, negatives, positives))
    mirrored = (-line[0], -line[1]), rates[::-1], (z, positives, negatives)
    assert likelihood(backend, *mirrored) == pytest.approx(found, rel=1e-13)


@pytest.mark.parametrize("size", SIZES)
def test_lines_do_not_affect_each_other(backend, size):
    """Each has its own rates, and may be a view of a larger array."""
    rng = np.random.default_rng(size)
    labels = labels_at(size, size)
    points, rates = rng.normal(size=(20, 3)), rng.dirichlet((1, 1, 3), 20)[:, :2]
    found = backend.flipped_log_likelihood(points[:, 0], points[:, 1], rates, CLIP, *labels)
    alone = [
        likelihood(backend, point[:2], pair, labels)
        for point, pair in zip(points, rates, strict=True)
    ]
    np.testing.assert_allclose(found, alone, rtol=1e-13)


def test_no_line_and_no_label(backend):
    """Empty input gives empty or zero results."""
    none, labels = np.empty(0), labels_at(0, 5)
    found = backend.flipped_log_likelihood(none, none, np.empty((0, 2)), CLIP, *labels)
    assert found.shape == (0,)
    assert likelihood(backend, (1.0, 0.0), (0.1, 0.1), (labels[0], np.zeros(5), np.zeros(5))) == 0
    _, gradient, information = backend.flipped_derivatives(
        1.0, 0.0, 0.1, 0.1, CLIP, none, none, none
    )
    np.testing.assert_array_equal(gradient, np.zeros(4))
    np.testing.assert_array_equal(information, np.zeros((4, 4)))
    np.testing.assert_array_equal(backend.average_sigmoid(none, none, none, labels[0]), np.zeros(5))
    assert backend.average_sigmoid(np.ones(2), np.ones(2), np.ones(2), none).shape == (0,)


@pytest.mark.parametrize("slope", [1e-300, 1e300, -1e300])
@pytest.mark.parametrize("intercept", [0.0, 1e300, -1e300])
def test_lines_of_any_size_give_finite_numbers(backend, slope, intercept):
    """An impossible label costs the log of the clip, not infinity."""
    z, one = np.array([-2.0, 0.0, 3.0]), np.ones(3)
    found = likelihood(backend, (slope, intercept), (0.0, 0.0), (z, one, one))
    expected = np.log(chances((slope, intercept), (0.0, 0.0), z)).sum()
    assert found == pytest.approx(expected, rel=1e-13)
    numbers = backend.flipped_derivatives(slope, intercept, 0.0, 0.0, CLIP, z, one, one)
    assert all(np.isfinite(number).all() for number in numbers)


def test_the_clip_is_the_given_one(backend):
    """One contradicted and one confirmed label."""
    z, one = np.array([100.0]), np.ones(1)
    found = likelihood(backend, (1.0, 0.0), (0.0, 0.0), (z, one, one), clip=0.01)
    assert found == pytest.approx(np.log(0.01) + np.log(0.99), rel=1e-14)


@SHARED
@given(
    log_slope=st.floats(-2, 1),
    intercept=st.floats(-2, 2),
    rates=st.tuples(st.floats(0.01, 0.45), st.floats(0.01, 0.45)),
    size=st.sampled_from(SIZES),
)
def test_the_gradient_is_the_slope_of_the_likelihood(backend, log_slope, intercept, rates, size):
    """Central differences by log slope, intercept and both rates."""
    labels, at = labels_at(size, size, 2.0), np.array([log_slope, intercept, *rates])

    def height(point):
        return likelihood(backend, (np.exp(point[0]), point[1]), tuple(point[2:]), labels)

    steps = STEP * np.eye(4)
    expected = [(height(at + step) - height(at - step)) / (2 * STEP) for step in steps]
    found, gradient, _ = backend.flipped_derivatives(
        np.exp(log_slope), intercept, *rates, CLIP, *labels
    )
    assert found == pytest.approx(height(at), rel=1e-12)
    scale = 1 + labels[1].sum() + labels[2].sum()
    np.testing.assert_allclose(gradient / scale, np.array(expected) / scale, atol=1e-6)


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.1, 0.3), (0.6, 0.399)])
@pytest.mark.parametrize("size", [1, 9, 600])
def test_the_information_is_the_expected_square_of_the_gradient(backend, rates, size):
    """Over both possible labels, at every point."""
    z, negatives, positives = labels_at(size, size, 2.0)
    line, one, none = (1.3, -0.2), np.ones(1), np.zeros(1)
    expected = np.zeros((4, 4))
    for at, total, *odds in zip(z, negatives + positives, *chances(line, rates, z), strict=True):
        for chance, label in zip(odds, ((none, one), (one, none)), strict=True):
            by_one = backend.flipped_derivatives(*line, *rates, CLIP, np.array([at]), *label)[1]
            expected += total * chance * np.outer(by_one, by_one)
    found = backend.flipped_derivatives(*line, *rates, CLIP, z, negatives, positives)[2]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(found, found.T, rtol=1e-12)


@SHARED
@given(seed=st.integers(0, 99), size=st.sampled_from(SIZES), count=st.integers(1, 30))
def test_the_average_is_a_weighted_sum_of_sigmoids(backend, seed, size, count):
    """It rises if all slopes are positive."""
    rng = np.random.default_rng(seed)
    slopes, intercepts = np.exp(rng.normal(size=count)), 3 * rng.normal(size=count)
    weights, z = rng.dirichlet(np.ones(count)), labels_at(seed, size)[0]
    found = backend.average_sigmoid(slopes, intercepts, weights, z)
    expected = weights @ expit(np.multiply.outer(slopes, z) + intercepts[:, None])
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert (np.diff(found) >= -1e-15).all()


def test_both_backends_agree_to_the_last_digits():
    """They add the same terms in another order."""
    backends = kernels.available_backends().values()
    labels = labels_at(3, 700)
    rng = np.random.default_rng(3)
    slopes, intercepts = np.exp(rng.normal(size=40)), rng.normal(size=40)
    rates, weights = rng.dirichlet((1, 1, 4), 40)[:, :2], rng.dirichlet(np.ones(40))
    for results in zip(
        *(
            (
                backend.flipped_log_likelihood(slopes, intercepts, rates, CLIP, *labels),
                *backend.flipped_derivatives(1.7, -0.3, 0.1, 0.2, CLIP, *labels),
                backend.average_sigmoid(slopes, intercepts, weights, labels[0]),
            )
            for backend in backends
        ),
        strict=True,
    ):
        for result in results:
            np.testing.assert_allclose(result, results[0], rtol=1e-12)


def test_sigmoids_of_every_line_and_point(backend):
    """One row per line, as scipy computes them, also where exp overflows."""
    slopes, intercepts = np.array([0.0, 2.0, 1e6]), np.array([0.3, -1.0, 0.0])
    z = np.concatenate([np.linspace(-9, 9, 1001), [-800.0, 800.0]])
    expected = expit(np.multiply.outer(slopes, z) + intercepts[:, None])
    found = backend.sigmoids(slopes, intercepts, z)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)
    assert backend.sigmoids(slopes[:0], intercepts[:0], z).shape == (0, len(z))
