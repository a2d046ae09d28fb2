"""Drift tests agree with scipy, and effects do not grow with the number of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, false_discovery_control

from lwcal.monitoring.statistics import (
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
