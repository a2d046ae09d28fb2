"""Rows of which the truth is known, at any base rate."""

import numpy as np
from scipy.special import expit


def rows(rng, n, base_rate, *, separation=2.0, moved=0.0):
    """Scores of a model, and the truth; ``moved`` shifts the scores of the negatives."""
    truth = rng.random(n) < base_rate
    evidence = rng.normal(size=n) + separation * (truth - 0.5) + moved * ~truth
    return expit(separation * evidence + 0.3), truth


def flipped(rng, truth, r0, r1):
    """Labels of which a share of each class is wrong."""
    draw = rng.random(len(truth))
    return np.where(truth, draw >= r1, draw < r0)


def log_loss(probability, truth):
    """Mean log loss."""
    clipped = np.clip(probability, 1e-6, 1.0 - 1e-6)
    return float(-np.log(np.where(truth, clipped, 1.0 - clipped)).mean())


def odds(probability):
    """Odds of probabilities."""
    return probability / np.maximum(1.0 - probability, 1e-300)
