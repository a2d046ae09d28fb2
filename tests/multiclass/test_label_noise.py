"""Models of label noise: matrices of shares, gradients, and what freedom costs."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from lwcal.multiclass.label_noise import KnownNoise, UnknownNoise, even_goals, similar_goals

K = 4
EVEN = even_goals(K)
MODELS = {
    "one rate": UnknownNoise(EVEN, np.array([1.0]), np.array([4.0])),
    "a rate for each class": UnknownNoise(EVEN, np.full(K, 2.0), np.full(K, 8.0)),
    "free goals": UnknownNoise(EVEN, np.full(K, 2.0), np.full(K, 8.0), certainty=1.5),
    "free goals, one rate": UnknownNoise(EVEN, np.array([1.0]), np.array([4.0]), certainty=1.5),
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def some_counts():
    """Rows by true class and label."""
    return np.random.default_rng(3).gamma(2.0, 10.0, (K, K)) + 80.0 * np.eye(K)


@every_model
def test_rows_are_shares(model):
    """Wherever a search goes, also far outside."""
    rng = np.random.default_rng(0)
    for size in (0.1, 3.0, 1e3):
        matrix = model.matrix(size * rng.normal(size=len(model.start())))
        assert np.all(matrix >= 0.0)
        np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=1e-12)


@every_model
def test_the_gradient_is_that_of_prior_and_likelihood(model):
    """By finite differences."""
    counts, rng = some_counts(), np.random.default_rng(1)
    at = model.start() + 0.3 * rng.normal(size=len(model.start()))

    def value(free):
        return model.ascent(free, counts)[0] + (counts * np.log(model.matrix(free))).sum()

    found = model.ascent(at, counts)[1]
    np.testing.assert_allclose(found, approx_fprime(at, value, 1e-6), rtol=1e-3, atol=1e-3)


def test_occam_is_the_evidence_of_labels_that_are_seen():
    """For one rate, it is the beta-binomial probability less the likelihood."""
    from scipy.special import betaln

    model, counts = MODELS["one rate"], some_counts()
    kept = np.trace(counts)
    changed = counts.sum() - kept
    exact = betaln(changed + 1.0, kept + 4.0) - betaln(1.0, 4.0)
    for free in (np.array([-1.0]), np.array([0.5])):
        rate = 1.0 / (1.0 + np.exp(-free[0]))
        likelihood = changed * np.log(rate) + kept * np.log1p(-rate)
        assert model.occam(free, counts) + likelihood == pytest.approx(exact)


def test_more_freedom_costs_more_if_it_explains_nothing():
    """Counts that one even rate explains exactly."""
    counts = 1000.0 * (0.8 * np.eye(K) + 0.2 * EVEN)
    best = {}
    for name, model in MODELS.items():
        free = np.zeros(len(model.start()))
        free[: len(model.wrong)] = np.log(0.2 / 0.8)
        likelihood = (counts * np.log(model.matrix(free))).sum()
        best[name] = model.occam(free, counts) + likelihood
    assert best["one rate"] > best["a rate for each class"] > best["free goals"]


def test_known_noise_has_nothing_to_learn():
    """No numbers, no cost."""
    noise = KnownNoise(np.eye(3))
    assert noise.ascent(noise.start(), np.ones((3, 3)))[0] == 0.0
    assert len(noise.units(100.0)) == 0


def test_similar_classes_get_the_wrong_labels():
    """And a model without doubts says nothing, so labels go anywhere."""
    sure = np.eye(3)[[0, 1, 2, 0]]
    np.testing.assert_allclose(similar_goals(sure, np.ones(4), evenly=0.2), even_goals(3))
    doubts = np.array([[0.5, 0.4, 0.1], [0.1, 0.8, 0.1]])
    goals = similar_goals(doubts, np.ones(2), evenly=0.2)
    assert goals[0, 1] > goals[0, 2] > 0.0
    np.testing.assert_allclose(goals.sum(axis=1), 1.0)
