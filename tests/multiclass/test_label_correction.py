"""Sums over rows, corrected for wrong labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.multiclass.label_correction import (
    N_BINS,
    Moments,
    corrected_by,
    inverse_of,
    loss_moments,
    top_label_moments,
)
from tests.multiclass.simulated import even_noise, next_noise


@given(st.integers(0, 99), st.integers(2, 6), st.floats(0.0, 0.45))
def test_the_mean_over_all_labels_is_the_value_of_the_true_class(seed, k, rate):
    """Exactly, for any values: that is what makes corrected metrics unbiased."""
    noise = next_noise(k, rate)
    values = np.random.default_rng(seed).normal(size=(1, k))
    of_labels = corrected_by(noise, np.arange(k), np.repeat(values, k, axis=0))
    np.testing.assert_allclose(noise @ of_labels, values[0], atol=1e-9)


def test_sums_by_hand():
    """Of the values, in the bins that they were given."""
    found = Moments.of(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0]), np.array([0, 0, 2]), 4)
    np.testing.assert_array_equal(found.weight, [3, 0, 1, 0])
    np.testing.assert_array_equal(found.total, [5, 0, 3, 0])
    np.testing.assert_array_equal(found.squares, [9, 0, 9, 0])


def test_right_labels_need_no_correction():
    """The identity leaves losses and gaps as they are."""
    rng = np.random.default_rng(0)
    p, labels, weights = rng.dirichlet([1, 1, 1], 50), rng.integers(0, 3, 50), rng.random(50)
    chosen = p[np.arange(50), labels]
    assert loss_moments(np.eye(3), labels, -np.log(p), weights).total == pytest.approx(
        -np.log(chosen) @ weights
    )
    gaps = top_label_moments(np.eye(3), labels, p, weights)
    right = labels == p.argmax(axis=1)
    assert len(gaps.weight) == N_BINS
    assert gaps.total.sum() == pytest.approx(weights @ (right - p.max(axis=1)))


def test_matrices_without_an_inverse_are_known():
    """Exactly singular ones, and those that only rounding saves."""
    assert inverse_of(np.full((3, 3), 1 / 3)) is None
    assert inverse_of(even_noise(4, 0.75 - 1e-9)) is None
    np.testing.assert_allclose(
        inverse_of(even_noise(4, 0.3)) @ even_noise(4, 0.3), np.eye(4), atol=1e-12
    )
