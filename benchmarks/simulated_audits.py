"""Simulated tables of noisy labels with a planned audit. The truth is known."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

import lwcal


class Audit(NamedTuple):
    """Rows with checked labels, and the truth that is unknown in practice."""

    scores: np.ndarray
    noisy: np.ndarray
    truth: np.ndarray
    audited: np.ndarray
    probability: np.ndarray
    posterior: np.ndarray
    rates: tuple[float, float]
    wrong: float


def draw_audit(seed, n=2000, budget=60):
    """Draw map, noise and rows. Flip rates depend on the class and, for odd seeds, on the score."""
    rng = np.random.default_rng(seed)
    z = rng.normal(rng.normal(), rng.uniform(1, 2.5), n)
    if seed % 2 == 0:
        clean = expit(np.exp(rng.normal(0, 0.5)) * z + rng.normal(0, 0.7))
        r0, r1 = np.full((2, n), rng.uniform(0, 0.3, (2, 1)))
        truth = rng.random(n) < clean
        noisy = np.where(truth, rng.random(n) > r1, rng.random(n) < r0)
    else:
        share = expit(np.exp(rng.normal(0, 0.3)) * z + rng.normal(0, 0.5))
        line = np.exp(rng.normal(-0.5, 0.5)) * z + rng.normal(0, 0.7)
        trust = np.exp(rng.normal(0.2, 0.5))
        positive, negative = expit(line + trust), expit(line - trust)
        noisy = rng.random(n) < share
        truth = rng.random(n) < np.where(noisy, positive, negative)
        clean = share * positive + (1 - share) * negative
        r0, r1 = share * (1 - positive) / (1 - clean), (1 - share) * negative / clean
    wrong0, wrong1 = (1 - clean) * r0, clean * r1
    rates = (wrong0.sum() / (1 - clean).sum(), wrong1.sum() / clean.sum())
    scores = expit(z)
    plan = lwcal.plan_audit(scores, noisy, budget, random_state=seed)
    audited, probability = np.full((2, n), np.nan)
    audited[plan.rows] = truth[plan.rows]
    probability[plan.rows] = plan.probabilities
    wrong = (wrong0 + wrong1).mean()
    return Audit(scores, noisy, truth, audited, probability, clean, rates, wrong)


def binned_error(posterior, predicted, bins=15):
    """ECE of predictions against known probabilities."""
    places = np.minimum((predicted * bins).astype(int), bins - 1)
    return np.abs(np.bincount(places, posterior - predicted)).sum() / len(predicted)
