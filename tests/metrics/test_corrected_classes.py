"""Corrected metrics of several classes: unbiased, with intervals, in the order of the classes."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal import metrics
from lwcal.errors import InputError, ParameterError
from lwcal.metrics.plausible_noise import N_MATRICES, estimated_noise
from lwcal.noise import RateEstimate
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows

PLAIN = {
    metrics.corrected_class_nll: metrics.class_nll,
    metrics.corrected_class_brier: metrics.class_brier,
}


@pytest.mark.parametrize("metric", PLAIN)
@given(seed=st.integers(0, 99), k=st.integers(2, 5), rate=st.sampled_from([0.0, 0.1, 0.4]))
def test_the_mean_over_all_labels_is_the_metric_of_the_true_class(metric, seed, k, rate):
    """One row of known truth, with each label as often as the noise produces it."""
    rng = np.random.default_rng(seed)
    p, true, noise = rng.dirichlet(np.ones(k)), rng.integers(k), next_noise(k, rate)
    possible = np.flatnonzero(noise[true] > 0)
    found = metric(
        possible,
        np.tile(p, (len(possible), 1)),
        noise=noise,
        classes=range(k),
        sample_weight=noise[true][possible],
    )
    expected = PLAIN[metric]([true], p[None], classes=range(k))
    assert found.value == pytest.approx(expected, abs=1e-6)


def test_right_labels_give_the_plain_metrics():
    """With the identity; the calibration error is debiased, so it is not larger."""
    p, true, _ = noisy_rows(2000, even_noise(4, 0.0))
    found = metrics.corrected_class_evaluate(true, p, noise=np.eye(4))
    plain = metrics.class_evaluate(true, p)
    for name in ("nll", "brier", "accuracy"):
        assert found[name].value == pytest.approx(plain[name])
        assert found[name].low < plain[name] < found[name].high
    assert found["top_label_ece"].value <= plain["top_label_ece"]
    for metric, name in (
        (metrics.corrected_class_nll, "nll"),
        (metrics.corrected_class_brier, "brier"),
    ):
        assert metric(true, p, noise=np.eye(4)) == found[name]


def test_two_classes_are_corrected_as_by_the_metrics_of_two():
    """The Brier score of all classes is twice that of one."""
    p, _, labels = noisy_rows(500, next_noise(2, 0.2))
    found = metrics.corrected_class_brier(labels, p, noise=next_noise(2, 0.2))
    one = metrics.corrected_brier(labels, p[:, 1], noise_rates=(0.2, 0.2))
    assert found.value == pytest.approx(2 * one.value)
    assert found.high - found.low == pytest.approx(2 * (one.high - one.low), rel=0.15)


def test_intervals_contain_the_metrics_of_the_true_classes():
    """About as often as they say, at a known matrix."""
    noise, hits = even_noise(3, 0.3), {"nll": 0, "brier": 0, "accuracy": 0, "top_label_ece": 0}
    for seed in range(60):
        p, _, labels = noisy_rows(400, noise, seed, clarity=0.6)
        found = metrics.corrected_class_evaluate(labels, p, noise=noise, classes=range(3))
        # the expected value of each metric, as true classes were drawn from these probabilities
        expected = {
            "nll": -(p * np.log(np.clip(p, 1e-6, None))).sum(axis=1).mean(),
            "brier": (1.0 - (p**2).sum(axis=1)).mean(),
            "accuracy": p.max(axis=1).mean(),
            "top_label_ece": 0.0,
        }
        for name, value in expected.items():
            hits[name] += found[name].low <= value + 1e-9 and value <= found[name].high
    assert min(hits.values()) >= 48  # nine of ten are expected; fewer happen once in 200 times


@pytest.fixture(scope="module")
def estimated():
    """Rows with their noise estimate, of classes that are not in sorted order."""
    p, true, labels = noisy_rows(3000, next_noise(3, 0.2))
    names = np.array(["low", "mid", "high"])
    estimate = lwcal.estimate_noise(p, names[labels], classes=list(names))
    return p, names[true], names[labels], estimate


def test_estimates_and_calibrators_are_taken(estimated, tmp_path):
    """The share of wrong labels is uncertain, so the interval is wider than at a known matrix."""
    p, true, labels, estimate = estimated
    found = metrics.corrected_class_brier(labels, p, noise=estimate)
    known = metrics.corrected_class_brier(
        labels, p, noise=estimate.expected_matrix, classes=estimate.classes
    )
    assert found.value == pytest.approx(known.value)
    assert found.high - found.low > known.high - known.low
    assert found.low <= metrics.class_brier(true, p, classes=estimate.classes) <= found.high
    calibrator = lwcal.NoiseAware().fit(p, labels, classes=["low", "mid", "high"])
    lwcal.save(calibrator, tmp_path / "c.json")
    for one in (calibrator, lwcal.load(tmp_path / "c.json")):
        assert metrics.corrected_class_brier(labels, p, noise=one).value == pytest.approx(
            found.value
        )


def test_columns_are_those_of_the_estimate(estimated):
    """By their names if they have them, or else in its order; never in sorted order."""
    p, _, labels, estimate = estimated
    correct = partial(metrics.corrected_class_nll, labels, noise=estimate)
    expected = correct(p)
    frame = pd.DataFrame(p, columns=["low", "mid", "high"])[["high", "low", "mid"]]
    assert tuple(correct(frame)) == pytest.approx(tuple(expected))
    other = pd.DataFrame(p, columns=["p_low", "p_mid", "p_high"])
    assert correct(other) == expected
    turned = correct(p[:, ::-1], classes=["high", "mid", "low"])
    assert tuple(turned) == pytest.approx(tuple(expected))


def test_plausible_matrices_follow_the_estimate(estimated):
    """No wrong label as often as that is probable; otherwise around the expected matrix."""
    *_, estimate = estimated
    half = replace(estimate, probability_clean=0.5)
    found = estimated_noise(half, estimate.classes)
    clean = [np.allclose(one, np.eye(3)) for one in found.plausible]
    assert len(clean) == N_MATRICES
    assert abs(sum(clean) - N_MATRICES / 2) <= 1
    rates = [1.0 - np.diagonal(np.linalg.inv(one)).mean() for one in found.plausible]
    assert np.mean(rates) == pytest.approx(0.1, abs=0.02)
    hidden = replace(estimate, matrix=np.full((3, 3), 1 / 3), probability_clean=0.0)
    with pytest.raises(ParameterError, match="inverse"):
        estimated_noise(hidden, estimate.classes)


def test_a_share_that_is_not_identified_makes_wide_intervals(estimated):
    """It may be anything."""
    p, _, labels, estimate = estimated
    estimate = replace(estimate, probability_clean=0.0)
    unsure = replace(estimate, wrong=RateEstimate(None, 0.0, 1.0, 0.0))
    wide, narrow = (metrics.corrected_class_nll(labels, p, noise=one) for one in (unsure, estimate))
    assert wide.value == narrow.value
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_weights_are_frequencies():
    """A row of weight 2 counts twice."""
    p, _, labels = noisy_rows(100, even_noise(3, 0.2))
    times = np.random.default_rng(0).integers(1, 4, 100)
    options = {"noise": even_noise(3, 0.2), "classes": range(3)}
    weighted = metrics.corrected_class_evaluate(labels, p, sample_weight=times, **options)
    repeated = metrics.corrected_class_evaluate(
        np.repeat(labels, times), np.repeat(p, times, axis=0), **options
    )
    for name, found in weighted.items():
        assert tuple(found) == pytest.approx(tuple(repeated[name]))


def test_refused(estimated):
    """Noise of another kind, of other classes, or that hides the classes."""
    p, _, labels, estimate = estimated
    correct = partial(metrics.corrected_class_brier, labels)
    with pytest.raises(ParameterError, match=r"got Temperature with NoneType.*estimate_noise"):
        correct(p, noise=lwcal.Temperature().fit(p, labels))
    with pytest.raises(ParameterError, match="got NoiseEstimate"):
        correct(p, noise=lwcal.estimate_noise(p[:, 0], labels == "low"))
    with pytest.raises(ParameterError, match=r"shape \(3, 3\)"):
        correct(p, noise=np.eye(4))
    with pytest.raises(ParameterError, match="inverse"):
        correct(p, noise=np.full((3, 3), 1 / 3))
    with pytest.raises(InputError, match="2 columns"):
        correct(p[:, :2] / p[:, :2].sum(axis=1, keepdims=True), noise=estimate)
    with pytest.raises(ParameterError, match="'top' is another"):
        metrics.corrected_class_brier(
            np.where(labels == "mid", "top", labels),
            p,
            noise=estimate,
            classes=["low", "top", "high"],
        )
