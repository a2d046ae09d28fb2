"""How labels of several classes can be wrong: matrices with few or many free numbers.

Row k of a noise matrix has the probability of each label for rows whose true class is k. It is
``1 - rate[k]`` for k itself and ``rate[k] * goals[k, l]`` for another class l. Priors are counted
in labels: what a prior is worth, as if so many labels had been seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import betaln, expit, gammaln

from lwcal.arrays import FloatArray

FARTHEST = 15.0
"""Largest log-odds of a rate, and largest change of the log of a goal, during a search."""


class NoiseModel(Protocol):
    """A noise matrix as a function of free numbers."""

    def start(self) -> FloatArray:
        """Free numbers at the centre of the prior."""

    def units(self, n: float) -> FloatArray:
        """About the posterior standard deviation of each free number after n rows."""

    def matrix(self, free: FloatArray) -> FloatArray:
        """Probability of each label (column) for each true class (row)."""

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        """Log of the prior, and gradient of log-likelihood plus log of the prior.

        ``counts`` are the expected numbers of rows by true class (row) and label (column).
        """

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        """Log evidence of labels with these counts, less their log-likelihood.

        What freedom costs, as in the approximation of Cheeseman and Stutz (1996): the counts are
        taken for data.
        """


@dataclass(frozen=True, eq=False)
class KnownNoise:
    """A matrix without free numbers.

    >>> KnownNoise(np.eye(3)).matrix(np.zeros(0))[0]
    array([1., 0., 0.])
    """

    known: FloatArray

    def start(self) -> FloatArray:
        return np.zeros(0)

    def units(self, n: float) -> FloatArray:
        return np.zeros(0)

    def matrix(self, free: FloatArray) -> FloatArray:
        return self.known

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        return 0.0, np.zeros(0)

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        return 0.0


class _Parts(NamedTuple):
    """Share of wrong labels of each class, and where they go."""

    rates: FloatArray
    goals: FloatArray


@dataclass(frozen=True, eq=False)
class UnknownNoise:
    """One rate for all classes or one for each, and goals that are fixed or free.

    Attributes
    ----------
    goals : float64 array of shape (K, K)
        Where wrong labels are expected to go. Rows sum to 1, the diagonal is 0.
    wrong, right : float64 arrays of shape (1,) or (K,)
        What the prior of the rate is worth, in wrong and in right labels: one for all classes, or
        one for each.
    certainty : float or None
        What the expected goals of a class are worth, in wrong labels; None if they are fixed.

    Examples
    --------
    >>> goals = (1.0 - np.eye(3)) / 2.0
    >>> noise = UnknownNoise(goals, wrong=np.array([1.0]), right=np.array([4.0]))
    >>> noise.matrix(noise.start()).round(2)
    array([[0.8, 0.1, 0.1],
           [0.1, 0.8, 0.1],
           [0.1, 0.1, 0.8]])
    """

    goals: FloatArray
    wrong: FloatArray
    right: FloatArray
    certainty: float | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.goals)

    def start(self) -> FloatArray:
        moved = 0 if self.certainty is None else self.goals.size
        return np.concatenate([np.log(self.wrong / self.right), np.zeros(moved)])

    def units(self, n: float) -> FloatArray:
        # about a tenth of the labels are wrong, if any; a rough guess is enough for a search
        of_rates = np.full(len(self.wrong), 1.0 / np.sqrt(1.0 + 0.1 * n / len(self.wrong)))
        if self.certainty is None:
            return of_rates
        labels = 0.2 * n / self.goals.size + self.certainty / self.n_classes
        return np.concatenate([of_rates, np.full(self.goals.size, 1.0 / np.sqrt(labels))])

    def matrix(self, free: FloatArray) -> FloatArray:
        rates, goals = self._read(free)
        found = rates[:, None] * goals
        found.reshape(-1)[:: self.n_classes + 1] = 1.0 - rates
        return np.asarray(found)

    def _read(self, free: FloatArray) -> _Parts:
        n_rates = len(self.wrong)
        rates = expit(limited(free[:n_rates]))
        if self.certainty is None:
            return _Parts(rates, self.goals)
        moves = limited(free[n_rates:]).reshape(self.goals.shape)
        goals = self.goals * np.exp(moves - moves.max(axis=1, keepdims=True))
        return _Parts(rates, goals / goals.sum(axis=1, keepdims=True))

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        rates, goals = self._read(free)
        changed, kept = self._by_rate(counts)
        prior = float(self.wrong @ np.log(rates) + self.right @ np.log1p(-rates))
        by_rates = (changed + self.wrong) * (1.0 - rates) - (kept + self.right) * rates
        if self.certainty is None:
            return prior, by_rates
        expected = self.certainty * self.goals
        prior += times_log(expected, goals)
        wrong = _off_diagonal(counts) + expected
        by_goals = wrong - wrong.sum(axis=1, keepdims=True) * goals
        return prior, np.concatenate([by_rates, by_goals.ravel()])

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        rates, goals = self._read(free)
        changed, kept = self._by_rate(counts)
        found = (
            betaln(changed + self.wrong, kept + self.right) - betaln(self.wrong, self.right)
        ).sum()
        found -= changed @ np.log(rates) + kept @ np.log1p(-rates)
        if self.certainty is None:
            return float(found)
        other = ~np.eye(self.n_classes, dtype=bool)
        wrong, expected = _off_diagonal(counts), self.certainty * self.goals
        found += (gammaln((wrong + expected)[other]) - gammaln(expected[other])).sum()
        found -= (gammaln(wrong.sum(axis=1) + self.certainty) - gammaln(self.certainty)).sum()
        return float(found) - times_log(wrong, goals)

    def _by_rate(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Numbers of wrong and of right labels that each rate explains."""
        kept = np.diagonal(counts)
        changed = counts.sum(axis=1) - kept
        if len(self.wrong) == 1:
            return changed.sum(keepdims=True), kept.sum(keepdims=True)
        return changed, kept


def limited(free: FloatArray) -> FloatArray:
    """Numbers of a search, within its limits."""
    # numpy.clip takes longer than both
    return np.asarray(np.minimum(np.maximum(free, -FARTHEST), FARTHEST))


def _off_diagonal(counts: FloatArray) -> FloatArray:
    found = np.array(counts, order="C")
    found.reshape(-1)[:: len(counts) + 1] = 0.0
    return found


def times_log(weights: FloatArray, shares: FloatArray) -> float:
    """Sum of weights times logs, where weights are not 0."""
    used = weights > 0.0
    return float(weights[used] @ np.log(np.maximum(shares[used], 1e-300)))


def even_goals(n_classes: int) -> FloatArray:
    """Wrong labels go to any other class alike.

    >>> even_goals(3)[0]
    array([0. , 0.5, 0.5])
    """
    return np.asarray((1.0 - np.eye(n_classes)) / (n_classes - 1))


def similar_goals(scores: FloatArray, weights: FloatArray, evenly: float) -> FloatArray:
    """Wrong labels go where the model itself has doubts, apart from a share that goes anywhere.

    >>> doubts = np.array([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0], [0.0, 0.0, 1.0]])
    >>> similar_goals(doubts, np.ones(3), evenly=0.2).round(2)
    array([[0. , 0.9, 0.1],
           [0.9, 0. , 0.1],
           [0.5, 0.5, 0. ]])
    """
    k = scores.shape[1]
    together = _off_diagonal(
        np.einsum("ni,nj->ij", scores * weights[:, None], scores, optimize=True)
    )
    total = together.sum(axis=1, keepdims=True)
    even = even_goals(k)
    model = np.divide(together, total, out=even.copy(), where=total > 0.0)
    return np.asarray((1.0 - evenly) * model + evenly * even)
