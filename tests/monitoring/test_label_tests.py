"""Tests of labels agree with scipy, and their power is the share of changes that they find."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from lwcal.monitoring.label_tests import Change, Labels, compare_labels
from lwcal.monitoring.statistics import Found


def test_labels_in_one_bin_are_compared_as_by_mantel_and_haenszel():
    """One stratum: chi-square of the two by two table, times (N - 1) / N."""
    before, after = (
        Labels(np.array([30.0]), np.array([20.0])),
        Labels(np.array([15.0]), np.array([35.0])),
    )
    expected = chi2_contingency([[30, 20], [15, 35]], correction=False).statistic * 99 / 100
    assert compare_labels(before, after).statistic == pytest.approx(expected)


def test_a_shift_of_scores_is_not_taken_for_one_of_labels():
    """Bins that swap their rows, but not their shares, change nothing at equal scores."""
    share = np.array([0.1, 0.3, 0.6, 0.9])
    many, few = np.array([4e4, 3e4, 2e4, 1e4]), np.array([1e4, 2e4, 3e4, 4e4])
    before, after = (Labels(n * (1 - share), n * share) for n in (many, few))
    found = compare_labels(before, after)
    assert found.p_value > 0.99
    assert found.effect == 0.0


def test_labels_of_one_class_say_nothing():
    """Where nothing varies, no drift is found."""
    only = Labels(np.array([50.0, 50.0]), np.zeros(2))
    assert compare_labels(only, only) == Found(0.0, 1.0, 0.0, None, 1.0, None)
    assert compare_labels(only, only, change=Change(0.1, 2.0, 0.01)).power == 0.0


def test_power_is_the_share_of_changes_that_are_found():
    """Of 400 simulated ones, within three standard errors."""
    rng = np.random.default_rng(0)
    n, share = np.full(10, 80.0), np.linspace(0.2, 0.8, 10)
    change = Change(0.1, 2.0, alpha=0.01)
    found = []
    for _ in range(400):
        before, after = (rng.binomial(80, p).astype(float) for p in (share, share + change.size))
        found.append(
            compare_labels(Labels(n - before, before), Labels(n - after, after), change=change)
        )
    powers = [one.power for one in found]
    expected = np.mean(powers)
    assert np.std(powers) < 0.03
    assert 0.3 < expected < 0.8
    hits = np.mean([one.p_value < change.alpha for one in found])
    assert abs(hits - expected) < 3 * np.sqrt(expected * (1 - expected) / 400)
