"""Every metric accepts a ScoreTable in the place of rows, with the same result."""

import inspect
import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal import metrics
from lwcal.errors import InputError
from lwcal.metrics import corrected_classes, several_classes
from lwcal.metrics.evaluation import METRICS
from lwcal.table import ScoreTable
from tests.strategies import counts, rows

OF_SEVERAL_CLASSES = (several_classes.__name__, corrected_classes.__name__)
FUNCTIONS = {
    name: getattr(metrics, name)
    for name in metrics.__all__
    if inspect.isfunction(getattr(metrics, name))
    and not re.search("bootstrap|scorer", name)
    and getattr(metrics, name).__module__ not in OF_SEVERAL_CLASSES  # a table has two classes
}
CORRECTED = {"noise_rates": (0.03, 0.02), "n_resamples": 30}
"""Rates below the share of either label in the rows of the test, so that AUC has a value."""


def called(name, *arguments, **options):
    """Call a metric, with flip rates where it corrects for noise."""
    extra = CORRECTED if name.startswith("corrected_") else {}
    return FUNCTIONS[name](*arguments, **extra, **options)


def plain(found):
    """Turn a result into values that can be compared."""
    if not hasattr(found, "__dict__"):
        return found
    return {name: np.asarray(value).tolist() for name, value in vars(found).items()}


def test_all_metrics_are_tested():
    """The single numbers, their corrected forms, curves, parts and collections of them."""
    assert set(METRICS) < set(FUNCTIONS)
    assert sum(name.startswith("corrected_") for name in FUNCTIONS) >= 6


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=8)
@given(data=st.data(), weighted=rows(min_size=4, max_size=30))
def test_rows_and_their_table_give_the_same_result(name, data, weighted):
    """Bit for bit, intervals included."""
    scores, labels = weighted
    times = data.draw(counts(len(scores)))
    times[:2] += 1
    table = ScoreTable.from_arrays(scores, labels, times)
    if table.n_negative < 0.1 * table.n or table.n_positive < 0.1 * table.n:
        times[:2] += table.n  # more labels of each class than the flip rates would produce
        table = ScoreTable.from_arrays(scores, labels, times)
    of_rows = called(name, labels, scores, sample_weight=times)
    assert plain(called(name, table)) == plain(of_rows)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_table_comes_alone(name):
    """It already holds the probabilities, weights and classes; and rows need probabilities."""
    table = ScoreTable.from_arrays([0.2, 0.7, 0.4], [0, 1, 1])
    for options in ({"y_prob": [0.2, 0.7, 0.4]}, {"sample_weight": [1, 1, 1]}, {"pos_label": 1}):
        with pytest.raises(InputError, match=f"{next(iter(options))} .*ScoreTable"):
            called(name, table, **options)
    with pytest.raises(InputError, match="y_prob is missing"):
        called(name, [0, 1])
    with pytest.raises(InputError, match="no rows"):
        called(name, ScoreTable.from_counts([0.5], negatives=[0], positives=[0]))


@settings(max_examples=15)
@given(sample=rows(max_size=20), seed=st.integers(0, 9))
def test_bootstrap_differences_of_rows_and_of_their_table_agree(sample, seed):
    """For a table, each distinct score has one probability; the score itself by default."""
    scores, labels = sample
    table = ScoreTable.from_arrays(scores, labels)
    bootstrap = partial(metrics.bootstrap_difference, metrics.brier)
    options = {"n_resamples": 20, "random_state": seed}
    a, b = (lambda p: 0.8 * p + 0.1), (lambda p: p**2)
    of_rows = bootstrap(labels, a(scores), b(scores), **options)
    assert bootstrap(table, a(table.scores), b(table.scores), **options) == of_rows
    against_raw = bootstrap(labels, a(scores), scores, **options)
    assert bootstrap(table, a(table.scores), **options) == against_raw


def test_bootstrap_columns_must_fit_the_table():
    """One probability for each distinct score, and no second set of weights."""
    table = ScoreTable.from_arrays([0.2, 0.7, 0.7], [0, 1, 1])
    bootstrap = partial(metrics.bootstrap_difference, metrics.brier)
    with pytest.raises(InputError, match="3 values, but the table has 2"):
        bootstrap(table, [0.2, 0.7, 0.7])
    with pytest.raises(InputError, match="sample_weight"):
        bootstrap(table, [0.2, 0.7], sample_weight=[1, 1])
    with pytest.raises(InputError, match="prob_b is missing"):
        bootstrap([0, 1], [0.2, 0.7])


def test_a_calibrator_is_judged_on_a_table():
    """As on Spark, where rows are counted and never fetched."""
    table = ScoreTable.from_counts([0.1, 0.4, 0.8], negatives=[80, 30, 5], positives=[5, 30, 60])
    mapped = lwcal.Isotonic().fit_table(table).predict(table.scores)
    found = metrics.bootstrap_difference(metrics.brier, table, mapped)
    judged = ScoreTable.from_counts(mapped, table.negatives, table.positives)
    assert found.value == pytest.approx(metrics.brier(judged) - metrics.brier(table))
    assert found.low <= found.value <= 0
