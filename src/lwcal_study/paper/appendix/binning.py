"""Calibration by bins with equally many rows: one binning, or a Bayesian average of many."""

from __future__ import annotations

from math import cbrt, ceil, floor
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, softmax
from sklearn.base import BaseEstimator

NARROWEST = 5e-3
"""Means of priors stay this far from 0 and 1: a prior that is sure of one class learns nothing."""
Numbers = npt.NDArray[np.float64]


class Binning(NamedTuple):
    """Bins of scores. A score on an edge belongs to the bin above it."""

    edges: Numbers
    rows: Numbers
    positives: Numbers

    def of(self, scores: Any) -> npt.NDArray[np.intp]:
        """Number of the bin of each score."""
        place: npt.NDArray[np.intp] = np.searchsorted(self.edges, scores, side="right")
        return place

    @property
    def midpoints(self) -> Numbers:
        """Middle of each bin. The first begins at 0, the last ends at 1."""
        limits = np.concatenate([[0.0], self.edges, [1.0]])
        middle: Numbers = (limits[:-1] + limits[1:]) / 2
        return middle


def equal_frequency(scores: Any, labels: Any, bins: int) -> Binning:
    """Divide rows into bins of nearly the same size. Rows with the same score stay together.

    >>> equal_frequency(np.array([0.1, 0.2, 0.6, 0.8]), np.array([0, 1, 1, 1]), 2)
    Binning(edges=array([0.4]), rows=array([2., 2.]), positives=array([1., 2.]))
    """
    distinct, first = np.unique(np.sort(scores), return_index=True)
    starts = np.flatnonzero(np.diff(first * bins // len(scores))) + 1
    below, above = distinct[starts - 1], distinct[starts]
    middle = (below + above) / 2
    edges = np.where(middle > below, middle, above)  # between neighbours, the middle is rounded
    place = np.searchsorted(edges, scores, side="right")
    size = len(edges) + 1
    return Binning(
        edges,
        np.bincount(place, minlength=size).astype(float),
        np.bincount(place, weights=labels, minlength=size).astype(float),
    )


class HistogramBinning(BaseEstimator):  # type: ignore[misc]  # no types in scikit-learn
    """Share of positives in each of ten bins (Zadrozny and Elkan, 2001)."""

    def __init__(self, bins: int = 10) -> None:
        self.bins = bins

    def fit(self, scores: Any, labels: Any) -> Self:
        """Count rows and positives."""
        self.binning_ = equal_frequency(scores, labels, self.bins)
        return self

    def predict(self, scores: Any) -> Numbers:
        """Share of positives in the bin of each score."""
        shares: Numbers = self.binning_.positives / self.binning_.rows
        return shares[self.binning_.of(scores)]


class BayesianBinning(BaseEstimator):  # type: ignore[misc]  # no types in scikit-learn
    """Average over binnings, weighted by their marginal likelihood (BBQ; Naeini et al., 2015).

    The binnings have from ``cbrt(n) / spread`` to ``cbrt(n) * spread`` bins, at most one for five
    rows. The share of positives in a bin has a beta prior that is worth ``prior_rows`` rows
    and has its mean in the middle of the bin.
    """

    def __init__(self, spread: float = 10.0, prior_rows: float = 2.0) -> None:
        self.spread = spread
        self.prior_rows = prior_rows

    def fit(self, scores: Any, labels: Any) -> Self:
        """Count rows and positives of every binning, and weigh the binnings."""
        n = len(scores)
        fewest = max(1, floor(cbrt(n) / self.spread))
        most = max(fewest, min(ceil(n / 5), ceil(cbrt(n) * self.spread)))
        self.binnings_ = [equal_frequency(scores, labels, bins) for bins in range(fewest, most + 1)]
        self.weights_ = softmax([self._log_evidence(binning) for binning in self.binnings_])
        return self

    def predict(self, scores: Any) -> Numbers:
        """Weighted average of the posterior means of all binnings."""
        means = [self._posterior_mean(binning)[binning.of(scores)] for binning in self.binnings_]
        average: Numbers = np.clip(self.weights_ @ np.array(means), 0.0, 1.0)  # rounding
        return average

    def _prior(self, binning: Binning) -> tuple[Numbers, Numbers]:
        mean = np.clip(binning.midpoints, NARROWEST, 1 - NARROWEST)
        return self.prior_rows * mean, self.prior_rows * (1 - mean)

    def _log_evidence(self, binning: Binning) -> float:
        a, b = self._prior(binning)
        negatives = binning.rows - binning.positives
        return float((betaln(a + binning.positives, b + negatives) - betaln(a, b)).sum())

    def _posterior_mean(self, binning: Binning) -> Numbers:
        a, _ = self._prior(binning)
        return (a + binning.positives) / (self.prior_rows + binning.rows)
