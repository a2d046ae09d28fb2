"""Rows of several classes whose labels are wrong in a known way."""

import numpy as np

from lwcal.multiclass.class_rows import ClassRows


def noisy_rows(n, noise, seed=0, *, clarity=0.2, slope=1.0):
    """Scores, true classes and labels. A smaller clarity makes clearer cases."""
    rng = np.random.default_rng(seed)
    k = len(noise)
    truth = rng.dirichlet(np.full(k, clarity), n)
    true = drawn(rng, truth)
    labels = drawn(rng, np.asarray(noise)[true])
    scores = (truth + 1e-9) ** (1.0 / slope)
    return scores / scores.sum(axis=1, keepdims=True), true, labels


def drawn(rng, chances):
    """One class for each row."""
    return (rng.random((len(chances), 1)) > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)


def even_noise(k, rate):
    """Every other label is as likely."""
    return np.full((k, k), rate / (k - 1)) + (1 - rate - rate / (k - 1)) * np.eye(k)


def next_noise(k, rate):
    """Wrong labels are the next class."""
    return (1 - rate) * np.eye(k) + rate * np.roll(np.eye(k), 1, axis=1)


def class_rows(n, noise, seed=0, **how):
    """The same as ClassRows, without the truth."""
    scores, _, labels = noisy_rows(n, noise, seed, **how)
    return ClassRows.from_arrays(scores, labels, classes=range(len(noise)))
