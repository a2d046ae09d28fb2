"""Scores whose clean posterior is known, and labels after class-conditional noise."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

NEAR_CERTAIN = (0.25, 0.3)
"""Shape of beta-distributed scores of which most are near 0 or 1."""


class Sample(NamedTuple):
    """Rows of a model, with all that is hidden in reality."""

    scores: np.ndarray
    posterior: np.ndarray
    clean: np.ndarray
    noisy: np.ndarray


def sample(rng, n, *, line=(1.0, 0.0), rates=(0.0, 0.0), shape=NEAR_CERTAIN):
    """Draw scores, true labels from ``sigmoid(a * logit(score) + b)``, then wrong ones."""
    scores = np.clip(rng.beta(*shape, n), 1e-9, 1 - 1e-9)
    posterior = expit(line[0] * logit(scores) + line[1])
    clean = (rng.random(n) < posterior).astype(int)
    wrong = rng.random(n) < np.where(clean == 1, rates[1], rates[0])
    return Sample(scores, posterior, clean, np.where(wrong, 1 - clean, clean))
