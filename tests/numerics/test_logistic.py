"""Logistic regression on pooled labels: the exact optimum, however the search starts."""

import numpy as np
import pytest
from scipy.optimize import minimize

from lwcal.numerics import logistic
from lwcal.numerics.logistic import BETA, ON_LOGITS, ON_SCORES, Targets, fit_logistic
from lwcal.table import ScoreTable

LINES = {"beta": BETA, "logits": ON_LOGITS, "scores": ON_SCORES}


def table_of(rows, seed=0):
    """Scores that are too high in the middle."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 1.1, rows)
    return ScoreTable.from_arrays(scores, rng.random(rows) < scores**1.5)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("rows", [300, 20_000])
def test_the_optimum_is_that_of_a_general_solver(backend, name, rows):
    """Found by scipy from the loss alone, within the accuracy of that solver."""
    table = table_of(rows)
    targets = Targets(0.99, 0.02)
    found = fit_logistic(LINES[name], table.columns, table.totals, targets)
    directions = LINES[name].directions[0]

    def loss(free):
        weights = free @ directions
        value, gradient, _ = backend.logistic_loss(
            *table.columns, *targets, *weights, LINES[name].of_logs
        )
        return value, directions @ gradient

    expected = minimize(loss, np.ones(len(directions)), jac=True, tol=1e-12).x @ directions
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("name", LINES)
def test_a_start_from_a_coarser_table_leads_to_the_same_optimum(backend, monkeypatch, name):
    """To eight digits."""
    table = table_of(30_000, seed=1)
    found = fit_logistic(LINES[name], table.columns, table.totals)
    monkeypatch.setattr(logistic, "MANY_SCORES", 10**9)
    expected = fit_logistic(LINES[name], table.columns, table.totals)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("name", LINES)
def test_no_slope_is_negative(backend, name):
    """Scores that rank the labels backwards give a constant."""
    table = ScoreTable.from_arrays([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0])
    a, b, c = fit_logistic(LINES[name], table.columns, table.totals)
    assert (a, b) == (0.0, 0.0)
    assert c == pytest.approx(0.0, abs=1e-9)


def test_blocks_without_weight_are_left_out():
    """A trimmed table may hold scores that nothing is left of."""
    scores = np.linspace(0.01, 0.99, 5_000)
    positives = np.where(scores > 0.5, 1.0, 0.0)
    negatives = np.where((scores > 0.2) & (scores <= 0.7), 1.0, 0.0)
    totals = (negatives.sum(), positives.sum())
    found = fit_logistic(ON_LOGITS, (scores, negatives, positives), totals)
    kept = negatives + positives > 0
    columns = (scores[kept], negatives[kept], positives[kept])
    np.testing.assert_allclose(found, fit_logistic(ON_LOGITS, columns, totals), rtol=1e-9)
