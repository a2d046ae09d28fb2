"""How far reviewers agree: Krippendorff's alpha, and Cohen's kappa of pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.reviews.opinion_rows import OpinionRows

MANY_ROWS = 50.0
"""Rows on which two independent reviewers differ at least once, unless both are always right."""


class Agreement(NamedTuple):
    """How far reviewers agree, beyond chance. 1 is perfect agreement, 0 is chance.

    Attributes
    ----------
    alpha : float or None
        Krippendorff's alpha of all opinions; None if no row has two, or all opinions are equal.
    kappa : float or None
        Cohen's kappa of pairs of reviewers, averaged by the number of rows that they share; None
        if no pair shares rows.
    rows : float
        Number of rows with several opinions.
    equal : float or None
        Share of pairs of opinions on the same row that are equal.
    never_differ : tuple of (reviewer, reviewer, rows)
        Pairs of reviewers who gave the same label on all of many rows. One may be a copy.
    """

    alpha: float | None
    kappa: float | None
    rows: float
    equal: float | None
    never_differ: tuple[tuple[Any, Any, float], ...] = ()


def agreement_of(rows: OpinionRows) -> Agreement:
    """Measure the agreement of reviewers.

    Examples
    --------
    >>> from lwcal.reviews.opinions import as_opinions
    >>> from lwcal.reviews.reading import coded
    >>> found = agreement_of(coded(as_opinions([[1, 1], [0, 0], [1, 0], [0, 0]])))
    >>> round(found.alpha, 2), round(found.kappa, 2), found.rows, found.equal
    (0.53, 0.5, 4.0, 0.75)
    """
    votes = _votes(rows)
    asked = votes.sum(axis=1)
    several = asked > 1
    if not several.any():
        return Agreement(None, None, 0.0, None)
    votes, asked, weights = votes[several], asked[several], rows.weights[several]
    # pairs of opinions on a row, each opinion counted once (Krippendorff, 2011)
    scaled = weights / (asked - 1.0)
    together = np.einsum("n,ni,nj->ij", scaled, votes, votes, optimize=True)
    together -= np.diag(np.einsum("n,ni->i", scaled, votes))
    of_class = together.sum(axis=1)
    total = float(of_class.sum())
    differing = total - float(np.trace(together))
    by_chance = total**2 - float((of_class**2).sum())
    alpha = 1.0 - (total - 1.0) * differing / by_chance if by_chance > 0.0 else None
    pairs = _Pairs.of(rows)
    equal = 1.0 - differing / total
    return Agreement(alpha, pairs.kappa(), float(weights.sum()), equal, pairs.never_differ())


def _votes(rows: OpinionRows) -> FloatArray:
    votes = np.zeros((len(rows.weights), rows.n_classes))
    np.add.at(votes, (rows.rows, rows.labels), 1.0)
    return votes


class _Pairs(NamedTuple):
    """Pairs of reviewers who share rows.

    Attributes
    ----------
    reviewers : list of (any, any)
    tables : float64 array of shape (pairs, K, K)
        Weight of shared rows by the label of one (row) and of the other (column).
    """

    reviewers: list[tuple[Any, Any]]
    tables: FloatArray

    @classmethod
    def of(cls, rows: OpinionRows) -> _Pairs:
        """Count the labels of all pairs."""
        k, names = rows.n_classes, rows.names
        pairs, cells, weights = pairs_of_opinions(rows)
        distinct, places = np.unique(pairs, return_inverse=True)
        counts = np.bincount(places * k * k + cells, weights, minlength=len(distinct) * k * k)
        who = [(names[pair // len(names)], names[pair % len(names)]) for pair in distinct]
        return cls(who, np.asarray(counts, float).reshape(-1, k, k))

    def kappa(self) -> float | None:
        """Mean of Cohen's kappa, weighted by shared rows."""
        n = self.tables.sum(axis=(1, 2))
        equal = np.trace(self.tables, axis1=1, axis2=2) / n
        by_label = self.tables.sum(axis=1), self.tables.sum(axis=2)
        chance = np.einsum("pi,pi->p", *by_label) / n**2
        known = chance < 1.0
        if not known.any():
            return None
        kappas = (equal[known] - chance[known]) / (1.0 - chance[known])
        return float(n[known] @ kappas) / float(n[known].sum())

    def never_differ(self) -> tuple[tuple[Any, Any, float], ...]:
        """Pairs with the same label on all of many rows, which have more than one class."""
        n = self.tables.sum(axis=(1, 2))
        same = np.trace(self.tables, axis1=1, axis2=2) == n
        classes = (self.tables.sum(axis=1) > 0.0).sum(axis=1)
        found = np.flatnonzero(same & (n >= MANY_ROWS) & (classes > 1))
        return tuple((*self.reviewers[pair], float(n[pair])) for pair in found)


def pairs_of_opinions(rows: OpinionRows) -> tuple[IndexArray, IndexArray, FloatArray]:
    """Of every two opinions on a row: the pair of reviewers, the pair of labels, the weight.

    The number of a pair is that of the first reviewer, who has the lower one, times the number of
    reviewers, plus that of the second.
    """
    order = np.lexsort((rows.reviewers, rows.rows))
    place, who, said = rows.rows[order], rows.reviewers[order], rows.labels[order]
    pairs, cells, weights = [], [], []
    for apart in range(1, max(2, int(rows.opinions.max()))):  # also where there are no pairs
        first = np.flatnonzero(place[apart:] == place[:-apart])
        second = first + apart
        pairs.append(who[first] * len(rows.names) + who[second])
        cells.append(said[first] * rows.n_classes + said[second])
        weights.append(rows.weights[place[first]])
    return np.concatenate(pairs), np.concatenate(cells), np.concatenate(weights)
