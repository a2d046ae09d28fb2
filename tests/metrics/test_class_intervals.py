"""Intervals of metrics of several classes: the values are those of the metrics."""

import numpy as np
import pytest

from lwcal.metrics import class_evaluate
from lwcal.metrics.class_intervals import class_intervals, mean_interval
from lwcal.metrics.several_classes import JudgedRows


def rows_of(n=300, seed=0):
    """Three classes with weights."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 1.0, 1.0], n)
    labels = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return JudgedRows(labels, p, rng.integers(1, 4, n).astype(float), (0, 1, 2))


def test_values_are_those_of_the_metrics():
    """Inside their intervals."""
    rows = rows_of()
    expected = class_evaluate(
        rows.labels, rows.probabilities, classes=range(3), sample_weight=rows.weights
    )
    for name, found in class_intervals(rows).items():
        assert found.value == pytest.approx(expected[name])
        assert found.low <= found.value <= found.high


def test_intervals_cover_the_mean_as_often_as_they_say():
    """Nine times in ten."""
    rng = np.random.default_rng(0)
    samples = rng.exponential(size=(1000, 200))
    found = [mean_interval(sample, np.ones(200)) for sample in samples]
    assert 0.87 < np.mean([one.low <= 1.0 <= one.high for one in found]) < 0.93


def test_weights_are_frequencies():
    """A row of weight 2 is that row twice."""
    values = np.array([0.0, 0.5, 2.0])
    twice = mean_interval(np.repeat(values, 2), np.ones(6))
    assert mean_interval(values, np.full(3, 2.0)) == pytest.approx(twice)


def test_labels_that_are_all_right():
    """Accuracy is 1, and so is the end of its interval."""
    p = np.tile([0.2, 0.7, 0.1], (50, 1))
    found = class_intervals(JudgedRows(np.full(50, 1), p, np.ones(50), (0, 1, 2)))
    assert found["accuracy"] == (1.0, 1.0, 1.0)
    assert found["top_label_ece"].value == pytest.approx(0.3)
