"""Binning: rows are shared out evenly, and binnings are weighed by their marginal likelihood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import betabinom, binom

from lwcal_study.paper.appendix.binning import (
    BayesianBinning,
    HistogramBinning,
    equal_frequency,
    sort_rows,
)
from tests.strategies import rows


@given(rows(), st.integers(1, 12))
def test_every_row_is_in_one_bin_and_no_bin_is_empty(drawn, bins):
    """Also if scores are equal, or neighbours."""
    scores, labels = drawn
    found = equal_frequency(sort_rows(scores, labels), bins)
    assert len(found.rows) <= bins
    assert found.rows.min() >= 1
    assert found.rows.sum() == len(scores)
    assert found.positives.sum() == labels.sum()
    place = found.of(scores)
    np.testing.assert_array_equal(np.bincount(place), found.rows)
    np.testing.assert_array_equal(np.bincount(place, weights=labels), found.positives)


def test_bins_of_distinct_scores_have_nearly_the_same_size():
    """No two differ by more than one row."""
    scores = np.random.default_rng(0).random(57)
    found = equal_frequency(sort_rows(scores, scores > 0.5), 10)
    assert len(found.rows) == 10
    assert np.ptp(found.rows) <= 1


@given(rows())
def test_a_histogram_keeps_the_share_of_positives(drawn):
    """The mean over its own rows is that of their labels, and a score predicts its bin's share."""
    scores, labels = drawn
    fitted = HistogramBinning().fit(scores, labels)
    found = fitted.predict(scores)
    assert found.mean() == pytest.approx(labels.mean())
    place = fitted.binning_.of(scores)
    for k in np.unique(place):
        assert found[place == k] == pytest.approx(labels[place == k].mean())


def test_binnings_are_weighed_by_their_marginal_likelihood():
    """It is that of the beta-binomial distribution, for one order of the labels in each bin."""
    rng = np.random.default_rng(1)
    scores = rng.random(80)
    labels = (rng.random(80) < scores).astype(int)
    fitted = BayesianBinning().fit(scores, labels)
    assert [len(binning.rows) for binning in fitted.binnings_] == list(range(1, 17))
    log_evidence, means = [], []
    for binning in fitted.binnings_:
        a, b = 2 * binning.midpoints, 2 * (1 - binning.midpoints)
        orders = binom.logpmf(binning.positives, binning.rows, 0.5) + binning.rows * np.log(2)
        likelihood = betabinom.logpmf(binning.positives, binning.rows, a, b)
        log_evidence.append((likelihood - orders).sum())
        means.append(((a + binning.positives) / (2 + binning.rows))[binning.of(scores)])
    np.testing.assert_allclose(fitted.weights_, softmax(log_evidence), rtol=1e-8)
    np.testing.assert_allclose(fitted.predict(scores), softmax(log_evidence) @ np.array(means))


def test_the_number_of_bins_follows_the_number_of_rows():
    """From a tenth to ten times the cube root, and at most one bin for five rows."""
    for n, fewest, most in [(4, 1, 1), (37, 1, 8), (550, 1, 82), (8000, 2, 200)]:
        scores = np.linspace(0, 1, n)
        sizes = [len(binning.rows) for binning in BayesianBinning().fit(scores, scores).binnings_]
        assert (min(sizes), max(sizes)) == (fewest, most)


@given(rows())
def test_a_bayesian_average_is_a_probability_inside_the_unit_interval(drawn):
    """The prior keeps it from the ends, where one error costs most."""
    scores, labels = drawn
    found = BayesianBinning().fit(scores, labels).predict(np.linspace(0, 1, 21))
    assert ((found > 0) & (found < 1)).all()
