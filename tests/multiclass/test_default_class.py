"""Labels that are replaced whatever the true class is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import betaln, gammaln

import lwcal
from lwcal.multiclass.class_hypotheses import DEFAULT, class_hypotheses
from lwcal.multiclass.class_posterior import infer_classes
from lwcal.multiclass.default_class import ReplacedLabels
from tests.multiclass.simulated import class_rows, noisy_rows

K = 4
MODEL = ReplacedLabels(np.full(K, 1.0 / K), wrong=1.0, right=4.0, certainty=1.0)


def default_noise(k, rate, default=0):
    """A share of the labels become the default class."""
    matrix = (1.0 - rate) * np.eye(k)
    matrix[:, default] += rate
    return matrix


def some_counts():
    """Rows by true class and label."""
    return np.random.default_rng(3).gamma(2.0, 10.0, (K, K)) + 80.0 * np.eye(K)


@given(st.lists(st.floats(-1e3, 1e3), min_size=K + 1, max_size=K + 1))
def test_rows_are_shares(free):
    """Wherever a search goes, also far outside."""
    matrix = MODEL.matrix(np.array(free))
    assert np.all(matrix >= 0.0)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=1e-12)
    assert np.isfinite(MODEL.occam(np.array(free), some_counts()))


def test_the_gradient_is_that_of_prior_and_likelihood():
    """By finite differences."""
    counts, rng = some_counts(), np.random.default_rng(1)
    at = MODEL.start() + 0.3 * rng.normal(size=K + 1)

    def value(free):
        return MODEL.ascent(free, counts)[0] + (counts * np.log(MODEL.matrix(free))).sum()

    found = MODEL.ascent(at, counts)[1]
    np.testing.assert_allclose(found, approx_fprime(at, value, 1e-6), rtol=1e-3, atol=1e-3)


def test_occam_is_the_evidence_of_labels_that_are_seen_to_be_replaced():
    """A default class that is no true class shows every replacement."""
    counts = np.diag([50.0, 60.0, 70.0, 0.0])
    counts[:3, 3] = 10.0, 5.0, 15.0
    free = np.array([-1.0, -99.0, -99.0, -99.0, 15.0])
    shares = np.array([0.0, 0.0, 0.0, 30.0])
    prior = np.full(K, 0.25)
    exact = betaln(30.0 + 1.0, 180.0 + 4.0) - betaln(1.0, 4.0)
    exact += (gammaln(shares + prior) - gammaln(prior)).sum() - gammaln(31.0) + gammaln(1.0)
    likelihood = (counts[counts > 0] * np.log(MODEL.matrix(free)[counts > 0])).sum()
    assert MODEL.occam(free, counts) + likelihood == pytest.approx(exact, abs=1e-4)


@pytest.mark.parametrize("rate", [0.2, 0.4])
def test_the_default_class_is_found(rate):
    """And how many labels it replaced."""
    found = infer_classes(class_rows(4000, default_noise(5, rate, 2)), class_hypotheses(5))
    assert found.hypotheses[DEFAULT] > 0.5
    np.testing.assert_allclose(found.noise_matrix, default_noise(5, rate, 2), atol=0.06)


def test_few_rows_with_right_labels_stay_clean():
    """Three classes and 200 rows."""
    found = infer_classes(class_rows(200, np.eye(3)), class_hypotheses(3))
    assert found.probability_clean > 0.5


@pytest.mark.parametrize("seed", range(3))
def test_no_map_that_follows_a_default_class_is_deployed(seed):
    """Right scores meet labels of which 40% are the default; that was "deploy", and did harm."""
    scores, _, labels = noisy_rows(2000, default_noise(10, 0.4, seed), seed, clarity=0.3)
    verdict = lwcal.diagnose(scores, labels, methods=[], classes=range(10))
    assert verdict.recommendation.action != "deploy"
