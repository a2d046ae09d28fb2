"""Simulated reviewers err as often as their matrices say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal_study.opinions.reviewers import (
    HARD_SHARE,
    LEAST_WRONG,
    MOST_WRONG,
    REVIEWERS,
    WRONG_IF_HARD,
    asking_order,
    drawn_matrices,
    drawn_opinions,
    error_rates,
    hard_matrices,
)


@given(st.integers(2, 10), st.integers(0, 2**20))
def test_matrices_are_probabilities_with_the_stated_error(n_classes, seed):
    """Rows sum to 1, and every error rate is between 10 and 30%."""
    matrices = drawn_matrices(n_classes, np.random.default_rng(seed))
    assert matrices.shape == (REVIEWERS, n_classes, n_classes)
    assert (matrices >= 0).all()
    np.testing.assert_allclose(matrices.sum(axis=2), 1)
    rates = error_rates(matrices, hard=False)
    assert rates.min() >= LEAST_WRONG - 1e-12
    assert rates.max() <= MOST_WRONG + 1e-12


@pytest.mark.parametrize("n_classes", [2, 5])
def test_opinions_follow_the_matrices(n_classes):
    """The observed confusion of many rows is the matrix of the reviewer."""
    rng = np.random.default_rng(1)
    matrices = drawn_matrices(n_classes, rng)
    y = rng.integers(0, n_classes, 60_000)
    said = drawn_opinions(matrices, y, rng)
    for reviewer, matrix in enumerate(matrices):
        for k in range(n_classes):
            seen = np.bincount(said[y == k, reviewer], minlength=n_classes) / (y == k).sum()
            np.testing.assert_allclose(seen, matrix[k], atol=0.02)


def test_opinions_are_independent_given_the_truth():
    """Two reviewers are wrong together as often as the product of their rates."""
    rng = np.random.default_rng(2)
    y = np.zeros(60_000, dtype=int)
    matrices = drawn_matrices(2, rng)
    wrong = drawn_opinions(matrices, y, rng) == 1
    rates = error_rates(matrices, hard=False)[:, 0]
    assert (wrong[:, 0] & wrong[:, 1]).mean() == pytest.approx(rates[0] * rates[1], abs=0.005)


def test_hard_rows_raise_every_rate():
    """A mixture: a fifth of the rows with half of the labels wrong."""
    matrices = drawn_matrices(3, np.random.default_rng(3))
    np.testing.assert_allclose(1 - np.diagonal(hard_matrices(3), axis1=1, axis2=2), WRONG_IF_HARD)
    easy, mixed = (error_rates(matrices, hard=hard) for hard in (False, True))
    np.testing.assert_allclose(mixed, (1 - HARD_SHARE) * easy + HARD_SHARE * WRONG_IF_HARD)


def test_everybody_is_asked_first_equally_often():
    """Each row has an order of its own, with every reviewer once."""
    order = asking_order(30_000, np.random.default_rng(4))
    assert (np.sort(order, axis=1) == np.arange(REVIEWERS)).all()
    np.testing.assert_allclose(np.bincount(order[:, 0]) / len(order), 1 / REVIEWERS, atol=0.01)
