"""How many labels are wrong: intervals that hold the truth, and honesty where none can."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.noise import FlipRates, estimate_noise
from lwcal.noise.estimate import LEAST_CLEAR_SHARE, MISFIT_SENTENCE, UNKNOWN
from tests.noise.simulated import sample
from tests.strategies import counts, rows

STEEP = (1.5, 0.0)
"""Line of a model whose scores noise has pulled towards the middle."""


def test_intervals_hold_the_rates_where_they_can_be_told():
    """120 tasks of 1500 rows whose noise is as assumed, every other one symmetric.

    Slopes from 0.7 to 2, rates from 0.03 to 0.3, level 90%. Measured: 95 tasks can be told;
    their intervals hold 90% of the true rates, and the estimates are 0.014 off on average.
    """
    rng = np.random.default_rng(0)
    held, errors = [], []
    for task in range(120):
        line, rates = (rng.uniform(0.7, 2), rng.normal(0, 0.3)), rng.uniform(0.03, 0.3, 2)
        if task % 2:
            rates[1] = rates[0]
        drawn = sample(rng, 1500, line=line, rates=rates)
        found = estimate_noise(drawn.scores, drawn.noisy)
        if found.identified:
            for truth, rate in zip(rates, (found.negative, found.positive), strict=True):
                held.append(rate.low <= truth <= rate.high)
                errors.append(abs(rate.value - truth))
    assert len(held) >= 2 * 80
    assert 0.8 <= np.mean(held) <= 0.98
    assert np.mean(errors) < 0.03


@pytest.mark.parametrize(("shape", "least"), [((0.25, 0.3), 0.95), ((1, 1), 0.8)])
def test_labels_that_are_right_are_believed(shape, least):
    """Calibrated scores, clean labels, 1500 rows, ten times.

    Measured means: 0.995 for scores near 0 and 1, 0.94 for evenly spread ones.
    """
    rng = np.random.default_rng(0)
    drawn = [sample(rng, 1500, shape=shape) for _ in range(10)]
    found = [estimate_noise(one.scores, one.noisy).probability_clean for one in drawn]
    assert np.mean(found) > least
    assert min(found) > 0.5


@pytest.mark.parametrize("shape", [(0.25, 0.3), (0.15, 0.15)])
def test_noise_shows_where_scores_are_near_certain(shape):
    """A fifth of 5000 labels wrong, ten times: measured p_clean < 0.16, rates within 0.014.

    A smooth curve of right labels could look the same, so a doubt remains in any number of rows.
    """
    rng = np.random.default_rng(1)
    drawn = [sample(rng, 5000, line=STEEP, rates=(0.2, 0.2), shape=shape) for _ in range(10)]
    found = [estimate_noise(one.scores, one.noisy) for one in drawn]
    assert max(one.probability_clean for one in found) < 0.25
    for one in found:
        assert one.identified
        assert one.rates == pytest.approx((0.2, 0.2), abs=0.04)


def test_noise_on_scores_that_are_not_steeper_stays_in_doubt():
    """Where the clean posterior is the score, an overconfident model explains it as well.

    The two curves differ by less than 0.02. Measured over ten tasks of 5000 rows: 0.36 on
    average and up to 0.70, so no certainty is claimed either way.
    """
    rng = np.random.default_rng(1)
    drawn = [sample(rng, 5000, rates=(0.2, 0.2)) for _ in range(10)]
    found = [estimate_noise(one.scores, one.noisy).probability_clean for one in drawn]
    assert np.mean(found) < 0.6
    assert max(found) < 0.9


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_overlapping_classes_hide_the_rates(rate):
    """Scores from 0.3 to 0.7: a label against the score may as well be right."""
    rng = np.random.default_rng(3)
    scores = rng.uniform(0.3, 0.7, 3000)
    labels = (rng.random(3000) < scores) ^ (rng.random(3000) < rate)
    found = estimate_noise(scores, labels)
    assert found.negative.value is None
    assert found.positive.value is None
    assert found.rates is None
    assert not found.identified
    assert found.sentence.count("too few clear cases") == 2
    assert f"plausible values are {found.negative.interval}" in found.sentence
    assert found.negative.clear_cases < 0.01
    assert found.negative.high - found.negative.low > 0.1


def test_one_rate_can_be_told_without_the_other():
    """Near-certain negatives and no certain positive: r0 alone."""
    rng = np.random.default_rng(0)
    drawn = sample(rng, 6000, line=STEEP, rates=(0.1, 0.1), shape=(0.3, 2.0))
    found = estimate_noise(drawn.scores, drawn.noisy)
    assert found.negative.value == pytest.approx(0.1, abs=0.03)
    assert found.positive.value is None
    assert found.positive.clear_cases < LEAST_CLEAR_SHARE <= found.negative.clear_cases
    assert not found.identified
    assert found.sentence.count("too few clear cases") == 1


@settings(max_examples=30)
@given(data=rows())
def test_the_parts_agree_with_each_other(data):
    """For any rows: values within intervals, shares that are shares, JSON that reads back."""
    found = estimate_noise(*data)
    for rate in (found.negative, found.positive):
        assert 0 <= rate.low <= rate.high <= (1 if rate == UNKNOWN else 1 - 1e-12)
        assert (rate.value is None) == (rate.clear_cases < LEAST_CLEAR_SHARE)
        assert rate.value is None or 0 < rate.value < 1
    assert found.negative.clear_cases + found.positive.clear_cases <= 1 + 1e-9
    assert 0 <= found.probability_clean <= 1
    assert found.identified == (found.rates is not None)
    document = found.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["sentence"] == str(found) == found.sentence


def test_expected_rates_include_the_chance_of_no_noise():
    """The posterior that corrected metrics take is not the one given noise."""
    drawn = sample(np.random.default_rng(2), 400, line=STEEP, rates=(0.1, 0.1))
    found = estimate_noise(drawn.scores, drawn.noisy)
    assert 0.01 < found.probability_clean < 0.99
    overall = found.rates_posterior.mean()
    assert overall.negative == pytest.approx(
        (1 - found.probability_clean) * found.negative.value, rel=1e-6
    )
    assert found.rates == FlipRates(found.negative.value, found.positive.value)


def test_a_wider_level_gives_a_wider_interval():
    """And nothing else changes."""
    drawn = sample(np.random.default_rng(2), 1000, line=STEEP, rates=(0.1, 0.2))
    half, most = (estimate_noise(drawn.scores, drawn.noisy, confidence=c) for c in (0.5, 0.95))
    assert (half.confidence, most.confidence) == (0.5, 0.95)
    for name in ("negative", "positive"):
        narrow, wide = getattr(half, name), getattr(most, name)
        assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
        assert narrow.value == wide.value


def test_expected_rates_pull_the_estimate():
    """Stronger expectations pull harder; with few rows they win."""
    drawn = sample(np.random.default_rng(2), 300, line=STEEP, rates=(0.2, 0.2))
    knowledge = {"prior_rates": (0.02, 0.02), "prior_clean": 0.0}
    found = [
        estimate_noise(drawn.scores, drawn.noisy, **knowledge, prior_strength=strength)
        .rates_posterior.mean()
        .negative
        for strength in (1, 100, 100_000)
    ]
    assert found[0] > found[1] > found[2]
    assert found[2] == pytest.approx(0.02, abs=0.005)


@pytest.mark.parametrize(("prior_clean", "expected"), [(0, 0.0), (1, 1.0)])
def test_certainty_beforehand_is_kept(prior_clean, expected):
    """Whatever the labels say, there is an answer."""
    drawn = sample(np.random.default_rng(2), 300, line=STEEP, rates=(0.2, 0.2))
    found = estimate_noise(drawn.scores, drawn.noisy, prior_clean=prior_clean)
    assert found.probability_clean == pytest.approx(expected)
    assert isinstance(found.sentence, str)


@settings(max_examples=25)
@given(data=st.data(), weighted=rows(max_size=25))
def test_weights_are_repetitions(data, weighted):
    """A row of weight k equals that row k times."""
    scores, labels = weighted
    times = data.draw(counts(len(scores)))
    assume(len(set(np.repeat(labels, times))) == 2)
    a = estimate_noise(scores, labels, times)
    b = estimate_noise(np.repeat(scores, times), np.repeat(labels, times))
    assert a.to_dict() == b.to_dict()


@pytest.mark.parametrize("confidence", [0, 1, 90, None])
def test_confidence_is_checked(confidence):
    """A level between 0 and 1."""
    with pytest.raises(ParameterError, match="confidence to be a number between 0 and 1"):
        estimate_noise([0.2, 0.8], [0, 1], confidence=confidence)


def test_bad_calls_are_refused():
    """One class, knowledge out of range."""
    with pytest.raises(InputError, match=r"no (negative|positive) label"):
        lwcal.estimate_noise([0.2, 0.8], [1, 1])
    with pytest.raises(ParameterError, match="prior_clean to be a number from 0 to 1"):
        lwcal.estimate_noise([0.2, 0.8], [0, 1], prior_clean=2)


def test_named_classes_work():
    """Labels by name, with the positive one named."""
    drawn = sample(np.random.default_rng(2), 200)
    named = np.where(drawn.noisy == 1, "bad", "good")
    a = estimate_noise(drawn.scores, named, pos_label="bad")
    assert a.to_dict() == estimate_noise(drawn.scores, drawn.noisy).to_dict()


def test_a_table_gives_the_same_as_its_rows():
    """In the place of scores and labels."""
    drawn = sample(np.random.default_rng(2), 400, line=STEEP, rates=(0.1, 0.1))
    table = lwcal.ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    assert estimate_noise(table).to_dict() == estimate_noise(drawn.scores, drawn.noisy).to_dict()
    with pytest.raises(InputError, match="y"):
        estimate_noise(table, drawn.noisy)


def test_known_rates_need_no_clear_cases():
    """They are identified by whoever knows them."""
    rng = np.random.default_rng(3)
    scores = rng.uniform(0.3, 0.7, 500)
    found = estimate_noise(scores, rng.random(500) < scores, noise_rates=(0.1, 0.2))
    assert found.identified
    assert found.rates == pytest.approx((0.1, 0.2))
    assert (found.negative.low, found.positive.high) == (0.1, 0.2)
    assert found.negative.clear_cases < LEAST_CLEAR_SHARE


def test_where_noise_does_not_fit_no_rate_is_reported():
    """A bump in the middle: no rate, no interval, and a sentence that says so."""
    rng = np.random.default_rng(0)
    scores = np.sort(rng.uniform(0.05, 0.6, 3000))
    labels = rng.random(3000) < np.where(abs(np.arange(3000) - 1500) < 600, 0.6, 0.05)
    found = estimate_noise(scores, labels)
    assert not found.fits
    assert (found.negative, found.positive) == (UNKNOWN, UNKNOWN)
    assert (found.rates, found.identified) == (None, False)
    assert str(found) == MISFIT_SENTENCE
    assert found.to_dict()["fits"] is False
    assert found.rates_posterior.mean() == (0.0, 0.0)
    assert not any(digit in str(found.negative) for digit in "0123456789")
