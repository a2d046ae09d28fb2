"""Probabilities of opinions, against sums over all true classes, and their derivatives."""

from itertools import product
from math import prod

import numpy as np
import pytest
from scipy.optimize import check_grad

from lwcal.class_maps import ScalingMap
from lwcal.multiclass.label_noise import UnknownNoise, even_goals
from lwcal.multiclass.scaling_numbers import Layout, Numbers, ScalingPrior
from lwcal.reviews.opinion_likelihood import Emission, OpinionLikelihood
from lwcal.reviews.reviewer_noise import AllAlike, EachTheirOwn, HardPrior, ReviewerNoise
from tests.reviews.simulated import simulated_rows

NUMBERS = Numbers(0.3, np.array([0.1, -0.2, 0.1]), np.zeros(3), np.zeros((3, 3)))


def brute_force(rows, numbers, emission):
    """Log probability of every row, and its true class, by summing over everything hidden."""
    clean = ScalingMap(numbers.matrix, numbers.intercepts, 0.01).apply_unchecked(rows.scores)
    joint = np.zeros_like(clean)
    for row, k in product(range(len(clean)), range(3)):
        said = [
            (who, label)
            for place, who, label in zip(rows.rows, rows.reviewers, rows.labels, strict=True)
            if place == row
        ]
        easy = prod(
            emission.matrices[who % len(emission.matrices), k, label] for who, label in said
        )
        hard = prod(emission.hard[k, label] for _, label in said)
        joint[row, k] = clean[row, k] * ((1 - emission.share) * easy + emission.share * hard)
        if rows.truths[row] not in (-1, k):
            joint[row, k] = 0.0
    return np.log(joint.sum(axis=1)), joint / joint.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("groups", [1, 4])
def test_against_sums_over_everything_hidden(groups):
    """True classes and hard rows, of every row."""
    rng = np.random.default_rng(0)
    rows = simulated_rows(30, 3, 4, seed=1, checked=0.3)
    emission = Emission(rng.dirichlet(np.ones(3), (groups, 3)), rng.dirichlet(np.ones(3), 3), 0.3)
    point = OpinionLikelihood(rows, 0.01).at(NUMBERS, emission)
    expected, truth = brute_force(rows, NUMBERS, emission)
    assert point.log_likelihood == pytest.approx(expected)
    assert point.truth == pytest.approx(truth)
    counted = point.counts.easy.sum() + point.counts.hard.sum()
    assert counted == pytest.approx(len(rows.labels))


def noises():
    """Every kind of noise of four reviewers and three classes."""
    one = UnknownNoise(even_goals(3), np.array([1.0]), np.array([4.0]))
    free = UnknownNoise(even_goals(3), np.full(3, 1.0), np.full(3, 4.0), certainty=0.2)
    own = EachTheirOwn(0.7 * np.eye(3) + 0.1, 20.0, 4)
    for base in (AllAlike(one), AllAlike(free), own):
        yield ReviewerNoise(base)
        yield ReviewerNoise(base, HardPrior(one, 1.0, 4.0))


@pytest.mark.parametrize("noise", list(noises()), ids=repr)
def test_gradients(noise):
    """By scaling, reviewers and hard rows, against differences."""
    rows = simulated_rows(40, 3, 4, seed=2, checked=0.2)
    layout = Layout(ScalingPrior(0.7, 0.8, 0.2, 0.3), 3)
    likelihood = OpinionLikelihood(rows, 0.01)
    size = len(layout.deviations)

    def value(free):
        point = likelihood.at(layout.unpack(free[:size]), noise.emission(free[size:]))
        log_prior, _ = noise.ascent(free[size:], point.counts, rows.n)
        return float(rows.weights @ point.log_likelihood) + log_prior

    def gradient(free):
        numbers = layout.unpack(free[:size])
        point = likelihood.at(numbers, noise.emission(free[size:]))
        by_scaling = likelihood.by_scaling(point, np.exp(numbers.log_slope))
        _, by_noise = noise.ascent(free[size:], point.counts, rows.n)
        return np.concatenate([layout.pack(by_scaling) * layout.deviations, by_noise])

    at = np.random.default_rng(3).normal(0.0, 0.3, size + len(noise.start()))
    at[size:] += noise.start()
    assert check_grad(value, gradient, at) < 1e-3


def test_what_freedom_costs_is_the_evidence_of_counts():
    """With the counts as data, the evidence of a Dirichlet prior is known exactly."""
    own = EachTheirOwn(np.array([[0.5, 0.5], [0.5, 0.5]]), 2.0, 1)
    counts = np.array([[[3.0, 1.0], [0.0, 2.0]]])
    free = own.start()
    likelihood = (counts * np.log(own.matrices(free))).sum()
    # a uniform prior: 1 / (n + 1) / binomial(n, k)
    expected = np.log(1 / 5 / 4) + np.log(1 / 3)
    assert own.occam(free, counts) + likelihood == pytest.approx(expected)
