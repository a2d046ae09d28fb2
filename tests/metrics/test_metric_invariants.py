"""What holds for every metric: weights, order, range, containers, errors."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal import metrics
from lwcal.errors import InputError
from lwcal.metrics.evaluation import METRICS
from tests.strategies import counts, rows

NEED_BOTH_CLASSES = ("auc", "classwise_ece", "minority_ece", "class_gap")
ANY_LABELS = tuple(name for name in METRICS if name not in NEED_BOTH_CLASSES)

OF_ONE_ROW = {
    **dict.fromkeys(("ece", "adaptive_ece", "smooth_ece"), 0.2),
    "brier": 0.04,
    "nll": -np.log(0.8),
    "macro_f1": 1.0,
}
"""Of a positive row with probability 0.8; a new metric needs no line here."""


def parts(y_true, y_prob, **options):
    """The three numbers of the Brier decomposition."""
    found = metrics.brier_decomposition(y_true, y_prob, **options)
    return [found.miscalibration, found.discrimination, found.uncertainty]


@given(data=st.data(), weighted=rows())
def test_weights_are_repetitions_in_every_metric(data, weighted):
    """A row of weight k equals that row k times, bit for bit."""
    y_prob, y_true = weighted
    times = data.draw(counts(len(y_prob)))
    times[:2] += 1  # keep both classes
    repeated = np.repeat(y_true, times), np.repeat(y_prob, times)
    of_weights = metrics.evaluate(y_true, y_prob, sample_weight=times)
    assert of_weights == metrics.evaluate(*repeated)
    assert parts(y_true, y_prob, sample_weight=times) == parts(*repeated)
    curve = metrics.reliability_curve(y_true, y_prob, sample_weight=times)
    for name, column in vars(metrics.reliability_curve(*repeated)).items():
        np.testing.assert_array_equal(getattr(curve, name), column)


@given(data=rows(), seed=st.integers(0, 99))
def test_row_order_does_not_matter_to_any_metric(data, seed):
    """Shuffled rows give the same numbers, bit for bit."""
    y_prob, y_true = data
    order = np.random.default_rng(seed).permutation(len(y_true))
    assert metrics.evaluate(y_true[order], y_prob[order]) == metrics.evaluate(y_true, y_prob)


@pytest.mark.parametrize("scale", [0.01, 0.3])
@pytest.mark.parametrize(
    "metric", [metrics.minority_ece, *(partial(metrics.adaptive_ece, n_bins=k) for k in (4, 28))]
)
def test_rounding_of_weights_decides_neither_ties_nor_edges(metric, scale):
    """Equal classes and probabilities on edges of bins, in weights that round."""
    y_prob, weight = np.linspace(0, 1, 42), np.full(42, scale)
    for seed in range(20):
        y_true = np.random.default_rng(seed).permutation(np.repeat([0, 1], 21))
        weighted = metric(y_true, y_prob, sample_weight=weight)
        assert weighted == pytest.approx(metric(y_true, y_prob))


@given(data=rows(), scale=st.sampled_from([0.01, 0.3, 7.0, 1e6]))
def test_the_scale_of_weights_does_not_matter(data, scale):
    """All metrics are means: multiplying every weight changes nothing."""
    y_prob, y_true = data
    weighted = metrics.evaluate(y_true, y_prob, sample_weight=np.full(len(y_true), scale))
    unweighted = metrics.evaluate(y_true, y_prob)
    assert weighted == pytest.approx(unweighted, abs=1e-9)


@given(data=rows())
def test_every_metric_stays_in_its_range(data):
    """All lie in [0, 1] but the log likelihood, which its clip bounds."""
    values = metrics.evaluate(data[1], data[0])
    assert 0 <= values.pop("nll") <= -np.log(1e-6) + 1e-9
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in values.values()), values


@given(data=rows())
def test_evaluate_holds_what_the_functions_return(data):
    """Each entry is named after the function that computes it."""
    y_prob, y_true = data
    for name, value in metrics.evaluate(y_true, y_prob).items():
        assert getattr(metrics, name)(y_true, y_prob) == value, name


@given(data=rows())
def test_exchanging_the_classes_keeps_symmetric_metrics(data):
    """Proper scores, AUC, F1 and smooth ECE treat both classes alike."""
    # sixteenths are mirrored exactly; 1/2 itself is moved because p >= 1/2 is not symmetric
    y_prob, y_true = np.round(data[0] * 16) / 16, data[1]
    y_prob = np.where(y_prob == 0.5, 7 / 16, y_prob)
    given_way = metrics.evaluate(y_true, y_prob)
    mirrored = metrics.evaluate(1 - y_true, 1 - y_prob)
    for name in ("brier", "nll", "auc", "macro_f1", "smooth_ece", "classwise_ece", "class_gap"):
        assert mirrored[name] == pytest.approx(given_way[name], abs=1e-9), name


def test_certain_and_right_is_perfect():
    """Probabilities 0 and 1 that come true have no error of any kind."""
    values = metrics.evaluate([0, 1, 1], [0.0, 1.0, 1.0])
    assert values.pop("auc") == values.pop("macro_f1") == 1
    assert values == pytest.approx(dict.fromkeys(values, 0), abs=2e-6)


def test_certain_and_wrong_is_as_bad_as_it_gets():
    """Probabilities 0 and 1 that never come true have all errors at their largest."""
    values = metrics.evaluate([1, 0, 0], [0.0, 1.0, 1.0])
    assert values.pop("nll") == pytest.approx(-np.log(1e-6))
    assert values.pop("auc") == values.pop("macro_f1") == values.pop("class_gap") == 0
    # opposite residuals at 0 and 1 partly cancel under a kernel as wide as the error is large
    assert 1 / 3 < values.pop("smooth_ece") < 1
    assert values == pytest.approx(dict.fromkeys(values, 1))


@pytest.mark.parametrize("name", ANY_LABELS)
def test_a_single_row_has_a_value(name):
    """One row of one class is enough where classes are not compared."""
    value = getattr(metrics, name)([1], [0.8])
    assert np.isfinite(value)
    assert value == pytest.approx(OF_ONE_ROW.get(name, value), abs=1e-9)


@pytest.mark.parametrize("name", [*NEED_BOTH_CLASSES, "evaluate"])
@pytest.mark.parametrize(("label", "missing"), [(0, "positive"), (1, "negative")])
def test_a_single_class_is_refused_where_classes_are_compared(name, label, missing):
    """The message names the metric and the class that is missing."""
    with pytest.raises(InputError, match=f"no {missing} label in 2 rows; {name} compares"):
        getattr(metrics, name)([label, label], [0.2, 0.8])


def test_equal_probabilities_are_one_bin_and_no_ranking():
    """A constant is judged by its distance from the base rate alone."""
    values = metrics.evaluate([0, 1, 1, 1], [0.5] * 4)
    assert values["ece"] == values["adaptive_ece"] == 0.25
    assert values["smooth_ece"] == pytest.approx(0.25)
    assert values["auc"] == 0.5


@pytest.mark.parametrize("container", [list, pd.Series, pl.Series, np.array])
def test_metrics_take_columns_of_every_kind(container):
    """The same rows give the same numbers whatever holds them."""
    y_true, y_prob = [0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9]
    from_container = metrics.evaluate(container(y_true), container(y_prob))
    assert from_container == metrics.evaluate(np.array(y_true), np.array(y_prob))


def test_labels_may_be_words():
    """Words need pos_label only when the positive one is not obvious."""
    y_prob = [0.1, 0.8, 0.4]
    expected = metrics.evaluate([0, 1, 1], y_prob)
    assert metrics.evaluate(["no", "yes", "yes"], y_prob) == expected
    assert metrics.evaluate(["cat", "dog", "dog"], y_prob, pos_label="dog") == expected
    with pytest.raises(InputError, match="pos_label"):
        metrics.evaluate(["cat", "dog", "dog"], y_prob)


@pytest.mark.parametrize(
    ("y_true", "y_prob", "weight", "says"),
    [
        ([0, 1], [0.1, 1.5], None, "y_prob: 1 of 2"),
        ([0, 1, 2], [0.1, 0.2, 0.3], None, "y_true: 1 of 3"),
        ([0, 1, 1], [0.1, 0.2], None, "y_true with one value"),
        ([0, 1], [0.1, 0.2], [1, -1], "sample_weight: 1 of 2"),
        ([0, 1], [0.1, 0.2], [0, 0], "a positive sample_weight"),
    ],
)
def test_errors_use_the_words_of_the_call(y_true, y_prob, weight, says):
    """Messages name y_true, y_prob and sample_weight."""
    with pytest.raises(InputError, match=says):
        metrics.brier(y_true, y_prob, sample_weight=weight)


def test_only_the_metrics_asked_for_are_computed():
    """In the order asked for, with the same values; an unknown name is refused with the list."""
    y, p = [0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9]
    some = metrics.evaluate(y, p, which=["brier", "ece"])
    assert list(some) == ["brier", "ece"]
    assert some.items() <= metrics.evaluate(y, p).items()
    with pytest.raises(ValueError, match=r"which to be one of 'ece', .*, got 'accuracy'"):
        metrics.evaluate(y, p, which=["accuracy"])
