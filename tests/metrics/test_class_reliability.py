"""Corrected reliability of several classes agrees with that of two, and finds the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.metrics import corrected_reliability_curve, reliability_curve
from lwcal.metrics.class_reliability import corrected_class_curve
from lwcal.metrics.several_classes import JudgedRows
from lwcal.table import ScoreTable
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows


def judged(scores, labels, weights=None):
    """Rows with numbered classes."""
    n, k = scores.shape
    return JudgedRows(labels, scores, np.ones(n) if weights is None else weights, tuple(range(k)))


def test_two_classes_agree_with_the_curve_of_two_classes():
    """With equal rates. The intervals are those of other draws from the same distribution."""
    noise = even_noise(2, 0.15)
    scores, _, labels = noisy_rows(2000, noise, clarity=0.5)
    rows = judged(scores, labels)
    found = corrected_class_curve(rows, np.ones(2000, dtype=int), noise, [noise])
    expected = corrected_reliability_curve(
        labels, scores[:, 1], noise_rates=(0.15, 0.15), n_bins=10, strategy="quantile"
    )
    np.testing.assert_allclose(found.predicted, expected.predicted)
    np.testing.assert_allclose(found.observed, expected.observed)
    np.testing.assert_allclose(found.weight, expected.weight)
    np.testing.assert_allclose(found.lower, expected.lower, atol=0.02)
    np.testing.assert_allclose(found.upper, expected.upper, atol=0.02)


@given(seed=st.integers(0, 1000), k=st.integers(2, 5), n=st.integers(1, 60))
def test_right_labels_need_no_correction(seed, k, n):
    """The points are those of the labels as they are, whatever the weights."""
    rng = np.random.default_rng(seed)
    scores, labels = rng.dirichlet(np.full(k, 0.5), n), rng.integers(0, k, n)
    weights = rng.integers(1, 4, n).astype(float)
    top, right = scores.argmax(axis=1), np.eye(k)
    found = corrected_class_curve(judged(scores, labels, weights), top, right, [right], n_bins=4)
    table = ScoreTable.from_arrays(scores.max(axis=1), labels == top, weights)
    expected = reliability_curve(table, n_bins=4, strategy="quantile")
    np.testing.assert_allclose(found.predicted, expected.predicted)
    np.testing.assert_allclose(found.observed, expected.observed, atol=1e-12)
    assert (found.lower <= found.observed).all()
    assert (found.observed <= found.upper).all()
    assert found.lower.min() >= 0.0
    assert found.upper.max() <= 1.0


@pytest.mark.parametrize("noise", [even_noise(4, 0.3), next_noise(4, 0.25)])
def test_the_truth_is_found_behind_the_noise(noise):
    """Most intervals hold the share of the truth; those of labels as they are do not."""
    scores, true, labels = noisy_rows(20_000, noise, clarity=0.3)
    top = scores.argmax(axis=1)
    found = corrected_class_curve(judged(scores, labels), top, noise, [noise])
    table = ScoreTable.from_arrays(scores.max(axis=1), true == top)
    truth = reliability_curve(table, n_bins=10, strategy="quantile")
    inside = (found.lower <= truth.observed) & (truth.observed <= found.upper)
    assert inside.mean() >= 0.8
    np.testing.assert_allclose(found.observed, truth.observed, atol=0.05)
    as_labelled = ScoreTable.from_arrays(scores.max(axis=1), labels == top)
    naive = reliability_curve(as_labelled, n_bins=10, strategy="quantile")
    assert (naive.upper < truth.observed).sum() >= 7


def test_uncertain_noise_widens_the_intervals():
    """They hold what is not known about the matrix."""
    noise = even_noise(3, 0.2)
    scores, _, labels = noisy_rows(3000, noise)
    rows, top = judged(scores, labels), scores.argmax(axis=1)
    sure = corrected_class_curve(rows, top, noise, [noise])
    unsure = corrected_class_curve(rows, top, noise, [even_noise(3, r) for r in (0.1, 0.2, 0.3)])
    assert (unsure.upper - unsure.lower).mean() > 1.5 * (sure.upper - sure.lower).mean()
