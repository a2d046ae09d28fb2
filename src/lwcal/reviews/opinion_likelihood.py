"""How probable opinions are, for given scalings and matrices of reviewers.

The probability of a row's opinions is the sum over true classes k of ``c[k]`` times the product
over its opinions of ``T[reviewer][k, label]``. A checked row has one possible class. Some rows may
be hard for everybody: then all their opinions follow one other matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.class_maps import centred_logs
from lwcal.multiclass.scaling_numbers import Numbers
from lwcal.reviews.opinion_rows import OpinionRows

NEVER = 1e-12
"""Probability of a label that a matrix excludes, if somebody gave it all the same."""


class Emission(NamedTuple):
    """How opinions come from true classes.

    Attributes
    ----------
    matrices : float64 array of shape (G, K, K)
        Probability of each label (column) for each true class (row), of each group of reviewers:
        one of all, or one of each.
    hard : float64 array of shape (K, K), or None
        The same on hard rows, for everybody.
    share : float
        Of hard rows.
    """

    matrices: FloatArray
    hard: FloatArray | None = None
    share: float = 0.0

    def marginal(self) -> FloatArray:
        """Matrices over all rows, hard ones included."""
        if self.hard is None:
            return self.matrices
        return np.asarray((1.0 - self.share) * self.matrices + self.share * self.hard)


class Counts(NamedTuple):
    """Expected numbers of opinions by true class (row) and label (column).

    Attributes
    ----------
    easy : float64 array of shape (G, K, K)
        Of each group of reviewers, on rows that are not hard.
    hard : float64 array of shape (K, K)
        On hard rows.
    hard_rows : float
        Expected number of hard rows.
    """

    easy: FloatArray
    hard: FloatArray
    hard_rows: float


class Point(NamedTuple):
    """What the likelihood is at one point.

    Attributes
    ----------
    log_likelihood : float64 array of shape (n,)
        Of each row, for weight 1.
    clean, truth : float64 arrays of shape (n, K)
        Probability of each true class given the scores, and given the opinions as well.
    is_hard : float64 array of shape (n, K)
        Probability that the row is hard, given its opinions and the true class.
    counts : Counts
    """

    log_likelihood: FloatArray
    clean: FloatArray
    truth: FloatArray
    is_hard: FloatArray
    counts: Counts


class OpinionLikelihood:
    """Rows, ready to be looked at again and again."""

    def __init__(self, rows: OpinionRows, softness: float) -> None:
        self.rows = rows
        self.softness = softness
        self.x = centred_logs(rows.scores, softness)
        k = rows.n_classes
        self._with_opinions, self._starts = np.unique(rows.rows, return_index=True)
        self._groups = rows.reviewers * k + rows.labels
        self._by_group = np.argsort(self._groups, kind="stable")
        sorted_groups = self._groups[self._by_group]
        self._rows_by_group = rows.rows[self._by_group]
        self._group_starts = np.flatnonzero(np.r_[True, sorted_groups[1:] != sorted_groups[:-1]])
        self._seen = sorted_groups[self._group_starts] if len(sorted_groups) else sorted_groups
        checked = np.flatnonzero(rows.is_checked)
        self._has_checked = len(checked) > 0
        self._impossible = np.zeros((len(rows.weights), k), dtype=np.bool_)
        self._impossible[checked] = True
        self._impossible[checked, rows.truths[checked]] = False

    def at(self, numbers: Numbers, emission: Emission) -> Point:
        """Probabilities of opinions, true classes and hard rows."""
        # not by einsum, which takes longer to plan this product than to do it
        z = (numbers.matrix @ self.x.T).T + numbers.intercepts
        return self.given(z - _parts(z).log_total, emission)

    def given(self, log_clean: FloatArray, emission: Emission) -> Point:
        """The same, for given logs of the probabilities of true classes."""
        opinions = self._log_emission(emission.matrices)
        is_hard = np.zeros_like(opinions)
        if emission.hard is not None:
            if_easy = np.log1p(-emission.share) + opinions
            if_hard = np.log(emission.share) + self._log_emission(emission.hard[None])
            opinions = np.logaddexp(if_easy, if_hard)
            is_hard = np.exp(if_hard - opinions)
        joint = log_clean + opinions
        if self._has_checked:
            joint[self._impossible] = -np.inf
        parts = _parts(joint)
        truth = parts.shares / parts.total
        groups = len(emission.matrices)
        weighted = truth * self.rows.weights[:, None]
        if emission.hard is None:
            easy = self._counts(weighted, groups)
            counts = Counts(easy, np.zeros_like(easy[0]), 0.0)
        else:
            of_hard = weighted * is_hard
            easy = self._counts(weighted - of_hard, groups)
            counts = Counts(easy, self._counts(of_hard, 1)[0], float(of_hard.sum()))
        return Point(parts.log_total[:, 0], np.exp(log_clean), truth, is_hard, counts)

    def by_scaling(self, point: Point, slope: float) -> Numbers:
        """Gradient of the log-likelihood by the numbers of the scaling."""
        pull = (point.truth - point.clean) * self.rows.weights[:, None]
        by_matrix = pull.T @ self.x
        by_slopes = np.diagonal(by_matrix)
        return Numbers(slope * float(by_slopes.sum()), pull.sum(axis=0), by_slopes, by_matrix)

    def _log_emission(self, matrices: FloatArray) -> FloatArray:
        """Log probability of the opinions of each row, by true class."""
        logs = np.log(np.maximum(matrices, NEVER)).transpose(0, 2, 1)
        of_group = np.ascontiguousarray(logs).reshape(-1, self.rows.n_classes)
        found = np.zeros((len(self.rows.weights), self.rows.n_classes))
        if len(self._starts):
            places = self.rows.labels if len(matrices) == 1 else self._groups
            found[self._with_opinions] = np.add.reduceat(of_group[places], self._starts, axis=0)
        return found

    def _counts(self, weighted: FloatArray, groups: int) -> FloatArray:
        """Expected numbers by group of reviewers, true class and label."""
        k, names = self.rows.n_classes, len(self.rows.names)
        found = np.zeros((names * k, k))
        if len(self._seen):
            sorted_rows = weighted[self._rows_by_group]
            found[self._seen] = np.add.reduceat(sorted_rows, self._group_starts, axis=0)
        by_reviewer = found.reshape(names, k, k).transpose(0, 2, 1)
        return by_reviewer.sum(axis=0, keepdims=True) if groups == 1 else by_reviewer


class _Parts(NamedTuple):
    """Shares of each row before they are divided by their total, and the log of the whole total."""

    shares: FloatArray
    total: FloatArray
    log_total: FloatArray


def _parts(logs: FloatArray) -> _Parts:
    """Parts of the sum of what these are logs of, in every row.

    scipy's functions for this take several times as long for a few columns.
    """
    highest = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - highest)
    total = shares.sum(axis=1, keepdims=True)
    return _Parts(shares, total, highest + np.log(total))
