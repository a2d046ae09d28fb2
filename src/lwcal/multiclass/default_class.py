"""Labels that are replaced, now and then, by one that has nothing to do with the true class.

That is noise toward a default class, which many tools leave where nobody has looked; or toward a
few of them. Some of the labels that are replaced stay the same by chance, so the shares of the
labels that come in their place are counted over all replaced labels, changed or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, expit, gammaln

from lwcal.arrays import FloatArray
from lwcal.multiclass.label_noise import limited, times_log


class _Parts(NamedTuple):
    """Share of the labels that are replaced, and by which they are."""

    rate: float
    shares: FloatArray


class _Counts(NamedTuple):
    """Expected numbers of labels."""

    replaced: FloatArray
    kept: float


@dataclass(frozen=True, eq=False)
class ReplacedLabels:
    """Any label is replaced at one rate, by a draw from shares that are the same for all classes.

    Attributes
    ----------
    expected : float64 array of shape (K,)
        Expected shares of the classes among the labels that come in place of others.
    wrong, right : float
        What the prior of the rate is worth, in replaced and in kept labels.
    certainty : float
        What the expected shares are worth, in labels.

    Examples
    --------
    >>> noise = ReplacedLabels(np.full(3, 1.0 / 3.0), wrong=1.0, right=4.0, certainty=1.0)
    >>> noise.matrix(np.array([0.0, 9.0, 0.0, 0.0])).round(2)  # half of them become the first
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ],
           [0.5, 0. , 0.5]])
    """

    expected: FloatArray
    wrong: float
    right: float
    certainty: float

    def start(self) -> FloatArray:
        return np.concatenate([[np.log(self.wrong / self.right)], np.zeros(len(self.expected))])

    def units(self, n: float) -> FloatArray:
        # about a tenth of the labels are replaced, if any; a rough guess is enough for a search
        labels = np.concatenate([[1.0 + 0.1 * n], 0.1 * n * self.expected + 1.0])
        return np.asarray(1.0 / np.sqrt(labels))

    def matrix(self, free: FloatArray) -> FloatArray:
        rate, shares = self._read(free)
        found = np.tile(rate * shares, (len(shares), 1))
        found.reshape(-1)[:: len(shares) + 1] += 1.0 - rate
        return found

    def _read(self, free: FloatArray) -> _Parts:
        moves = limited(free[1:])
        shares = self.expected * np.exp(moves - moves.max())
        return _Parts(float(expit(limited(free[:1])[0])), shares / shares.sum())

    def ascent(self, free: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
        rate, shares = found = self._read(free)
        replaced, kept = _split(counts, found)
        prior_labels = self.certainty * self.expected
        prior = self.wrong * np.log(rate) + self.right * np.log1p(-rate)
        prior += times_log(prior_labels, shares)
        by_rate = (replaced.sum() + self.wrong) * (1.0 - rate) - (kept + self.right) * rate
        drawn = replaced + prior_labels
        by_shares = drawn - drawn.sum() * shares
        return float(prior), np.concatenate([[by_rate], by_shares])

    def occam(self, free: FloatArray, counts: FloatArray) -> float:
        rate, shares = found = self._read(free)
        replaced, kept = _split(counts, found)
        total, prior_labels = float(replaced.sum()), self.certainty * self.expected
        cost = betaln(total + self.wrong, kept + self.right) - betaln(self.wrong, self.right)
        cost -= total * np.log(rate) + kept * np.log1p(-rate)
        cost += (gammaln(replaced + prior_labels) - gammaln(prior_labels)).sum()
        cost -= gammaln(total + self.certainty) - gammaln(self.certainty)
        return float(cost) - times_log(replaced, shares)


def _split(counts: FloatArray, found: _Parts) -> _Counts:
    """Labels that were replaced, by the class that came, and the number of those that were not."""
    same = np.diagonal(counts)
    by_chance = found.rate * found.shares
    drawn_again = same * by_chance / (by_chance + 1.0 - found.rate)
    replaced = counts.sum(axis=0) - same + drawn_again
    return _Counts(replaced, float((same - drawn_again).sum()))
