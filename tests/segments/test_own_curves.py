"""Segments whose odds differ, and segments whose curve differs."""

import numpy as np
import pytest
from scipy.special import expit, logit

import lwcal
from lwcal.segments import segment_tables

LARGE, SIZE = 6000, 1500


def fitted(calibrator, *, offsets=0.0, slopes=1.0, seed=0):
    """Eight segments beside a large one whose scores are right; every second has another slope."""
    rng = np.random.default_rng(seed)
    segment = np.repeat(np.arange(9), [LARGE, *[SIZE] * 8])
    scores = rng.beta(0.6, 1.5, len(segment))
    other = segment > 0
    logits = logit(scores) * np.where(other & (segment % 2 == 0), slopes, 1.0)
    logits = logits + np.where(other, offsets, 0.0)
    labels = rng.random(len(segment)) < expit(logits)
    return lwcal.segments.fit_segments(segment_tables(scores, labels, segment), calibrator)


@pytest.mark.parametrize("method", [lwcal.Auto, lwcal.NoiseAware])
def test_a_segment_that_differs_by_its_odds_follows_them(method):
    """Auto would keep the raw score, next to which a curve gains too little."""
    scores = np.linspace(0.02, 0.98, 49)
    for seed in range(2):
        found = fitted(method(), offsets=0.35, seed=seed)
        for name in range(1, 9):
            true = expit(logit(scores) + 0.35)
            assert np.abs(found.predict(scores, np.full(49, name)) - true).max() < 0.08
        assert len(found.curves) <= 3


@pytest.mark.parametrize("method", [lwcal.Auto, lwcal.NoiseAware])
def test_a_segment_whose_curve_differs_keeps_its_own(method):
    """No odds make scores right that are far too sharp."""
    assert {2, 4, 6, 8} <= set(fitted(method(), slopes=0.4).curves)


def test_calibrators_that_make_no_choice_keep_all_curves():
    """As does a fit of every segment alone."""
    assert len(fitted(lwcal.Platt()).curves) == 9


@pytest.mark.parametrize("true", [0.2, 0.5])
def test_the_spread_of_many_segments_has_an_interval(true):
    """It is narrower than a step between the spreads that are looked at, but not of width 0."""
    rng = np.random.default_rng(3)
    segment = np.repeat(np.arange(3000), 20)
    scores = rng.beta(0.6, 1.5, len(segment))
    labels = rng.random(len(segment)) < expit(logit(scores) + rng.normal(0, true, 3000)[segment])
    spread = lwcal.segments.fit_segments(
        segment_tables(scores, labels, segment), lwcal.Identity()
    ).spread
    assert 0.02 < spread.high - spread.low < 0.12
    assert spread.low - 0.02 < true < spread.high + 0.02
