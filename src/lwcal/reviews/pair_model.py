"""How probable opinions are if one of two reviewers copies the other now and then.

The truth has a share for each class in every bin of scores, and no curve: a wrong curve would look
like a copy. Otherwise reviewers err as in :mod:`lwcal.reviews.opinion_likelihood`: each by a
matrix, and everybody alike on hard rows. On rows that both labelled, the second of the pair repeats
the label of the first with some probability. It is fitted by expectation-maximisation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.reviews.opinion_rows import OpinionRows

MOST_BINS, ROWS_OF_A_BIN = 12, 40.0
RIGHT, WRONG = 4.0, 1.0
"""What the prior of right and wrong labels of a reviewer is worth, in labels of each class."""
HARD, NOT_HARD = 1.0, 4.0
"""What the prior of the share of hard rows is worth, in rows."""
LABELS_IF_HARD = 4.0
"""What the prior of both kinds of labels on hard rows is worth, in labels."""
START_RIGHT, START_HARD, START_COPIED = 0.85, 0.05, 0.7
MOST_STEPS = 200
ENOUGH = 1e-3
"""Gain of a step after which a fit ends."""
LEAST = 1e-9


class PairFit(NamedTuple):
    """A fit, or where one starts.

    Attributes
    ----------
    clean : float64 array of shape (bins, K)
        Share of each true class.
    matrices : float64 array of shape (R, K, K)
        Probability of each label for each true class, of each reviewer.
    wrong_if_hard, share_hard : float
    copied : float
        Share of the rows of both on which one of the pair repeats the other.
    value : float
        Log-likelihood, and log of the prior.
    truth : float64 array of shape (n, K)
        Probability of each true class given the opinions.
    """

    clean: FloatArray
    matrices: FloatArray
    wrong_if_hard: float
    share_hard: float
    copied: float = 0.0
    value: float = -np.inf
    truth: FloatArray = np.zeros((0, 0))


class Pair(NamedTuple):
    """Two reviewers, and their rows.

    Attributes
    ----------
    both : bool array of shape (n,)
        Whether both labelled the row.
    same : bool array of shape (n,)
        Whether they gave the same label.
    second : int
        The reviewer who may copy.
    label : integer array of shape (n,)
        What the second said; 0 where they did not both say something.
    """

    both: BoolArray
    same: BoolArray
    second: int
    label: IndexArray


class PairModel:
    """Rows, ready to be fitted to again and again.

    Parameters
    ----------
    rows : OpinionRows
    """

    def __init__(self, rows: OpinionRows) -> None:
        self.rows = in_bins(rows)
        self._means, places = np.unique(self.rows.scores, axis=0, return_inverse=True)
        self._bins = places.ravel()
        self._k = rows.n_classes
        self._wrong = self._per_row((self.rows.labels[:, None] != np.arange(self._k)).astype(float))
        self._given = self.rows.opinions[:, None]
        self._impossible = self.rows.is_checked[:, None] & (
            self.rows.truths[:, None] != np.arange(self._k)
        )
        self._prior = np.full((self._k, self._k), WRONG / (self._k - 1))
        np.fill_diagonal(self._prior, RIGHT)

    def start(self) -> PairFit:
        """Reviewers who are mostly right, and scores that are as well."""
        matrix = np.full((self._k, self._k), (1.0 - START_RIGHT) / (self._k - 1))
        np.fill_diagonal(matrix, START_RIGHT)
        matrices = np.tile(matrix, (len(self.rows.names), 1, 1))
        return PairFit(np.maximum(self._means, LEAST), matrices, 0.5, START_HARD)

    def pair(self, first: int, second: int) -> Pair:
        """Find what two reviewers said about the same rows."""
        said = np.full((2, len(self.rows.weights)), -1)
        for place, reviewer in enumerate((first, second)):
            own = self.rows.reviewers == reviewer
            said[place, self.rows.rows[own]] = self.rows.labels[own]
        both = np.asarray((said >= 0).all(axis=0))
        return Pair(both, both & (said[0] == said[1]), second, np.where(both, said[1], 0))

    def fit(self, start: PairFit, pair: Pair | None = None, *, least: float = 0.0) -> PairFit:
        """Climb from a start. Without a pair nobody copies.

        The fit ends early if fewer labels than the least share are copied.
        """
        found = start if pair else start._replace(copied=0.0)
        value = -np.inf
        for _ in range(MOST_STEPS):
            found = self._step(found, pair)
            if found.value - value < ENOUGH or found.copied < least:
                break
            value = found.value
        return found

    def _step(self, at: PairFit, pair: Pair | None) -> PairFit:
        """One step; its value and truth are those before the step."""
        kinds, value = self._kinds(at, pair)
        easy, hard, easy_copied, hard_copied = kinds
        truth = kinds.sum(axis=0)
        clean = self._means + _sums(truth, self._bins, len(self._means))
        counts = self._counts(easy + easy_copied)
        wrong, given = hard * self._wrong, hard * self._given
        copied = at.copied
        if pair is not None:
            counts[pair.second] = self._counts(easy)[pair.second]
            is_wrong, both = self._of_second(pair)
            wrong = wrong + hard_copied * (self._wrong - is_wrong)
            given = given + hard_copied * (self._given - both)
            rows = float(self.rows.weights[pair.both].sum())
            copied = float((easy_copied + hard_copied).sum()) / max(rows, LEAST)
        matrices = counts + self._prior
        n_hard = float((hard + hard_copied).sum())
        return PairFit(
            clean / clean.sum(axis=1, keepdims=True),
            matrices / matrices.sum(axis=2, keepdims=True),
            (float(wrong.sum()) + LABELS_IF_HARD) / (float(given.sum()) + 2 * LABELS_IF_HARD),
            (n_hard + HARD) / (self.rows.n + HARD + NOT_HARD),
            min(copied, 1.0 - LEAST),
            value,
            truth / self.rows.weights[:, None],
        )

    def _kinds(self, at: PairFit, pair: Pair | None) -> tuple[FloatArray, float]:
        """Weight of each true class, of each row: easy or hard, and the same if copied."""
        logs = np.log(np.maximum(at.matrices, LEAST))
        said = logs[self.rows.reviewers, :, self.rows.labels]
        clean = np.log(np.maximum(at.clean, LEAST))[self._bins]
        if_wrong = np.log(at.wrong_if_hard / (self._k - 1))
        if_right = np.log1p(-at.wrong_if_hard)
        easy = clean + np.log1p(-at.share_hard) + self._per_row(said)
        hard = clean + np.log(at.share_hard) + self._wrong * if_wrong
        hard += (self._given - self._wrong) * if_right
        nothing = np.full_like(easy, -np.inf)
        kinds = np.stack([easy, hard, nothing, nothing])
        if pair is not None:
            copied = np.where(pair.both, at.copied, 0.0)[:, None]
            kinds[:2] += np.log1p(-copied)
            is_wrong, both = self._of_second(pair)
            repeats = np.where(pair.same, np.log(max(at.copied, LEAST)), -np.inf)[:, None]
            kinds[2] = easy + repeats - both * logs[pair.second][:, pair.label].T
            kinds[3] = hard + repeats - is_wrong * if_wrong - (both - is_wrong) * if_right
        kinds[:, self._impossible] = -np.inf
        highest = kinds.max(axis=(0, 2), keepdims=True)
        shares = np.exp(kinds - highest)
        totals = shares.sum(axis=(0, 2), keepdims=True)
        value = float(self.rows.weights @ (np.log(totals) + highest)[0, :, 0])
        return shares / totals * self.rows.weights[:, None], value + self._log_prior(at)

    def _log_prior(self, at: PairFit) -> float:
        of_hard = xlogy([HARD, NOT_HARD], [at.share_hard, 1.0 - at.share_hard])
        of_wrong = LABELS_IF_HARD * np.log(at.wrong_if_hard * (1.0 - at.wrong_if_hard))
        of_matrices = (self._prior * np.log(np.maximum(at.matrices, LEAST))).sum()
        of_clean = (self._means * np.log(np.maximum(at.clean, LEAST))).sum()
        return float(of_hard.sum() + of_wrong + of_matrices + of_clean)

    def _of_second(self, pair: Pair) -> tuple[FloatArray, FloatArray]:
        """Wrong labels and labels of the second of a pair, by true class, where both labelled."""
        both = pair.both[:, None].astype(float)
        return both * (pair.label[:, None] != np.arange(self._k)), both

    def _per_row(self, values: FloatArray) -> FloatArray:
        """Sums over the opinions of each row."""
        return _sums(values, self.rows.rows, len(self.rows.weights))

    def _counts(self, weights: FloatArray) -> FloatArray:
        """Expected numbers of opinions by reviewer, true class and label."""
        shape = len(self.rows.names), self._k, self._k
        places = self.rows.reviewers * self._k + self.rows.labels
        found = _sums(weights[self.rows.rows], places, shape[0] * shape[1])
        return np.ascontiguousarray(found.reshape(shape).transpose(0, 2, 1))


def _sums(values: FloatArray, places: IndexArray, size: int) -> FloatArray:
    columns = [np.bincount(places, column, minlength=size) for column in values.T]
    return np.stack(columns, axis=1)


def in_bins(rows: OpinionRows) -> OpinionRows:
    """Pool rows by their opinions and a bin of their scores.

    Bins have the same class with the highest probability, and about as many rows.
    """
    top, highest = rows.scores.argmax(axis=1), rows.scores.max(axis=1)
    most = float(np.clip(rows.n / ROWS_OF_A_BIN, 2.0, MOST_BINS))
    bins = np.zeros(len(top))
    for k in np.unique(top):
        of_class = top == k
        _, places = np.unique(highest[of_class], return_inverse=True)
        weights = np.bincount(places, rows.weights[of_class])
        total = weights.sum()
        parts = max(round(most * total / rows.n), 1)
        before = (weights.cumsum() - weights / 2.0) / total
        bins[of_class] = k + np.floor(parts * before)[places] / parts
    _, places = np.unique(bins, return_inverse=True)
    means = _sums(rows.scores * rows.weights[:, None], places, int(places.max()) + 1)
    means /= means.sum(axis=1, keepdims=True)
    return replace(rows, scores=means[places]).pooled()
