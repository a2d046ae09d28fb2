"""Shared resamples give what each calibrator would find alone."""

import numpy as np
import pytest

from lwcal import Isotonic, Platt, ScoreTable
from lwcal.calibrators.crossfit import cross_predict
from lwcal.diagnosis.shared_resamples import judge_resampled
from lwcal.metrics import corrected_brier, corrected_ece, corrected_nll
from lwcal.metrics.corrected import ESTIMATORS
from lwcal.metrics.inputs import DerivedTable
from lwcal.metrics.noise_correction import estimates
from lwcal.metrics.resampling import Resampling
from lwcal.noise import RatePosterior

RESAMPLING = Resampling(0.9, n_resamples=30, random_state=0)
METRICS = {"brier": corrected_brier, "nll": corrected_nll, "ece": corrected_ece}
RATES = RatePosterior(np.array([[0.1, 0.2], [0.2, 0.1]]), np.array([0.4, 0.6]))


@pytest.fixture
def fitted(noisy_rows):
    """Two calibrators on the same rows."""
    table = ScoreTable.from_arrays(*noisy_rows)
    return [cross_predict(make, table) for make in (Platt, Isotonic)]


def test_corrected_metrics_are_those_of_the_estimators(fitted):
    """With the same seed the draws are the same, so values and intervals agree."""
    for found, judged in zip(fitted, judge_resampled(fitted, RATES, RESAMPLING), strict=True):
        table = DerivedTable(found.predicted, found.negatives, found.positives)
        chosen = {name: ESTIMATORS[name](table) for name in judged.corrected}
        expected = estimates(table, RATES, chosen, RESAMPLING)
        for name, one in judged.corrected.items():
            assert one == pytest.approx(expected[name], abs=1e-12), name


def test_values_are_those_of_the_metrics(fitted):
    """Which pool equal predictions and sort them; out-of-fold predictions are not sorted."""
    for found, judged in zip(fitted, judge_resampled(fitted, RATES, RESAMPLING), strict=True):
        assert (np.diff(found.predicted) < 0).any()
        table = ScoreTable.from_counts(found.predicted, found.negatives, found.positives)
        for name, metric in METRICS.items():
            expected = metric(table, noise_rates=RATES.mean(), n_resamples=2)
            assert judged.corrected[name].value == pytest.approx(expected.value, abs=1e-12), name


def test_other_calibrators_change_nothing(fitted):
    """Each is judged as if it were alone."""
    together = judge_resampled(fitted, RATES, RESAMPLING)
    for found, judged in zip(fitted, together, strict=True):
        (alone,) = judge_resampled([found], RATES, RESAMPLING)
        assert alone.labelled_change == pytest.approx(judged.labelled_change, abs=1e-12)
        assert alone.corrected_change == pytest.approx(judged.corrected_change, abs=1e-12)
    assert judge_resampled([], RATES, RESAMPLING) == []
