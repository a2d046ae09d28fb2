"""Intervals for ratios of mean losses, with tasks as clusters of dependent cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

N_RESAMPLES = 2000
CONFIDENCE = 0.95


class Ratios(NamedTuple):
    """The ratio of each column, with a percentile interval."""

    estimate: Any
    lower: Any
    upper: Any


def cluster_ratios(
    losses: Any, baseline: int, *, n_resamples: int = N_RESAMPLES, seed: int = 0
) -> Ratios:
    """Mean of each column divided by the mean of the baseline, with 95% intervals.

    Parameters
    ----------
    losses : array, one row per cluster (here a task), one column per method
        Mean loss in each cluster. The bootstrap draws whole clusters, the same for all columns.
    baseline : int
        Column of the baseline.
    n_resamples, seed : int

    Examples
    --------
    >>> found = cluster_ratios(np.array([[1.0, 0.5], [2.0, 1.0], [4.0, 2.0]]), baseline=0)
    >>> found.estimate.tolist(), found.lower.tolist(), found.upper.tolist()
    ([1.0, 0.5], [1.0, 0.5], [1.0, 0.5])
    """
    losses = np.asarray(losses, dtype=np.float64)
    n = len(losses)
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    sums = counts @ losses
    tail = (1 - CONFIDENCE) / 2
    lower, upper = np.quantile(sums / sums[:, [baseline]], [tail, 1 - tail], axis=0)
    means = losses.mean(axis=0)
    return Ratios(means / means[baseline], lower, upper)
