"""Intervals of corrected metrics have their nominal coverage, with known and uncertain rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.metrics import (
    corrected_brier,
    corrected_ece,
    corrected_evaluate,
    corrected_reliability_curve,
)
from lwcal.noise import RatePosterior
from tests.metrics.simulated import RATES, expected_values, flipped, too_extreme
from tests.strategies import rows

NAMES = ("brier", "nll", "auc", "ece")
VAGUE = RatePosterior(
    [(0.2 + a, 0.1 + b) for a in (-0.1, 0, 0.1) for b in (-0.1, 0, 0.1)], np.full(9, 1 / 9)
)
"""Uncertain rates with the same mean."""


def test_intervals_cover_the_truth_as_often_as_they_say():
    """About 90% of the intervals over 75 samples, and no fewer for the calibration error.

    Two standard errors of 75 samples are 0.07.
    """
    truth = expected_values()
    rng = np.random.default_rng(5)
    hits = dict.fromkeys(NAMES, 0)
    for _ in range(75):
        p, y = too_extreme(600, rng)
        found = corrected_evaluate(
            flipped(y, rng), p, noise_rates=RATES, n_resamples=100, random_state=rng
        )
        for name, one in found.items():
            hits[name] += one.low <= truth[name] <= one.high
    for name in ("brier", "nll", "auc"):
        assert 0.82 <= hits[name] / 75 <= 0.97, (name, hits)
    assert hits["ece"] / 75 >= 0.85


def test_a_calibrated_model_may_have_no_error():
    """The interval of the calibration error nearly always begins at 0 or close to it."""
    rng = np.random.default_rng(6)
    starts = 0
    for _ in range(40):
        p = np.round(rng.random(600), 2)
        y_noisy = flipped((rng.random(600) < p).astype(int), rng)
        starts += corrected_ece(y_noisy, p, noise_rates=RATES, n_resamples=100).low < 0.005
    assert starts >= 34


def test_curve_intervals_cover_the_truth_as_often_as_they_say():
    """Over all bins of 60 samples, with 12 rows in some and 60 in others."""
    rng = np.random.default_rng(7)
    hits = []
    for _ in range(60):
        p, y = too_extreme(400, rng, bins=10)
        curve = corrected_reliability_curve(
            flipped(y, rng), p, noise_rates=RATES, n_bins=10, random_state=rng, n_resamples=200
        )
        inner = curve.predicted < 0.9  # the last bin holds two probabilities
        truth = 0.15 + 0.7 * curve.predicted
        hits.extend(((curve.lower <= truth) & (truth <= curve.upper))[inner])
    assert 0.86 <= np.mean(hits) <= 0.98


def test_a_correct_posterior_has_its_nominal_coverage():
    """True rates are drawn from the posterior each time. Treating its mean as known fails."""
    truth = expected_values()["brier"]
    rng = np.random.default_rng(14)
    hits = np.zeros(2)
    for _ in range(60):
        p, y = too_extreme(2000, rng)
        y_noisy = flipped(y, rng, VAGUE.draw(1, rng)[0])
        for way, noise in enumerate((VAGUE, VAGUE.mean())):
            found = corrected_brier(y_noisy, p, noise_rates=noise, n_resamples=90, random_state=rng)
            hits[way] += found.low <= truth <= found.high
    uncertain, pretended = hits / 60
    assert 0.82 <= uncertain <= 1.0
    assert pretended < 0.75


def test_uncertain_rates_widen_every_interval():
    """The values stay about the same."""
    rng = np.random.default_rng(8)
    p, y = too_extreme(3000, rng)
    y_noisy = flipped(y, rng)
    certain, uncertain = (
        corrected_evaluate(y_noisy, p, noise_rates=noise) for noise in (RATES, VAGUE)
    )
    for name in NAMES:
        assert uncertain[name].value == pytest.approx(certain[name].value)
        wide, narrow = (one[name].high - one[name].low for one in (uncertain, certain))
        assert wide > 1.3 * narrow, name
    narrow, wide = (
        corrected_reliability_curve(y_noisy, p, noise_rates=noise) for noise in (RATES, VAGUE)
    )
    assert (wide.upper - wide.lower).mean() > 1.3 * (narrow.upper - narrow.lower).mean()


@given(
    data=rows(),
    rates=st.sampled_from([(0.0, 0.0), RATES, (0.0, 0.3), (0.3, 0.3)]),
    seed=st.integers(0, 9),
)
def test_intervals_hold_their_value(data, rates, seed):
    """For any rows; and the curve stays within [0, 1]."""
    p, y = data
    options = {"n_resamples": 8, "random_state": seed}
    for one in corrected_evaluate(
        y, p, noise_rates=rates, which=["brier", "nll", "ece"], **options
    ).values():
        assert one.low <= one.value <= one.high
    curve = corrected_reliability_curve(y, p, noise_rates=rates, **options)
    assert (curve.lower >= 0).all()
    assert (curve.lower <= curve.observed).all()
    assert (curve.observed <= curve.upper).all()
    assert (curve.upper <= 1).all()
    assert curve.weight.sum() == len(p)


def test_more_confidence_is_a_wider_interval():
    """The value does not change."""
    rng = np.random.default_rng(9)
    p, y = too_extreme(500, rng)
    narrow, wide = (
        corrected_evaluate(flipped(y, np.random.default_rng(0)), p, noise_rates=RATES, confidence=c)
        for c in (0.5, 0.99)
    )
    for name in NAMES:
        assert narrow[name].value == wide[name].value
        assert wide[name].low <= narrow[name].low <= narrow[name].high <= wide[name].high
        assert wide[name].high - wide[name].low > narrow[name].high - narrow[name].low
