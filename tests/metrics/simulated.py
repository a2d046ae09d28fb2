"""A model whose probabilities are too extreme, and labels that are noisy."""

import numpy as np

from lwcal import metrics
from lwcal.noise import flip_labels

RATES = (0.2, 0.1)


def too_extreme(n, rng, bins=20):
    """Draw probabilities that are too extreme, and true labels."""
    p = np.round(rng.beta(1.2, 1.5, n) * bins) / bins
    return p, (rng.random(n) < 0.15 + 0.7 * p).astype(int)


def flipped(y, rng, rates=RATES):
    """Flip labels with class-conditional noise."""
    return flip_labels(
        y, kind="asymmetric", negative_rate=rates[0], positive_rate=rates[1], random_state=rng
    ).labels


def expected_values(bins=20):
    """Return the metrics of a very large sample."""
    p, _ = too_extreme(1_000_000, np.random.default_rng(1), bins)
    both = np.tile(p, 2), np.repeat([1, 0], len(p))
    truth = 0.15 + 0.7 * p
    weight = np.concatenate((truth, 1 - truth))
    return metrics.evaluate(both[1], both[0], sample_weight=weight)
