"""Corrected metrics: unbiased, equal to the ordinary ones without noise, and well explained."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lwcal import metrics
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import (
    corrected_auc,
    corrected_brier,
    corrected_ece,
    corrected_evaluate,
    corrected_nll,
    corrected_reliability_curve,
)
from lwcal.metrics.gaps import unfold
from lwcal.noise import RatePosterior, class_contamination
from tests.metrics.simulated import RATES, expected_values, flipped, too_extreme
from tests.strategies import counts, rows

NAMES = ("brier", "nll", "auc", "ece")
FUNCTIONS = {
    "brier": corrected_brier,
    "nll": corrected_nll,
    "auc": corrected_auc,
    "ece": corrected_ece,
    "evaluate": corrected_evaluate,
    "curve": corrected_reliability_curve,
}
value_only = partial(corrected_evaluate, n_resamples=1)
few_rates = st.sampled_from([(0.0, 0.0), RATES, (0.0, 0.3), (0.3, 0.3)])


@pytest.mark.parametrize("rates", [RATES, (0.05, 0.35), (0.3, 0.3)])
def test_the_mean_over_flips_is_the_clean_metric(rates):
    """Rows and true labels fixed, labels flipped 300 times; within four standard errors."""
    rng = np.random.default_rng(0)
    p, y = too_extreme(400, rng)
    clean = metrics.evaluate(y, p)
    found = [value_only(flipped(y, rng, rates), p, rates) for _ in range(300)]
    for name in ("brier", "nll", "auc"):
        values = np.array([one[name].value for one in found])
        error = values.std() / np.sqrt(len(values))
        ratio_bias = 0.002 if name == "auc" else 0.0  # AUC divides by counts that vary too
        assert values.mean() == pytest.approx(clean[name], abs=4 * error + ratio_bias), name


def test_rates_the_wrong_way_round_are_noticed():
    """The check above could not fail if r0 and r1 were exchanged without effect."""
    rng = np.random.default_rng(0)
    p, y = too_extreme(20_000, rng)
    y_noisy = flipped(y, rng, (0.05, 0.35))
    clean = metrics.evaluate(y, p)
    right, wrong = (
        value_only(y_noisy, p, rates, which=["brier", "nll", "ece"])
        for rates in [(0.05, 0.35), (0.35, 0.05)]
    )
    for name in right:
        assert abs(right[name].value - clean[name]) < 0.02 < abs(wrong[name].value - clean[name])


@given(data=rows(), rates=few_rates)
def test_losses_are_those_of_natarajan(data, rates):
    """Equation 1 of the paper, row by row."""
    p, y = data
    own, other = np.where(y == 1, rates[1], rates[0]), np.where(y == 1, rates[0], rates[1])
    kept = 1 - sum(rates)
    clipped = np.clip(p, 1e-6, 1 - 1e-6)
    losses = {
        "brier": ((y - p) ** 2, (1 - y - p) ** 2),
        "nll": [-np.log(np.where(z == 1, clipped, 1 - clipped)) for z in (y, 1 - y)],
    }
    for name, (of_label, of_opposite) in losses.items():
        expected = np.mean(((1 - other) * of_label - own * of_opposite) / kept)
        found = FUNCTIONS[name](y, p, rates, n_resamples=1)
        assert found.value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(data=rows(min_size=12))
def test_auc_is_that_of_menon(data):
    """The noisy value moved away from one half, by what the base rate of the labels implies."""
    (p, y), rates = data, (0.04, 0.02)  # below the share of the labels set here
    y[:6] = [0, 1, 0, 1, 0, 1]
    alpha, beta = class_contamination(y.mean(), rates)
    expected = 0.5 + (metrics.auc(y, p) - 0.5) / (1 - alpha - beta)
    found = corrected_auc(y, p, rates, n_resamples=60)
    assert found.value == pytest.approx(np.clip(expected, 0, 1), abs=1e-9)


@given(data=rows())
def test_without_noise_they_are_the_ordinary_metrics(data):
    """Rates of 0; the calibration error when it is not debiased, and the curve's points."""
    p, y = data
    ordinary = metrics.evaluate(y, p, which=NAMES)
    for name in ("brier", "nll"):
        assert FUNCTIONS[name](y, p, (0, 0), n_resamples=1).value == ordinary[name]
    assert corrected_auc(y, p, (0, 0), n_resamples=20).value == ordinary["auc"]
    plain = corrected_ece(y, p, (0, 0), debias=False, n_resamples=1)
    assert plain.value == pytest.approx(ordinary["ece"], abs=1e-12)
    curve = metrics.reliability_curve(y, p)
    corrected = corrected_reliability_curve(y, p, (0, 0), n_resamples=2)
    for name in ("predicted", "observed", "weight"):
        np.testing.assert_allclose(getattr(corrected, name), getattr(curve, name), atol=1e-15)


def test_the_calibration_error_is_near_the_true_one():
    """100 samples: off by 0.02 on average, where noisy labels are off by more than 0.05."""
    true_error = expected_values()["ece"]
    rng = np.random.default_rng(3)
    found, noisy = [], []
    for _ in range(100):
        p, y = too_extreme(1000, rng)
        y_noisy = flipped(y, rng)
        found.append(corrected_ece(y_noisy, p, RATES, n_resamples=1).value)
        noisy.append(metrics.ece(y_noisy, p))
    assert np.mean(found) == pytest.approx(true_error, abs=0.02)
    assert abs(np.mean(noisy) - true_error) > 0.05


def test_debiasing_takes_away_most_of_what_sampling_adds():
    """A calibrated model: the plain error is all noise, and a third or more of it goes."""
    rng = np.random.default_rng(4)
    values = {True: [], False: []}
    for _ in range(60):
        p = rng.random(1000)
        y_noisy = flipped((rng.random(1000) < p).astype(int), rng)
        for debias, found in values.items():
            found.append(corrected_ece(y_noisy, p, RATES, debias=debias, n_resamples=1).value)
    assert np.mean(values[True]) < 0.67 * np.mean(values[False])
    assert (np.array(values[True]) <= np.array(values[False])).all()


@given(distance=st.floats(0, 10), error=st.floats(0.01, 3))
def test_unfolding_undoes_the_mean_of_the_folded_normal(distance, error):
    """To within a thousandth of the error, against numerical integration."""
    z = np.linspace(-9, 9, 20_001)
    density = np.exp(-(z**2) / 2)
    mean = np.average(np.abs(distance + error * z), weights=density)
    found = unfold(np.array([mean]), np.array([error]))[0]
    # near 0 the mean hardly moves with the distance: a rounding of it is a step there
    assert found == pytest.approx(distance, abs=2e-3 * error)
    assert unfold(np.array([0.79 * error]), np.array([error]))[0] == 0


@settings(max_examples=20)
@given(data=st.data(), weighted=rows(max_size=20), seed=st.integers(0, 9))
def test_weights_are_repetitions_and_order_plays_no_part(data, weighted, seed):
    """Bit for bit, intervals included."""
    p, y = weighted
    times = data.draw(counts(len(p)))
    times[:2] += 1
    order = np.random.default_rng(seed).permutation(times.sum())
    repeated = np.repeat(y, times)[order], np.repeat(p, times)[order]
    options = {"n_resamples": 10, "random_state": seed}
    for function in (corrected_brier, corrected_nll, corrected_ece):
        given_weights = function(y, p, RATES, sample_weight=times, **options)
        assert given_weights == function(*repeated, RATES, **options)
    curve = corrected_reliability_curve(y, p, RATES, sample_weight=times, **options)
    for name, column in vars(corrected_reliability_curve(*repeated, RATES, **options)).items():
        np.testing.assert_array_equal(getattr(curve, name), column)


def test_noise_may_be_a_pair_a_belief_or_what_holds_one():
    """All the same when the rates are known."""
    rng = np.random.default_rng(10)
    p, y = too_extreme(200, rng)
    known = RatePosterior.known(RATES)
    holder = SimpleNamespace(rates_posterior=known)
    of_pair, *others = (
        corrected_evaluate(y, p, noise, n_resamples=20)
        for noise in (RATES, list(RATES), known, holder)
    )
    assert all(other == of_pair for other in others)


def test_evaluate_holds_what_the_functions_return():
    """Each entry is named after its function; only those asked for, in that order."""
    rng = np.random.default_rng(11)
    p, y = too_extreme(200, rng)
    options = {"n_resamples": 20, "random_state": 3}
    found = corrected_evaluate(y, p, RATES, **options)
    assert tuple(found) == NAMES
    for name, one in found.items():
        assert FUNCTIONS[name](y, p, RATES, **options) == one
    some = corrected_evaluate(y, p, RATES, which=["ece", "brier"], **options)
    assert list(some.items()) == [("ece", found["ece"]), ("brier", found["brier"])]


def test_words_may_be_labels():
    """With pos_label where it is not obvious."""
    p, y = too_extreme(100, np.random.default_rng(12))
    words = np.array(["cat", "dog"])[y]
    found = corrected_evaluate(words, p, (0.05, 0.02), pos_label="dog", n_resamples=10)
    assert found == corrected_evaluate(y, p, (0.05, 0.02), n_resamples=10)


def test_the_seed_decides():
    """An int repeats itself, None is fresh."""
    p, y = too_extreme(100, np.random.default_rng(13))
    first, again, other = (corrected_brier(y, p, RATES, random_state=s) for s in (1, 1, 2))
    assert first == again != other
    assert len({corrected_brier(y, p, RATES, random_state=None).low for _ in range(3)}) > 1


def test_losses_may_leave_their_range():
    """Fewer positives than noise alone would make: an estimate below 0 is not clipped."""
    assert corrected_brier([0] * 50, [0.0] * 50, (0.3, 0.1)).value < 0
    assert corrected_reliability_curve([0] * 50, [0.0] * 50, (0.3, 0.1)).observed.tolist() == [0]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "says"),
    [
        (([0, 1], [0.1, 0.9], (0.6, 0.4)), {}, ParameterError, "add up to less than 1"),
        (([0, 1], [0.1, 0.9], 0.2), {}, ParameterError, "flip rates to be a pair"),
        (([0, 1], [0.1, 1.9], RATES), {}, InputError, "probabilities: 1 of 2"),
        (([0, 1, 2], [0.1, 0.2, 0.3], RATES), {}, InputError, "y: 1 of 3"),
        (([0, 1, 1], [0.1, 0.2], RATES), {}, InputError, "y with one value"),
        (([0, 1], [0.1, 0.9], RATES), {"confidence": 1}, ParameterError, "confidence to be"),
        (([0, 1], [0.1, 0.9], RATES), {"n_resamples": 0}, ParameterError, "n_resamples to be"),
    ],
)
def test_errors_use_the_words_of_the_call(name, arguments, options, error, says):
    """In every function."""
    with pytest.raises(error, match=says):
        FUNCTIONS[name](*arguments, **options)


def test_options_of_single_metrics_are_checked():
    """Clip, bins, strategy and names."""
    rows_and_noise = [0, 1], [0.1, 0.9], RATES
    for function, option, says in (
        (corrected_nll, {"clip": 0.5}, "clip to be a number between 0 and 0.5"),
        (corrected_ece, {"n_bins": 0}, "n_bins to be a whole number"),
        (corrected_reliability_curve, {"n_bins": 0}, "n_bins to be a whole number"),
        (corrected_reliability_curve, {"strategy": "x"}, "strategy to be one of"),
        (corrected_evaluate, {"which": ["macro_f1"]}, "which to be one of 'brier', 'nll'"),
    ):
        with pytest.raises(ParameterError, match=says):
            function(*rows_and_noise, **option)


@pytest.mark.parametrize("y", [[0] * 9 + [1], [1] * 9 + [0], [1] * 10])
def test_auc_needs_more_of_each_class_than_noise_makes(y):
    """Else one true class is empty, as far as the labels say."""
    with pytest.raises(
        InputError, match=r"positive labels between 0\.2 and 0\.9, .*got (0\.1|0\.9|1)"
    ):
        corrected_auc(y, np.linspace(0, 1, 10), (0.2, 0.1 + 1e-9))


def test_auc_leaves_out_resamples_without_a_class():
    """Some draws have too few positives for the rates, and the rest make the interval."""
    y = [1, 1, 1] + [0] * 7
    found = corrected_auc(y, np.linspace(1, 0, 10), (0.2, 0.0), n_resamples=60)
    assert 0 <= found.low <= found.value <= found.high <= 1
    with pytest.raises(InputError, match="a resample in which the metric has a value, got none"):
        corrected_auc([0, 1], [0.1, 0.9], (0, 0), sample_weight=[5, 1e-12], n_resamples=5)
