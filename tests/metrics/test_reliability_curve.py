"""Points of the reliability curve against scikit-learn, intervals against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve

from lwcal.errors import ParameterError
from lwcal.metrics import adaptive_ece, ece, reliability_curve
from tests.strategies import rows


def sample(n=400, seed=0):
    """A model whose probabilities are too extreme."""
    rng = np.random.default_rng(seed)
    y_prob = rng.beta(0.5, 0.7, n)
    return (rng.random(n) < 0.2 + 0.6 * y_prob).astype(int), y_prob


@pytest.mark.parametrize("n_bins", [5, 15, 60])
def test_parity_with_scikit_learn(n_bins):
    """Points of all bins that hold rows, in the same order."""
    y_true, y_prob = sample()
    observed, predicted = calibration_curve(y_true, y_prob, n_bins=n_bins)
    curve = reliability_curve(y_true, y_prob, n_bins=n_bins)
    np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_intervals_equal_wilson_by_scipy(confidence):
    """In every bin, also where no label or all labels are positive."""
    y_true, y_prob = sample(n=60)
    curve = reliability_curve(y_true, y_prob, confidence=confidence, n_bins=40)
    assert {0.0, 1.0} <= set(curve.observed)
    for k in range(len(curve.weight)):
        positives = round(curve.observed[k] * curve.weight[k])
        expected = binomtest(positives, int(curve.weight[k])).proportion_ci(confidence, "wilson")
        assert (curve.lower[k], curve.upper[k]) == pytest.approx(tuple(expected), abs=1e-12)


@given(data=rows(both_classes=False), strategy=st.sampled_from(["uniform", "quantile"]))
def test_the_curve_holds_every_row_and_intervals_hold_their_share(data, strategy):
    """Empty bins are dropped, rows are not."""
    y_prob, y_true = data
    curve = reliability_curve(y_true, y_prob, strategy=strategy)
    assert curve.weight.sum() == len(y_true)
    assert (curve.weight > 0).all()
    assert (np.diff(curve.predicted) > 0).all()
    assert (curve.lower >= 0).all()
    assert (curve.upper <= 1).all()
    assert (curve.lower <= curve.observed).all()
    assert (curve.observed <= curve.upper).all()
    assert (curve.lower < curve.upper).all()


@given(data=rows(both_classes=False))
def test_the_error_is_the_mean_distance_from_the_diagonal(data):
    """Both errors can be read off their curve."""
    y_prob, y_true = data
    for strategy, metric in (("uniform", ece), ("quantile", adaptive_ece)):
        curve = reliability_curve(y_true, y_prob, strategy=strategy)
        distance = np.average(np.abs(curve.observed - curve.predicted), weights=curve.weight)
        assert distance == pytest.approx(metric(y_true, y_prob), abs=1e-12)


@pytest.mark.parametrize("label", [0, 1])
def test_intervals_end_where_probabilities_end(label):
    """With labels of one class the interval ends at exactly 0 or 1, whatever the weight."""
    for weight in (*range(1, 200), 1e-9, 0.1, 1e9):
        curve = reliability_curve([label, 1 - label], [0.5, 0.5], sample_weight=[weight, 0])
        assert (curve.lower[0], curve.upper[0])[label] == label
        rare = reliability_curve([label, 1 - label], [0.5, 0.5], sample_weight=[1, weight * 1e-17])
        assert 0 <= rare.lower[0] <= rare.observed[0] <= rare.upper[0] <= 1


def test_more_rows_narrow_the_interval():
    """Weights are frequencies: a hundred times the weight gives a tenth of the width."""
    few = reliability_curve([0, 1], [0.5, 0.5], sample_weight=[50, 50])
    many = reliability_curve([0, 1], [0.5, 0.5], sample_weight=[5000, 5000])
    width_ratio = (few.upper - few.lower) / (many.upper - many.lower)
    assert width_ratio == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"strategy": "kmeans"}, "strategy .*'uniform', 'quantile'"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 95}, "confidence"),
        ({"n_bins": 0}, "n_bins"),
    ],
)
def test_options_are_checked(option, says):
    """The error names the option and the values it accepts."""
    with pytest.raises(ParameterError, match=says):
        reliability_curve([0, 1], [0.2, 0.8], **option)
