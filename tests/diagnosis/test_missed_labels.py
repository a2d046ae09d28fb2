"""Raw scores that are right, although labels of one class are missed."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit

from lwcal import ScoreTable, diagnose
from lwcal.diagnosis.missed_labels import (
    MOST_MISSED,
    missed_if_scores_are_right,
    wrong_if_scores_are_right,
)
from tests.strategies import rows


def simulated(seed, n=6000, missed=0.0, invented=0.0, shift=0.0):
    """Scores that are right up to a shift of their logits, with labels of a class flipped."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-2.5, 1.7, n)
    truth = rng.random(n) < expit(logits)
    flipped = rng.random(n) < np.where(truth, missed, invented)
    return expit(logits + shift), (truth ^ flipped).astype(int)


@pytest.mark.parametrize("noise", [{"missed": 0.5}, {"missed": 0.3}, {"invented": 0.2}])
def test_the_missed_share_of_one_class_is_found(noise):
    """Within its sampling error, in all but the share of samples that the test is to refuse."""
    found = [
        missed_if_scores_are_right(ScoreTable.from_arrays(*simulated(seed, **noise)))
        for seed in range(10)
    ]
    rates = [rate for rate in found if rate is not None]
    assert len(rates) >= 8
    want = (noise.get("invented", 0.0), noise.get("missed", 0.0))
    assert np.mean(rates, axis=0) == pytest.approx(want, abs=0.03)


@pytest.mark.parametrize(("missed", "invented"), [(0.3, 0.02), (0.0, 0.05), (0.4, 0.0)])
def test_wrong_labels_of_both_classes_are_found(missed, invented):
    """Within their sampling errors, also where one of the rates is 0."""
    noise = {"missed": missed, "invented": invented}
    found = [
        wrong_if_scores_are_right(ScoreTable.from_arrays(*simulated(seed, **noise)))
        for seed in range(10)
    ]
    rates = [rate for rate in found if rate is not None]
    assert len(rates) >= 8
    assert np.mean(rates, axis=0) == pytest.approx((invented, missed), abs=0.02)


@given(rows(), st.floats(0.1, 10.0))
def test_both_rates_are_possible_whatever_the_rows(drawn, weight):
    """Shares from 0 to the limit; weights scale nothing."""
    scores, labels = drawn
    found = wrong_if_scores_are_right(ScoreTable.from_arrays(scores, labels))
    if found is not None:
        assert 0.0 <= min(found) <= max(found) <= MOST_MISSED
    weights = np.full(len(scores), weight)
    again = wrong_if_scores_are_right(ScoreTable.from_arrays(scores, labels, weights))
    if found is not None and again is not None:
        assert again == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize(("missed", "invented"), [(0.2, 0.0005), (0.0, 0.0005), (0.2, 0.001)])
def test_nothing_is_deployed_on_rare_positives_that_noise_nearly_doubles(missed, invented):
    """Scores are right, one row in 500 is positive, and noise of this size is hardly seen."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = rng.random(30_000) < 0.002
        logits = 2.5 * rng.normal(size=30_000) + 6.25 * (truth - 0.5) + np.log(0.002 / 0.998)
        labels = truth ^ (rng.random(30_000) < np.where(truth, missed, invented))
        advised = diagnose(expit(logits), labels.astype(int), methods=[]).recommendation
        assert advised.action in ("audit", "keep raw")
        assert "labels of 0%" not in advised.reason


@pytest.mark.parametrize("shift", [-1.0, 1.0])
def test_labels_that_contradict_right_scores_are_seen(shift):
    """Right labels of scores that are too high, or too low, with enough rows."""
    for seed in range(5):
        table = ScoreTable.from_arrays(*simulated(seed, n=20_000, shift=shift))
        assert missed_if_scores_are_right(table) is None


def test_shares_that_no_one_would_miss_are_no_reading():
    """Scores of a balanced sample, with labels of one that is not."""
    table = ScoreTable.from_counts([0.2, 0.8], negatives=[950, 800], positives=[50, 200])
    assert missed_if_scores_are_right(table) is None
    half = ScoreTable.from_counts([0.2, 0.8], negatives=[900, 600], positives=[100, 400])
    found = missed_if_scores_are_right(half)
    assert found is not None
    assert max(found) == pytest.approx(0.5)


@example((np.array([0.0, 0.0, 1.0, 0.5, 5e-324]), np.array([0, 1, 0, 0, 0])), 1.0)
@given(rows(), st.floats(0.1, 10.0))
def test_the_averages_agree_whatever_the_rows(drawn, weight):
    """One of the two rates is 0, the other at most the limit; weights scale nothing."""
    scores, labels = drawn
    found = missed_if_scores_are_right(ScoreTable.from_arrays(scores, labels))
    if found is None:
        return
    assert min(found) == 0.0
    assert max(found) <= MOST_MISSED
    assert found.negative + found.kept * np.mean(scores) == pytest.approx(np.mean(labels))


def test_missed_positives_are_not_deployed_on():
    """Labels are checked first, and until then the raw score, which is right, stays."""
    verdicts = [diagnose(*simulated(seed, missed=0.5), methods=[]) for seed in range(10)]
    advised = [found.recommendation for found in verdicts]
    assert {found.action for found in advised} <= {"audit", "keep raw"}
    vetoed = [found for found in advised if "the raw scores are right" in found.reason]
    assert vetoed
    for found in vetoed:
        assert (found.calibrator, found.second_opinions) == ("identity", None)
        assert "of the positives are wrong" in found.reason


def test_scores_that_are_too_high_are_still_calibrated():
    """Right labels of 6,000 rows tell them from missed positives."""
    actions = [
        diagnose(*simulated(s, shift=0.7), methods=[]).recommendation.action for s in range(5)
    ]
    assert actions == ["deploy"] * 5


def test_more_than_labels_needs_no_third_reading():
    """Checked labels decide, and the reading is part of the document otherwise."""
    scores, labels = simulated(0, missed=0.5)
    found = diagnose(scores, labels, methods=[]).readings
    assert found.to_dict()["missed"] == {"negative": 0.0, "positive": found.missed.positive}
    assert found.to_dict()["scores_right"]["gain"]["value"] == found.scores_right.gain.value
    checked = np.where(np.arange(len(labels)) < 50, labels, np.nan)
    assert diagnose(scores, labels, y_audited=checked, methods=[]).readings.missed is None
