"""ECE with bins of equal width and of equal weight, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import ParameterError
from lwcal.metrics import adaptive_ece, ece
from tests.strategies import rows

n_bins_strategy = st.integers(1, 20)


def error_of_bins(bins, y_true, y_prob):
    """Eq. 7, bin by bin."""
    return sum(
        np.mean(bins == b) * abs(np.mean(y_true[bins == b]) - np.mean(y_prob[bins == b]))
        for b in np.unique(bins)
    )


@given(data=rows(both_classes=False), n_bins=n_bins_strategy)
def test_ece_equals_the_formula(data, n_bins):
    """Eq. 7 written out over rows."""
    y_prob, y_true = data
    bins = np.array([min(int(p * n_bins), n_bins - 1) for p in y_prob])
    expected = error_of_bins(bins, y_true, y_prob)
    assert ece(y_true, y_prob, n_bins=n_bins) == pytest.approx(expected, abs=1e-12)


@given(data=rows(both_classes=False), n_bins=n_bins_strategy)
def test_adaptive_ece_equals_the_formula(data, n_bins):
    """The rule for bins of equal weight written out over rows."""
    y_prob, y_true = data
    below = np.array([np.sum(y_prob < p) for p in y_prob])
    own = np.array([np.sum(y_prob == p) for p in y_prob])
    bins = np.minimum(n_bins * (2 * below + own) // (2 * len(y_prob)), n_bins - 1)
    expected = error_of_bins(bins, y_true, y_prob)
    assert adaptive_ece(y_true, y_prob, n_bins=n_bins) == pytest.approx(expected, abs=1e-12)


def test_a_probability_on_an_edge_belongs_to_the_upper_bin():
    """With two bins 0.5 is in the second, and so is 1."""
    assert ece([1, 0], [0.5, 1.0], n_bins=2) == pytest.approx(0.25)  # together: |0.5 - 0.75|
    assert ece([1, 0], [0.4, 1.0], n_bins=2) == pytest.approx(0.8)  # apart: (0.6 + 1) / 2


def test_without_ties_adaptive_bins_hold_equally_many_rows():
    """Sorted rows are cut into consecutive groups of the same size."""
    rng = np.random.default_rng(0)
    y_prob, y_true = np.sort(rng.random(60)), rng.integers(0, 2, 60)
    groups = np.abs((y_true - y_prob).reshape(15, 4).sum(axis=1))
    assert adaptive_ece(y_true, y_prob) == pytest.approx(groups.sum() / 60)


def test_equal_probabilities_are_never_split_over_bins():
    """Ties share a bin, so errors among them cancel whatever the number of bins."""
    y_true, y_prob = [0, 1] * 50, [0.5] * 100
    assert adaptive_ece(y_true, y_prob, n_bins=15) == 0
    assert adaptive_ece(y_true, y_prob, n_bins=100) == 0


@given(data=rows(both_classes=False))
def test_one_bin_is_the_overall_error(data):
    """A single bin compares the means of all rows."""
    y_prob, y_true = data
    overall = abs(y_true.mean() - y_prob.mean())
    assert ece(y_true, y_prob, n_bins=1) == pytest.approx(overall, abs=1e-12)
    assert adaptive_ece(y_true, y_prob, n_bins=1) == pytest.approx(overall, abs=1e-12)


@given(data=rows(both_classes=False), n_bins=st.integers(1, 8))
def test_splitting_bins_never_lowers_the_error(data, n_bins):
    """Halving every bin takes away chances to cancel."""
    y_prob, y_true = data
    coarse, fine = (ece(y_true, y_prob, n_bins=k) for k in (n_bins, 2 * n_bins))
    assert fine >= coarse - 1e-12


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, True, "15", None])
@pytest.mark.parametrize("metric", [ece, adaptive_ece])
def test_n_bins_must_be_a_count(metric, n_bins):
    """Anything but a whole number of at least 1 is refused."""
    with pytest.raises(ParameterError, match="n_bins"):
        metric([0, 1], [0.2, 0.8], n_bins=n_bins)


def test_n_bins_may_be_a_numpy_integer():
    """Counts often come out of arrays."""
    assert ece([0, 1], [0.2, 0.8], n_bins=np.int64(15)) == pytest.approx(0.2)
