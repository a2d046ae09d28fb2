"""How reviewers can be wrong: all alike or each in their own way, and together on hard rows.

Priors are counted in labels, as in :mod:`lwcal.multiclass.label_noise`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import betaln, expit, gammaln

from lwcal.arrays import FloatArray
from lwcal.multiclass.label_noise import FARTHEST, NoiseModel, UnknownNoise, limited
from lwcal.reviews.opinion_likelihood import Counts, Emission

LEAST_PRIOR = 1e-3
"""What the prior of a label is worth at least, in labels, so that its log is finite."""


class ReviewerMatrices(Protocol):
    """Matrices of groups of reviewers as a function of free numbers."""

    def start(self) -> FloatArray:
        """Free numbers at the centre of the prior."""

    def units(self, n: float) -> FloatArray:
        """About the posterior standard deviation of each free number after n opinions."""

    def matrices(self, free: FloatArray) -> FloatArray:
        """Probability of each label for each true class, of shape (groups, K, K)."""

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        """Log of the prior, and gradient of log-likelihood plus log of the prior."""

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        """Log evidence of opinions with these counts, less their log-likelihood."""

    def prior_labels(self) -> float:
        """What the prior of the rate of one class of one group is worth, in labels."""


@dataclass(frozen=True, eq=False)
class AllAlike:
    """Reviewers who cannot be told apart, or do not differ: one matrix for all.

    >>> from lwcal.multiclass.label_noise import KnownNoise
    >>> AllAlike(KnownNoise(np.eye(2))).matrices(np.zeros(0)).shape
    (1, 2, 2)
    """

    noise: NoiseModel

    def start(self) -> FloatArray:
        return self.noise.start()

    def units(self, n: float) -> FloatArray:
        return self.noise.units(n)

    def matrices(self, free: FloatArray) -> FloatArray:
        return self.noise.matrix(free)[None]

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        return self.noise.ascent(free, counts[0])

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        return self.noise.occam(free, counts[0])

    def prior_labels(self) -> float:
        if not isinstance(self.noise, UnknownNoise):
            return 0.0
        return float((self.noise.wrong + self.noise.right).mean())


@dataclass(frozen=True, eq=False)
class EachTheirOwn:
    """A matrix for each reviewer, whose rows have Dirichlet priors around a common matrix.

    So a reviewer with few labels is taken to be like the others.

    Attributes
    ----------
    common : float64 array of shape (K, K)
    strength : float
        What the common matrix is worth for each true class of a reviewer, in labels.
    reviewers : int
    first : float64 array of shape (reviewers, K, K), optional
        Matrices at which a search begins; default: the common one.

    Examples
    --------
    >>> own = EachTheirOwn(np.array([[0.9, 0.1], [0.2, 0.8]]), 20.0, reviewers=3)
    >>> own.matrices(own.start())[2].round(2)
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """

    common: FloatArray
    strength: float
    reviewers: int
    first: FloatArray | None = None

    @cached_property
    def _prior(self) -> FloatArray:
        return np.asarray(np.maximum(self.strength * self.common, LEAST_PRIOR))

    @cached_property
    def _log_prior(self) -> FloatArray:
        return np.asarray(np.log(self._prior))

    def start(self) -> FloatArray:
        if self.first is None:
            return np.zeros(self.reviewers * self.common.size)
        return np.asarray(np.log(np.maximum(self.first, 1e-300) / self._prior).ravel())

    def units(self, n: float) -> FloatArray:
        labels = n / (self.reviewers * len(self.common) * 2.0)
        return np.full(self.reviewers * self.common.size, 1.0 / np.sqrt(1.0 + labels))

    def matrices(self, free: FloatArray) -> FloatArray:
        logs = self._log_prior + limited(free).reshape(self.reviewers, *self.common.shape)
        shares = np.exp(logs - logs.max(axis=2, keepdims=True))
        return np.asarray(shares / shares.sum(axis=2, keepdims=True))

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        found = self.matrices(free)
        prior = float((self._prior * np.log(np.maximum(found, 1e-300))).sum())
        together = counts + self._prior
        gradient = together - together.sum(axis=2, keepdims=True) * found
        return prior, gradient.ravel()

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        prior, totals = self._prior, self._prior.sum(axis=1)
        evidence = (gammaln(counts + prior) - gammaln(prior)).sum()
        evidence -= (gammaln(counts.sum(axis=2) + totals) - gammaln(totals)).sum()
        logs = np.log(np.maximum(self.matrices(free), 1e-300))
        return float(evidence - (counts * logs).sum())

    def prior_labels(self) -> float:
        return self.strength


class HardPrior(NamedTuple):
    """Prior of rows that are hard for everybody.

    Attributes
    ----------
    noise : UnknownNoise
        How everybody errs there.
    hard, others : float
        What the prior of their share is worth, in rows.
    """

    noise: UnknownNoise
    hard: float
    others: float


@dataclass(frozen=True, eq=False)
class ReviewerNoise:
    """How opinions come from true classes, as a function of free numbers.

    Attributes
    ----------
    own : ReviewerMatrices
        What reviewers do apart from each other.
    together : HardPrior or None
        What they do together.
    """

    own: ReviewerMatrices
    together: HardPrior | None = None

    def start(self) -> FloatArray:
        """Free numbers at the centre of the prior."""
        if self.together is None:
            return self.own.start()
        share = np.log(self.together.hard / self.together.others)
        return np.concatenate([self.own.start(), self.together.noise.start(), [share]])

    def units(self, opinions: float, rows: float) -> FloatArray:
        """About the posterior standard deviation of each free number."""
        own = self.own.units(opinions)
        if self.together is None:
            return own
        of_share = [1.0 / np.sqrt(1.0 + 0.1 * rows)]
        return np.concatenate([own, self.together.noise.units(0.2 * opinions), of_share])

    def emission(self, free: FloatArray) -> Emission:
        """Matrices at these numbers."""
        own, hard, share = self._split(free)
        if self.together is None:
            return Emission(self.own.matrices(own))
        return Emission(self.own.matrices(own), self.together.noise.matrix(hard), share)

    def ascent(self, free: FloatArray, counts: Counts, rows: float) -> tuple[float, FloatArray]:
        """Log of the prior, and gradient of log-likelihood plus log of the prior."""
        own, hard, share = self._split(free)
        log_prior, by_own = self.own.ascent(own, counts.easy)
        if self.together is None:
            return log_prior, by_own
        more, by_hard = self.together.noise.ascent(hard, counts.hard)
        a, b = self.together.hard, self.together.others
        log_prior += more + a * np.log(share) + b * np.log1p(-share)
        by_share = (counts.hard_rows + a) * (1.0 - share) - (rows - counts.hard_rows + b) * share
        return float(log_prior), np.concatenate([by_own, by_hard, [by_share]])

    def occam(self, free: FloatArray, counts: Counts, rows: float) -> float:
        """Log evidence of opinions with these counts, less their log-likelihood."""
        own, hard, share = self._split(free)
        found = self.own.occam(own, counts.easy)
        if self.together is None:
            return found
        a, b, seen = self.together.hard, self.together.others, counts.hard_rows
        found += self.together.noise.occam(hard, counts.hard)
        found += float(betaln(a + seen, b + rows - seen) - betaln(a, b))
        return float(found - seen * np.log(share) - (rows - seen) * np.log1p(-share))

    def _split(self, free: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        if self.together is None:
            return free, free[:0], 0.0
        size = self._numbers_of_own
        log_odds = min(max(float(free[-1]), -FARTHEST), FARTHEST)
        return free[:size], free[size:-1], float(expit(log_odds))

    @cached_property
    def _numbers_of_own(self) -> int:
        return len(self.own.start())
