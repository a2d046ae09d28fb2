"""The regression of the truth on score and label."""

import numpy as np
import pytest
from scipy.special import expit, logit

from lwcal import ScoreTable
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.checked.truth import TruthDraws, learn_truth, usual_intercept


def checked_rows(rng, n, *, slope, intercept, trust):
    """Rows whose truth follows the regression, with labels at random."""
    scores, noisy = rng.uniform(0.02, 0.98, n), rng.integers(0, 2, n)
    linear = slope * logit(scores) + intercept + trust * (2 * noisy - 1)
    return CheckedTable.from_codes(scores, noisy, rng.random(n) < expit(linear))


def test_many_rows_give_the_regression_back():
    """Twenty thousand checked rows: slope, intercept and trust within a tenth."""
    truth = {"slope": 0.7, "intercept": -0.4, "trust": 1.3}
    checked = checked_rows(np.random.default_rng(0), 20_000, **truth)
    found = learn_truth(checked, checked.labels, 1e-6)
    mean = [found.weights @ part for part in (found.slopes, found.intercepts, found.trusts)]
    assert mean == pytest.approx(list(truth.values()), abs=0.1)


@pytest.mark.parametrize("n", [1, 2, 30])
def test_few_or_one_sided_rows_leave_it_open(n):
    """All labels right, or all wrong: finite, monotone, and short of certainty."""
    scores, noisy = np.linspace(0.1, 0.9, n), np.arange(n) % 2
    for true in (noisy, 1 - noisy):
        checked = CheckedTable.from_codes(scores, noisy, true)
        found = learn_truth(checked, checked.labels, 0.01)
        assert found.weights.sum() == pytest.approx(1)
        assert np.isfinite(found.log_evidence)
        grid = np.linspace(0, 1, 101)
        positive, negative = (found.weights @ found.truth_given_label(grid, k) for k in (1, 0))
        assert (np.diff(positive) >= 0).all()
        assert (np.diff(negative) >= 0).all()
        assert (positive >= negative).all()
        assert ((positive < 1) & (negative > 0)).all()


def test_beforehand_there_are_as_many_true_positives_as_positive_labels():
    """Also where they are rare, so that one checked row does not make many."""
    rng = np.random.default_rng(0)
    scores = expit(rng.normal(-5, 1, 5000))
    labels = ScoreTable.from_arrays(scores, (rng.random(5000) < 0.02).astype(int))
    intercept = usual_intercept(labels, 1e-4)
    assert intercept < 1
    checked = CheckedTable.from_codes(scores[:1], np.zeros(1), np.zeros(1))
    found = learn_truth(checked, labels, 1e-4)
    share = labels.positives / (labels.positives + labels.negatives)
    weight = (labels.positives + labels.negatives) / labels.n
    expected = found.weights @ found.clean_probability(labels.scores, share) @ weight
    assert 0.01 < expected < 0.05


def test_class_conditional_noise_is_a_special_case():
    """Bayes' rule for rates (r0, r1) is the regression with trust half the log odds ratio."""
    rates, line = (0.1, 0.3), (1.2, 0.4)
    scores = np.linspace(0.05, 0.95, 19)
    clean = expit(line[0] * logit(scores) + line[1])
    trust = 0.5 * (logit(1 - rates[0]) + logit(1 - rates[1]))
    shift = 0.5 * (np.log((1 - rates[1]) * rates[1]) - np.log((1 - rates[0]) * rates[0]))
    for label, sign in ((1, 1), (0, -1)):
        given_positive = 1 - rates[1] if label else rates[1]
        given_negative = rates[0] if label else 1 - rates[0]
        bayes = clean * given_positive / (clean * given_positive + (1 - clean) * given_negative)
        linear = line[0] * logit(scores) + line[1] + shift + sign * trust
        np.testing.assert_allclose(bayes, expit(linear))


def test_averages_are_those_of_the_draws():
    """Without a matrix of draws and scores, to rounding."""
    rng = np.random.default_rng(0)
    columns = (rng.normal(size=40) for _ in range(2))
    weights = rng.random(40)
    draws = TruthDraws(rng.random(40), *columns, weights / weights.sum(), 0.0, 1e-3)
    scores, labelled = np.linspace(0.0, 1.0, 21), rng.random(21)
    for label in (0, 1):
        expected = draws.weights @ draws.truth_given_label(scores, label)
        np.testing.assert_allclose(draws.average_truth(scores, label), expected, rtol=1e-12)
    expected = draws.weights @ draws.clean_probability(scores, labelled)
    np.testing.assert_allclose(draws.average_clean(scores, labelled), expected, rtol=1e-12)
