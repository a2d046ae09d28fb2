"""Drift tests agree with scipy, and effects do not grow with the number of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, false_discovery_control

from lwcal.monitoring.statistics import (
    Change,
    Labels,
    compare_labels,
    compare_scores,
    compare_shares,
    group_bins,
    holm,
    stability_index,
)

counts = st.lists(st.integers(20, 200), min_size=2, max_size=9)


@given(before=counts, data=st.data())
def test_scores_are_compared_as_scipy_does(before, data):
    """Chi-square of a contingency table, whose groups are the bins when they are few and even."""
    after = data.draw(st.lists(st.integers(20, 200), min_size=len(before), max_size=len(before)))
    a, b = np.array(before, dtype=float), np.array(after, dtype=float)
    starts = group_bins(a, b)
    grouped = np.add.reduceat(np.stack([a, b]), starts, axis=1)
    found = compare_scores(a, b)
    if len(starts) == 1:
        assert found == (0.0, 1.0, 0.0)
        return
    expected = chi2_contingency(grouped, correction=False)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@given(st.integers(0, 50), st.integers(0, 50))
def test_shares_are_compared_as_scipy_does(first, second):
    """The z test squared is the chi-square test of the two by two table."""
    found = compare_shares((first, second), (50, 80))
    if first + second == 0:
        assert found.p_value == 1.0
        return
    table = [[first, 50 - first], [second, 80 - second]]
    assert found.p_value == pytest.approx(chi2_contingency(table, correction=False).pvalue)
    assert found.effect == pytest.approx(second / 80 - first / 50)


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
    assert compare_labels(only, only) == (0.0, 1.0, 0.0, None, 1.0, None)
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


def test_effects_do_not_grow_with_the_rows():
    """Ten times the rows have the same effects, and smaller p-values."""
    a, b = np.array([300.0, 300.0, 400.0]), np.array([350.0, 310.0, 340.0])
    small, large = compare_scores(a, b), compare_scores(100 * a, 100 * b)
    assert large.p_value < small.p_value
    assert large.effect == pytest.approx(stability_index(100 * a, 100 * b), rel=0.02)
    assert small.effect <= large.effect


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_between_no_correction_and_bonferroni(p_values):
    """It is at least as strict as control of the false discovery rate."""
    adjusted = np.array(holm(p_values))
    assert (adjusted >= np.array(p_values) - 1e-15).all()
    assert (adjusted <= np.minimum(np.array(p_values) * len(p_values), 1) + 1e-12).all()
    assert (adjusted >= false_discovery_control(p_values) - 1e-12).all()


def test_small_batches_have_few_groups():
    """Every group keeps enough rows for the approximation."""
    assert len(group_bins(np.full(50, 60.0), np.full(50, 0.5))) == 5
    assert len(group_bins(np.full(50, 60.0), np.full(50, 0.02))) == 1
