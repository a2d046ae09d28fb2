"""The paper's formulas row by row, slowly and plainly: what the fast code must equal."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

CLIP = 2.0**-40


def losses(scores, labels):
    """Eq. 1."""
    agreement = np.where(labels == 1, scores, 1 - scores)
    return -np.log(np.clip(agreement, CLIP, 1 - CLIP))


def weights(loss, m, s, epsilon=1e-6):
    """Eq. 2."""
    with np.errstate(over="ignore"):
        sigmoid = 1 / (1 + np.exp((loss - m) / (1.4826 * s + epsilon)))
    return np.clip(sigmoid, 0.05, 1)


def isotonic(scores, labels, weight):
    """Eq. 4 and 5, by scikit-learn."""
    model = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1)
    return model.fit(scores, labels, sample_weight=weight).predict


def lwcal(scores, labels):
    """LWCal's map and its m, s and d."""
    loss = losses(scores, labels)
    m = np.median(loss)
    s = np.median(np.abs(loss - m))
    d = np.mean((scores >= 0.5) != (labels == 1))
    return isotonic(scores, labels, weights(loss, m, s)), {"m": m, "s": s, "d": d}


def gated(scores, labels):
    """Eq. 3."""
    weighted, found = lwcal(scores, labels)
    rho = np.clip((found["d"] - 0.29) / 0.12, 0, 1)
    return (lambda p: (1 - rho) * weighted(p) + rho * p), {**found, "rho": rho}
