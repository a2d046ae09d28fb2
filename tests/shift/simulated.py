"""Rows of which the truth is known, at any base rate."""

import numpy as np
from scipy.special import expit, softmax


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


def class_rows(rng, n, shares, *, apart=2.0, moved=0.0, alike=0.0):
    """Scores of all classes, and the truth.

    ``moved`` lets rows of the first class look like the second; ``alike`` blurs the last two.
    """
    k = len(shares)
    truth = rng.choice(k, n, p=shares)
    evidence = rng.normal(size=(n, k)) + apart * np.eye(k)[truth]
    evidence[:, 1] += moved * (truth == 0)
    evidence[:, -2:] += alike * (evidence[:, -2:].mean(axis=1, keepdims=True) - evidence[:, -2:])
    return softmax(apart * evidence, axis=1), truth


def relabelled(rng, truth, noise):
    """Labels that are wrong as the noise matrix says."""
    return (rng.random((len(truth), 1)) > noise[truth].cumsum(axis=1)[:, :-1]).sum(axis=1)


def class_log_loss(probabilities, truth):
    """Mean log loss of several classes."""
    return float(-np.log(np.clip(probabilities[np.arange(len(truth)), truth], 1e-6, 1.0)).mean())
