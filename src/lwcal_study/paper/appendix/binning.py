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
FIRST_ROW = np.zeros(1, dtype=np.intp)
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


class SortedRows(NamedTuple):
    """Distinct scores with the rows below each, and the positives among the first k rows."""

    distinct: Numbers
    rows_below: npt.NDArray[np.intp]
    positives: Numbers


def sort_rows(scores: Any, labels: Any) -> SortedRows:
    """Sort once, for any number of binnings."""
    order = np.argsort(scores, kind="stable")
    distinct, rows_below = np.unique(scores[order], return_index=True)
    return SortedRows(distinct, rows_below, np.concatenate([[0.0], np.cumsum(labels[order])]))


def equal_frequency(rows: SortedRows, bins: int) -> Binning:
    """Divide rows into bins of nearly the same size. Rows with the same score stay together.

    >>> equal_frequency(sort_rows(np.array([0.8, 0.1, 0.2, 0.6]), np.array([1, 0, 1, 1])), 2)
    Binning(edges=array([0.4]), rows=array([2., 2.]), positives=array([1., 2.]))
    """
    n = len(rows.positives) - 1
    place = rows.rows_below * bins // n
    starts = (place[1:] != place[:-1]).nonzero()[0] + 1
    below, above = rows.distinct[starts - 1], rows.distinct[starts]
    middle = (below + above) / 2
    edges = np.where(middle > below, middle, above)  # between neighbours, the middle is rounded
    first = np.concatenate([FIRST_ROW, rows.rows_below[starts], [n]])
    positives = rows.positives[first]
    return Binning(edges, (first[1:] - first[:-1]).astype(float), positives[1:] - positives[:-1])


class HistogramBinning(BaseEstimator):  # type: ignore[misc]  # no types in scikit-learn
    """Share of positives in each of ten bins (Zadrozny and Elkan, 2001)."""

    def __init__(self, bins: int = 10) -> None:
        self.bins = bins

    def fit(self, scores: Any, labels: Any) -> Self:
        """Count rows and positives."""
        self.binning_ = equal_frequency(sort_rows(scores, labels), self.bins)
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
        rows = sort_rows(scores, labels)
        self.binnings_ = [equal_frequency(rows, bins) for bins in range(fewest, most + 1)]
        self._weigh()
        return self

    def predict(self, scores: Any) -> Numbers:
        """Weighted average of the posterior means of all binnings."""
        means = [
            mean[binning.of(scores)]
            for binning, mean in zip(self.binnings_, self.means_, strict=True)
        ]
        average: Numbers = np.clip(self.weights_ @ np.array(means), 0.0, 1.0)  # rounding
        return average

    def _weigh(self) -> None:
        """Evidence and posterior means, of the bins of all binnings in one step."""
        midpoints, rows, positives = (
            np.concatenate(parts)
            for parts in zip(
                *((b.midpoints, b.rows, b.positives) for b in self.binnings_), strict=True
            )
        )
        mean = np.clip(midpoints, NARROWEST, 1 - NARROWEST)
        a, b = self.prior_rows * mean, self.prior_rows * (1 - mean)
        log_evidence = betaln(a + positives, b + (rows - positives)) - betaln(a, b)
        ends = np.cumsum([len(binning.rows) for binning in self.binnings_])[:-1]
        self.weights_ = softmax([part.sum() for part in np.split(log_evidence, ends)])
        self.means_ = np.split((a + positives) / (self.prior_rows + rows), ends)
