"""Platt scaling and beta calibration with slopes of any sign."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal_study.paper.sensitivity.unconstrained import FreeBeta, FreePlatt


def rows(seed=0, n=400):
    """Scores in (0, 1) and labels that follow them loosely."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0.02, 0.98, n).round(2)
    return scores, (rng.random(n) < scores).astype(int)


@pytest.mark.parametrize("method", [FreePlatt, FreeBeta])
def test_the_fit_is_a_logistic_regression(method):
    """As scikit-learn's, without penalty."""
    scores, y = rows()
    found = method().fit_table(lwcal.ScoreTable.from_arrays(scores, y))
    features = found.features(scores)[:, :-1]
    expected = LogisticRegression(C=1e9, tol=1e-8, max_iter=1000).fit(features, y)
    grid = np.linspace(0.05, 0.95, 19)
    theirs = expected.predict_proba(found.features(grid)[:, :-1])[:, 1]
    np.testing.assert_allclose(found.predict(grid), theirs, atol=1e-3)


def test_with_a_positive_slope_it_is_the_constrained_fit():
    """The constraint binds only where it must."""
    scores, y = rows()
    table = lwcal.ScoreTable.from_arrays(scores, y)
    grid = np.linspace(0.05, 0.95, 19)
    free, bound = FreeBeta().fit_table(table), lwcal.Beta().fit_table(table)
    np.testing.assert_allclose(free.predict(grid), bound.predict(grid), atol=1e-3)


def test_labels_that_contradict_the_scores_turn_the_ranking():
    """Which is how the paper's AUCs can fall."""
    scores, y = rows()
    table = lwcal.ScoreTable.from_arrays(scores, 1 - y)
    assert lwcal.metrics.auc(y, FreePlatt().fit_table(table).predict(scores)) < 0.5
    assert lwcal.metrics.auc(y, lwcal.Platt().fit_table(table).predict(scores)) == 0.5
