"""Sigmoids of lines, in both backends."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import entr, expit

from lwcal import kernels

SHARED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
SIZES = [0, 1, 7, 8, 9, 511, 512, 513, 1300]
"""Numbers of points, around whole registers and blocks of the compiled kernels."""


def points(seed, size):
    """Increasing log-odds."""
    return np.sort(6.0 * np.random.default_rng(seed).normal(size=size))


@SHARED
@given(seed=st.integers(0, 99), size=st.sampled_from(SIZES), count=st.integers(1, 30))
def test_the_average_is_a_weighted_sum_of_sigmoids(backend, seed, size, count):
    """It rises if all slopes are positive."""
    rng = np.random.default_rng(seed)
    slopes, intercepts = np.exp(rng.normal(size=count)), 3 * rng.normal(size=count)
    weights, z = rng.dirichlet(np.ones(count)), points(seed, size)
    found = backend.average_sigmoid(slopes, intercepts, weights, z)
    expected = weights @ expit(np.multiply.outer(slopes, z) + intercepts[:, None])
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert (np.diff(found) >= -1e-15).all()


@SHARED
@given(seed=st.integers(0, 99), size=st.sampled_from(SIZES), count=st.integers(1, 30))
def test_the_weighted_sum_over_points(backend, seed, size, count):
    """Of every line."""
    rng = np.random.default_rng(seed)
    slopes, intercepts = 3 * rng.normal(size=count), 3 * rng.normal(size=count)
    weights, z = rng.random(size), points(seed, size)
    found = backend.sigmoid_sums(slopes, intercepts, z, weights)
    expected = expit(np.multiply.outer(slopes, z) + intercepts[:, None]) @ weights
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@SHARED
@given(seed=st.integers(0, 99), size=st.sampled_from(SIZES), count=st.integers(1, 30))
def test_the_average_entropy_is_that_of_the_sigmoids(backend, seed, size, count):
    """As scipy finds it, of probabilities that are clipped as in all logarithms."""
    rng = np.random.default_rng(seed)
    slopes, intercepts = 3 * rng.normal(size=count), 3 * rng.normal(size=count)
    weights, z = rng.dirichlet(np.ones(count)), points(seed, size)
    line = np.multiply.outer(slopes, z) + intercepts[:, None]
    chances = [np.clip(expit(side), 2.0**-40, 1 - 2.0**-40) for side in (line, -line)]
    found = backend.average_entropy(slopes, intercepts, weights, z)
    np.testing.assert_allclose(found, weights @ entr(chances).sum(axis=0), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("count", [100, 5_000])
def test_many_lines_are_averaged_in_parts(backend, count):
    """Which are added up, beyond one block of points too."""
    rng = np.random.default_rng(count)
    slopes, intercepts = np.exp(rng.normal(size=count)), rng.normal(size=count)
    weights, z = rng.dirichlet(np.ones(count)), points(1, 700)
    expected = weights @ expit(np.multiply.outer(slopes, z) + intercepts[:, None])
    found = backend.average_sigmoid(slopes, intercepts, weights, z)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    sums = backend.sigmoid_sums(slopes, intercepts, z, np.full(700, 0.5))
    assert weights @ sums == pytest.approx(found.sum() / 2, rel=1e-12)


def test_no_line_and_no_point(backend):
    """Empty input gives zeros or nothing."""
    none, z = np.empty(0), points(0, 5)
    np.testing.assert_array_equal(backend.average_sigmoid(none, none, none, z), np.zeros(5))
    assert backend.average_sigmoid(np.ones(2), np.ones(2), np.ones(2), none).shape == (0,)
    np.testing.assert_array_equal(backend.average_entropy(none, none, none, z), np.zeros(5))
    np.testing.assert_array_equal(backend.sigmoid_sums(z, z, none, none), np.zeros(5))
    assert backend.sigmoid_sums(none, none, z, z).shape == (0,)


def test_both_backends_agree_to_the_last_digits():
    """They add the same terms in another order."""
    rng = np.random.default_rng(3)
    slopes, intercepts = np.exp(rng.normal(size=40)), rng.normal(size=40)
    weights, z = rng.dirichlet(np.ones(40)), points(3, 700)
    found = [
        backend.average_sigmoid(slopes, intercepts, weights, z)
        for backend in kernels.available_backends().values()
    ]
    for one in found:
        np.testing.assert_allclose(one, found[0], rtol=1e-12)


def test_sigmoids_of_every_line_and_point(backend):
    """One row per line, as scipy computes them, also where exp overflows."""
    slopes, intercepts = np.array([0.0, 2.0, 1e6]), np.array([0.3, -1.0, 0.0])
    z = np.concatenate([np.linspace(-9, 9, 1001), [-800.0, 800.0]])
    expected = expit(np.multiply.outer(slopes, z) + intercepts[:, None])
    found = backend.sigmoids(slopes, intercepts, z)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)
    assert backend.sigmoids(slopes[:0], intercepts[:0], z).shape == (0, len(z))
