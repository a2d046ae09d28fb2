"""Explain new rows of several classes as a mixture of the rows of a fit with each label.

As for two classes (module ``label_mixture``), this needs no calibrated probability and no
noise matrix: if only the base rates changed, rows of each true class lie in the cells as before, so
new rows are a mixture of the rows with each label. With wrong labels, a share can leave [0, 1].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares
from scipy.special import chdtrc

from lwcal.arrays import FloatArray, IndexArray
from lwcal.multiclass.class_cells import ClassCells

LEAST_ROWS = 5.0
"""Rows of the smaller sample in each cell, on average. With fewer, chi-square is inaccurate."""
FAR = 1.0
"""Standard deviation of a share before any row is seen: all that is known where cells cannot
tell two labels apart."""


class ClassMixture(NamedTuple):
    """New rows as a mixture of rows with each label.

    Attributes
    ----------
    shares : float64 array of shape (K,)
        Weight of the rows with each label; they add up to 1.
    covariance : float64 array of shape (K, K)
        Of the shares.
    p_value : float
        Of the test that some mixture explains the new rows.
    distance : float
        Share of the new rows that lie in other cells than the mixture says, beyond chance.
    """

    shares: FloatArray
    covariance: FloatArray
    p_value: float
    distance: float

    def p_value_of(self, shares: FloatArray, n: float) -> float:
        """Of the test that the shares are these, which were found in so many other rows.

        >>> found = ClassMixture(np.array([0.5, 0.3, 0.2]), 1e-4 * np.eye(3), 0.5, 0.0)
        >>> found.p_value_of(np.array([0.5, 0.3, 0.2]), 1000.0)
        1.0
        """
        covariance = self.covariance + (np.diag(shares) - np.outer(shares, shares)) / n
        off = (self.shares - shares)[:-1]
        squares = float(off @ np.linalg.solve(covariance[:-1, :-1], off))
        return float(chdtrc(len(off), max(squares, 0.0)))


def fit_class_mixture(cells: ClassCells, new: FloatArray) -> ClassMixture:
    """Find the mixture by minimum chi-square.

    Parameters
    ----------
    cells : ClassCells
        Rows of the fit, by label; at least one of each label.
    new : float64 array
        Weight of the new rows in each cell.

    Examples
    --------
    >>> edges, eye = np.full((3, 1), 0.5), np.repeat(np.eye(3), 2, axis=0)
    >>> counts = 100 * eye + 20
    >>> found = fit_class_mixture(ClassCells(edges, counts), counts @ [0.5, 0.3, 0.2])
    >>> found.shares.round(2), round(found.p_value, 2)
    (array([0.5, 0.3, 0.2]), 1.0)
    """
    together = _groups(cells, new)
    labels = np.zeros((together.max() + 1, cells.n_classes))
    np.add.at(labels, together, cells.counts)
    observed = np.bincount(together, new).astype(np.float64)
    return _minimum_chi_square(labels, observed)


def _minimum_chi_square(labels: FloatArray, observed: FloatArray) -> ClassMixture:
    n_cells, k = labels.shape
    sizes, n = labels.sum(axis=0), observed.sum()
    parts, shares = labels / sizes, observed / n
    # half a row more in each cell, so that an empty one has a variance
    of_parts = (labels + 0.5) / (sizes + 0.5 * n_cells) / sizes
    of_shares = (observed + 0.5) / (n + 0.5 * n_cells) / n
    contrast = parts[:, :-1] - parts[:, -1:]
    before = sizes / sizes.sum()

    def all_of(free: FloatArray) -> FloatArray:
        return np.append(free, 1.0 - free.sum())

    def variance(free: FloatArray) -> FloatArray:
        return np.asarray(of_parts @ all_of(free) ** 2 + of_shares)

    def rest(free: FloatArray) -> FloatArray:
        return np.asarray(shares - parts @ all_of(free))

    def residuals(free: FloatArray) -> FloatArray:
        return np.append(rest(free) / np.sqrt(variance(free)), (free - before[:-1]) / FAR)

    def slopes(free: FloatArray) -> FloatArray:
        spread, mixed = variance(free), all_of(free)
        moved = of_parts[:, :-1] * mixed[:-1] - of_parts[:, -1:] * mixed[-1]
        by_cell = -contrast - (rest(free) / spread)[:, None] * moved
        return np.vstack([by_cell / np.sqrt(spread)[:, None], np.eye(k - 1) / FAR])

    free = least_squares(residuals, before[:-1], jac=slopes, method="lm").x
    spread = variance(free)
    covariance = _covariance(contrast, of_parts, spread)
    chi_square = float((rest(free) ** 2 / spread).sum())
    freedom = n_cells - k
    p_value = float(chdtrc(freedom, chi_square)) if freedom > 0 else 1.0
    # with shares beyond 0 and 1, a mixture may say that a cell has fewer than no rows
    explained = np.maximum(parts @ all_of(free), 0.0)
    distance = _distance(shares - explained / explained.sum(), spread)
    return ClassMixture(all_of(free), covariance, p_value, distance)


def _covariance(contrast: FloatArray, of_parts: FloatArray, variance: FloatArray) -> FloatArray:
    """Covariance of the shares.

    Rows of the fit are a sample, too: chance makes labels look more different than they are. What
    it adds to the information is taken away.
    """
    information = (contrast / variance[:, None]).T @ contrast
    by_chance = (of_parts / variance[:, None]).sum(axis=0)
    information -= np.diag(by_chance[:-1]) + by_chance[-1]
    values, vectors = np.linalg.eigh(information)
    inverse = (vectors / (np.maximum(values, 0.0) + 1.0 / FAR**2)) @ vectors.T
    to_all = np.vstack([np.eye(len(values)), -np.ones(len(values))])
    return np.asarray(to_all @ inverse @ to_all.T)


def _distance(rest: FloatArray, variance: FloatArray) -> float:
    """Half the sum of all differences, less what chance is expected to add."""
    total = 0.5 * float(np.abs(rest).sum())
    by_chance = 0.5 * float(np.sqrt(2.0 * variance / np.pi).sum())
    return float(np.sqrt(max(total**2 - by_chance**2, 0.0)))


def _groups(cells: ClassCells, new: FloatArray) -> IndexArray:
    """Number of the group of each cell: thin bands join the next one, thin classes each other."""
    before = cells.counts.sum(axis=1)
    smaller = min(before.sum(), new.sum())
    rows = 0.5 * smaller * (before / before.sum() + new / new.sum())
    groups = np.zeros(len(rows), dtype=np.intp)
    made = 1  # group 0 takes the classes that are thin
    for bands in np.split(np.arange(len(rows)), cells.n_classes):
        # a band stays with the ones before it until they have enough rows
        enough = np.floor(np.cumsum(rows[bands]) / LEAST_ROWS)
        complete = int(enough[-1])
        if complete:
            begun = np.concatenate([[0.0], enough[:-1]])
            groups[bands] = made + np.minimum(begun, complete - 1)
            made += complete
    return np.unique(groups, return_inverse=True)[1].astype(np.intp)
