"""Metrics with intervals, also of tables too large to draw from."""

import numpy as np
import pytest

from lwcal import metrics
from lwcal.errors import InputError
from lwcal.metrics import intervals
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable


def test_large_tables_keep_exact_values(monkeypatch, noisy_rows):
    """Only the intervals come from pooled counts, and hardly differ for it."""
    scores, labels = noisy_rows
    table = ScoreTable.from_arrays(scores, labels)
    rates = RatePosterior.known((0.2, 0.2))
    exact = intervals.trusted_intervals(table), intervals.corrected_intervals(table, rates)
    monkeypatch.setattr(intervals, "EXACT", 10)
    pooled = intervals.trusted_intervals(table), intervals.corrected_intervals(table, rates)
    for before, after in zip(exact, pooled, strict=True):
        for name in before:
            assert after[name].value == pytest.approx(before[name].value, abs=1e-12)
            assert after[name].low == pytest.approx(before[name].low, abs=0.03)
            assert after[name].high == pytest.approx(before[name].high, abs=0.03)


def test_intervals_of_trusted_labels_cover_the_true_score(monkeypatch):
    """Brier score of calibrated scores, over 40 samples, at 90%."""
    monkeypatch.setattr(intervals, "N_RESAMPLES", 100)
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(40):
        p = rng.random(300)
        found = intervals.trusted_intervals(ScoreTable.from_arrays(p, rng.random(300) < p))
        covered.append(found["brier"].low <= 1 / 6 <= found["brier"].high)
    assert np.mean(covered) >= 0.78


def test_values_are_those_of_evaluate(noisy_rows):
    """Plain calibration error included."""
    scores, labels = noisy_rows
    found = intervals.trusted_intervals(ScoreTable.from_arrays(scores, labels))
    expected = metrics.evaluate(labels, scores, which=list(found))
    assert {name: one.value for name, one in found.items()} == pytest.approx(expected)


def test_one_class_is_refused():
    """AUC has no value then."""
    with pytest.raises(InputError, match=r"no (negative|positive) label"):
        intervals.trusted_intervals(ScoreTable.from_arrays([0.1, 0.2], [0, 0]))
