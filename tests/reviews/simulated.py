"""Rows of reviewers whose errors are known."""

import numpy as np

from lwcal.reviews.opinion_rows import OpinionRows


def matrices(rng, n_classes, reviewers, low=0.05, high=0.35):
    """Matrices of reviewers, whose error rates differ by class."""
    found = np.zeros((reviewers, n_classes, n_classes))
    for who in range(reviewers):
        for true, rate in enumerate(rng.uniform(low, high, n_classes)):
            goals = rng.dirichlet(np.ones(n_classes - 1)) if n_classes > 2 else np.ones(1)
            found[who, true] = np.insert(goals * rate, true, 1.0 - rate)
    return found


def drawn(rng, shares):
    """One class of each row, by its shares."""
    chosen = (rng.random((len(shares), 1)) > shares.cumsum(axis=1)).sum(axis=1)
    return chosen.clip(0, shares.shape[1] - 1)


def simulate(n, n_classes, reviewers, *, seed, opinions=2, hard=0.0, hard_rate=0.6, checked=0.0):
    """Rows, true classes, and the true error rates of reviewers by class."""
    rng = np.random.default_rng(seed)
    clean = rng.dirichlet(np.full(n_classes, 0.4), n).clip(1e-6)
    clean /= clean.sum(axis=1, keepdims=True)
    truth = drawn(rng, clean)
    scores = clean**0.8 * np.exp(rng.normal(0.0, 0.3, n_classes))
    scores /= scores.sum(axis=1, keepdims=True)
    own = matrices(rng, n_classes, reviewers)
    everybody = np.full((n_classes, n_classes), hard_rate / (n_classes - 1))
    np.fill_diagonal(everybody, 1.0 - hard_rate)
    rows = np.repeat(np.arange(n), opinions)
    who = np.concatenate([np.sort(rng.permutation(reviewers)[:opinions]) for _ in range(n)])
    is_hard = (rng.random(n) < hard)[rows]
    shares = np.where(is_hard[:, None], everybody[truth[rows]], own[who, truth[rows]])
    truths = np.where(rng.random(n) < checked, truth, -1)
    found = OpinionRows(
        scores,
        np.ones(n),
        truths,
        rows,
        who,
        drawn(rng, shares),
        tuple(range(n_classes)),
        tuple(f"r{number}" for number in range(reviewers)),
    )
    rates = (1.0 - hard) * (1.0 - np.diagonal(own, axis1=1, axis2=2)) + hard * hard_rate
    return found, truth, rates


def simulated_rows(n, n_classes, reviewers, **options):
    """Rows alone."""
    return simulate(n, n_classes, reviewers, **options)[0]
