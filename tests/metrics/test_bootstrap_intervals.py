"""Bootstrap differences are reproducible, weighted, and have about their nominal coverage."""

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from lwcal import metrics
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import (
    bootstrap_difference,
    cell_bootstrap,
    class_brier,
    class_nll,
    paired_bootstrap,
)
from tests.multiclass.test_joint_fit import rows_of
from tests.strategies import counts, rows


def two_models(n, seed=0):
    """Labels, true probabilities, and probabilities that are too extreme."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n)
    extreme = np.clip(1.6 * truth - 0.3, 0, 1)
    return (rng.random(n) < truth).astype(int), truth, extreme


def test_paired_bootstrap_agrees_with_scipy():
    """The percentile interval of the mean, up to the noise of resampling."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.1, 1, 200), rng.normal(0, 1, 200)
    ours = paired_bootstrap(a, b, n_resamples=20_000, confidence=0.95)
    theirs = bootstrap((a - b,), np.mean, n_resamples=20_000, method="percentile", rng=1)
    assert ours.value == pytest.approx(np.mean(a - b))
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.01)


def test_paired_bootstrap_covers_the_truth_as_often_as_it_says():
    """About 90% of the intervals of 400 experiments contain the true difference."""
    rng = np.random.default_rng(5)
    hits = 0
    for seed in range(400):
        a, b = rng.exponential(1.0, 50) + 0.3, rng.exponential(1.0, 50)
        found = paired_bootstrap(a, b, n_resamples=300, confidence=0.9, random_state=seed)
        hits += found.low <= 0.3 <= found.high
    assert 0.84 <= hits / 400 <= 0.94


def test_bootstrap_difference_covers_the_truth_as_often_as_it_says():
    """The expected Brier difference is known: the mean squared change of the probability."""
    truth = np.random.default_rng(0).random(100_000)
    expected = -np.mean((np.clip(1.6 * truth - 0.3, 0, 1) - truth) ** 2)
    hits = 0
    for seed in range(120):
        found = bootstrap_difference(
            metrics.brier, *two_models(150, seed), n_resamples=150, confidence=0.9
        )
        hits += found.low <= expected <= found.high
    assert 0.8 <= hits / 120 <= 0.97


def test_intervals_shrink_with_confidence():
    """A lower level gives a narrower interval around the same estimate."""
    rng = np.random.default_rng(1)
    a, b = rng.random(40), rng.random(40)
    wide, narrow = (paired_bootstrap(a, b, confidence=c) for c in (0.99, 0.5))
    assert wide.value == narrow.value
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_exchanging_the_two_sides_changes_the_sign():
    """a - b is minus b - a, with the same resamples."""
    y_true, p, q = two_models(80)
    one = bootstrap_difference(metrics.nll, y_true, p, q, n_resamples=50)
    assert one.value == metrics.nll(y_true, p) - metrics.nll(y_true, q)
    a, b = [0.1, 0.4, 0.2], [0.3, 0.1, 0.1]
    forth, back = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert (forth.value, forth.low) == pytest.approx((-back.value, -back.high))


def test_memory_is_bounded_by_drawing_in_blocks():
    """Eight million draws would take 128 MB at once."""
    a, b = np.zeros(20_000), np.ones(20_000)
    tracemalloc.start()
    paired_bootstrap(a, b, n_resamples=400)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6


def test_the_size_of_blocks_changes_nothing(monkeypatch):
    """Blocks of any size make the same draws."""
    rng = np.random.default_rng(2)
    a, b = rng.random(30), rng.random(30)
    at_once = paired_bootstrap(a, b, n_resamples=101)
    monkeypatch.setattr(cell_bootstrap, "DRAWS_AT_ONCE", 64)
    assert paired_bootstrap(a, b, n_resamples=101) == at_once


def test_the_seed_decides():
    """A seed repeats the result, a generator advances, and None gives a new result."""
    rng = np.random.default_rng(3)
    a, b = rng.random(30), rng.random(30)
    assert paired_bootstrap(a, b) == paired_bootstrap(a, b, random_state=0)
    assert paired_bootstrap(a, b) != paired_bootstrap(a, b, random_state=1)
    shared = np.random.default_rng(0)
    first, second = (paired_bootstrap(a, b, random_state=shared) for _ in range(2))
    assert first == paired_bootstrap(a, b)
    assert first != second
    fresh = {paired_bootstrap(a, b, random_state=None).low for _ in range(3)}
    assert len(fresh) > 1


@settings(max_examples=15)
@given(data=st.data(), weighted=rows(max_size=15), seed=st.integers(0, 9))
def test_weighted_rows_are_resampled_like_repeated_rows(data, weighted, seed):
    """Neither weights in place of repetitions nor the order of rows changes the result."""
    p, y_true = weighted
    q = np.clip(p * 0.7 + 0.1, 0, 1)
    times = data.draw(counts(len(p)))
    times[:2] += 1
    rows_given = bootstrap_difference(
        metrics.brier, y_true, p, q, sample_weight=times, n_resamples=20, random_state=seed
    )
    order = np.random.default_rng(seed).permutation(times.sum())
    y_long, p_long, q_long = (np.repeat(column, times)[order] for column in (y_true, p, q))
    rows_repeated = bootstrap_difference(
        metrics.brier, y_long, p_long, q_long, n_resamples=20, random_state=seed
    )
    assert rows_given == rows_repeated


@pytest.mark.parametrize(
    "metric",
    [metrics.auc, metrics.smooth_ece, partial(metrics.ece, n_bins=5)],
    ids=["auc", "smooth_ece", "ece of 5 bins"],
)
def test_any_metric_can_be_compared(metric):
    """The estimate is the difference of the metric itself."""
    y_true, p, q = two_models(300)
    found = bootstrap_difference(metric, y_true, p, q, n_resamples=60)
    assert found.value == metric(y_true, p) - metric(y_true, q)
    assert found.low <= found.high


def test_resamples_without_a_class_are_left_out():
    """With two positives many resamples have none, and AUC has no value there."""
    y_true = [0] * 8 + [1] * 2
    p, q = np.linspace(0, 1, 10), np.linspace(1, 0, 10)
    found = bootstrap_difference(metrics.auc, y_true, p, q, n_resamples=200)
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_a_class_that_is_never_drawn_is_an_error():
    """No resample at all holds a class with hardly any weight."""
    with pytest.raises(InputError, match="both classes"):
        bootstrap_difference(
            metrics.brier, [0, 1], [0.1, 0.9], [0.2, 0.8], sample_weight=[5, 1e-12], n_resamples=5
        )


def test_a_single_class_will_do_for_metrics_that_allow_it():
    """Only classes that occur in the data must occur in a resample."""
    found = bootstrap_difference(metrics.brier, [1, 1], [0.9, 0.9], [0.5, 0.5], n_resamples=5)
    assert found.low == pytest.approx(-0.24)


def test_normalised_weights_are_refused():
    """Weights that add up to less than one row leave nothing to draw."""
    with pytest.raises(InputError, match=r"0\.2.*frequencies"):
        bootstrap_difference(
            metrics.brier, [0, 1], [0.1, 0.9], [0.2, 0.8], sample_weight=[0.1, 0.1]
        )


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([], [], "a .*empty"),
        ([[1.0]], [1.0], "a .*one-dimensional"),
        ([1.0, 2.0], [1.0], "a has 2 values but b has 1"),
        ([1.0], [np.nan], "b .*1 of 1 values"),
        (["x"], [1.0], "a .*numbers"),
    ],
)
def test_cells_are_checked(a, b, says):
    """Each wrong input is named."""
    with pytest.raises(InputError, match=says):
        paired_bootstrap(a, b)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"n_resamples": 0}, "n_resamples"),
        ({"confidence": 0}, "confidence"),
    ],
)
def test_bootstrap_options_are_checked(option, says):
    """In both functions."""
    with pytest.raises(ParameterError, match=says):
        paired_bootstrap([1.0], [2.0], **option)
    with pytest.raises(ParameterError, match=says):
        bootstrap_difference(metrics.brier, [0, 1], [0.1, 0.9], [0.2, 0.8], **option)


def test_bootstrap_rows_are_checked():
    """Errors name the columns of the call."""
    with pytest.raises(InputError, match="prob_b"):
        bootstrap_difference(metrics.brier, [0, 1], [0.1, 0.9], [0.2, 1.8])
    with pytest.raises(InputError, match=r"[12]"):
        bootstrap_difference(metrics.brier, [0, 1], [0.1, 0.9], [0.2])


def test_differences_of_several_classes():
    """The value is the difference of the metric; the interval that of paired losses."""
    p, y = rows_of(400)
    flat = 0.5 * p + 0.125
    found = bootstrap_difference(class_nll, y, p, flat, n_resamples=200)
    assert found.value == pytest.approx(class_nll(y, p) - class_nll(y, flat))
    chosen = np.arange(400), y
    losses = np.log(np.clip(flat[chosen], 1e-6, None)) - np.log(np.clip(p[chosen], 1e-6, None))
    expected = paired_bootstrap(losses, np.zeros(400))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03)
    order = np.random.default_rng(1).permutation(400)
    again = bootstrap_difference(class_nll, y[order], p[order], flat[order], n_resamples=200)
    assert tuple(again) == pytest.approx(tuple(found))


def test_classes_may_be_rare_and_columns_in_another_order():
    """A class that most resamples miss, one without labels, and frames with names."""
    p, y = rows_of(60)
    names = np.array(list("abcd"))[np.where(y == 3, 0, y)]
    names[0] = "c"
    options = {"n_resamples": 50}
    by_order = bootstrap_difference(class_brier, names, p, p[:, ::-1], classes="abcd", **options)
    a, b = (pd.DataFrame(one, columns=list("abcd")) for one in (p, p[:, ::-1]))
    by_name = bootstrap_difference(class_brier, names, a, b[list("dbca")], **options)
    assert tuple(by_name) == pytest.approx(tuple(by_order))


def test_refused_of_several_classes():
    """Options of one column, and sets that do not belong together."""
    p, y = rows_of(50)
    difference = partial(bootstrap_difference, class_brier, y)
    with pytest.raises(InputError, match="prob_b is missing"):
        difference(p)
    with pytest.raises(ParameterError, match="pos_label"):
        difference(p, p, pos_label=1)
    with pytest.raises(ParameterError, match="a column of scores for each class"):
        bootstrap_difference(class_brier, y > 1, p[:, 0], p[:, 1], classes=[0, 1])
    with pytest.raises(InputError, match="prob_b has the shape"):
        difference(p, p[:, 0])
