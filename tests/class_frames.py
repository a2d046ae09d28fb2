"""Rows of several classes for tests of files and engines."""

import numpy as np
import pandas as pd

NAMES = ("cat", "dog", "bird")


def class_frame(n=400, seed=0, digits=3):
    """Ids with leading zeros, rounded probabilities of three classes, labels, and weights."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([0.6, 0.6, 0.6], n)
    labels = (rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    sharp = truth**2 / (truth**2).sum(axis=1, keepdims=True)
    rounded = np.floor(sharp * 10**digits)
    rounded[:, -1] = 10**digits - rounded[:, :-1].sum(axis=1)  # rows still sum to 1
    frame = pd.DataFrame(rounded / 10**digits, columns=[f"p_{name}" for name in NAMES])
    frame.insert(0, "id", [f"{row:05d}" for row in range(n)])
    frame["label"] = np.array(NAMES)[labels]
    frame["w"] = np.arange(n) % 4 / 4  # sums of these are exact, in any order
    return frame


def scores_of(frame):
    """Columns of probabilities as an array."""
    return frame[[f"p_{name}" for name in NAMES]].to_numpy()
