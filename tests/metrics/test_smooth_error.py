"""smECE against direct integration and against relplot."""

from itertools import pairwise

import numpy as np
import pytest
import relplot
from hypothesis import given, settings

from lwcal import ScoreTable
from lwcal.metrics import smooth_ece
from lwcal.metrics.smooth import residual_waves, smoothed_error
from tests.strategies import rows


def waves(y_true, y_prob):
    """Residuals in the form that the module smooths."""
    return residual_waves(ScoreTable.from_arrays(y_prob, y_true))


def integrated_error(y_true, y_prob, width, n_points=4000):
    """Definition: sum the Gaussian and its mirror images, integrate the absolute value."""
    points = (np.arange(n_points) + 0.5) / n_points
    smoothed = np.zeros(n_points)
    for shift in range(-10, 11, 2):
        for centers in (y_prob + shift, shift - y_prob):
            z = (points[:, None] - centers) / width
            smoothed += np.exp(-z * z / 2) @ (y_true - y_prob)
    return np.mean(np.abs(smoothed)) / (np.sqrt(2 * np.pi) * width * len(y_true))


def sample(n, seed, low=0.0, high=1.0):
    """Draw scores of an overconfident model."""
    rng = np.random.default_rng(seed)
    y_prob = low + (high - low) * rng.beta(0.7, 0.9, n)
    return (rng.random(n) < 0.15 + 0.6 * y_prob).astype(int), y_prob


@pytest.mark.parametrize("width", [0.01, 0.05, 0.3, 1.0])
def test_smoothing_equals_direct_integration(width):
    """Cosines give what the definition of the reflected Gaussian gives."""
    y_true, y_prob = sample(150, seed=1)
    y_prob[:4] = [0.0, 0.0, 1.0, 0.5]
    expected = integrated_error(y_true, y_prob, width)
    assert smoothed_error(waves(y_true, y_prob), width) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=25)
@given(data=rows(both_classes=False))
def test_the_bandwidth_is_a_fixed_point(data):
    """At the returned bandwidth, the error equals the bandwidth."""
    y_prob, y_true = data
    value = smooth_ece(y_true, y_prob)
    assert smoothed_error(waves(y_true, y_prob), value) == pytest.approx(value, abs=1e-9)


@settings(max_examples=25)
@given(data=rows(both_classes=False))
def test_smoothing_more_never_raises_the_error(data):
    """The reason why there is exactly one fixed point."""
    y_prob, y_true = data
    errors = [smoothed_error(waves(y_true, y_prob), w) for w in (0.0, 1e-3, 0.01, 0.1, 0.5, 2.0)]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(errors))


@settings(max_examples=25)
@given(data=rows(both_classes=False))
def test_the_value_is_at_least_the_overall_error(data):
    """Smoothing keeps the sum of the residuals, and the mean cannot exceed the mean of |.|."""
    y_prob, y_true = data
    assert smooth_ece(y_true, y_prob) >= abs(np.mean(y_true - y_prob)) - 1e-9


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [60, 600, 6000])
def test_parity_with_relplot(monkeypatch, n, seed):
    """Same bandwidth search, same error.

    relplot counts half of the weight at exactly 0 and 1, and bisects the bandwidth to 1/1024;
    away from the ends, at one bandwidth and on a fine mesh the two agree closely.
    """
    y_true, y_prob = sample(n, seed, low=0.01, high=0.99)
    ours = smooth_ece(y_true, y_prob)
    assert ours == pytest.approx(relplot.smECE(y_prob, y_true), abs=2e-3)
    monkeypatch.setattr(relplot.config, "smECE_mesh_pts", 10_001)
    assert ours == pytest.approx(relplot.smECE_sigma(y_prob, y_true, ours), abs=1e-4)


def test_a_sure_error_at_the_end_counts_in_full():
    """All weight at exactly 1 and never right: the largest error there is."""
    assert smooth_ece([0, 0, 0], [1.0, 1.0, 1.0]) == pytest.approx(1.0, abs=1e-9)


def test_a_calibrated_score_comes_out_near_zero():
    """The error of true probabilities vanishes with more rows."""
    rng = np.random.default_rng(3)
    y_prob = rng.random(200_000)
    assert smooth_ece(rng.random(200_000) < y_prob, y_prob) < 0.01
