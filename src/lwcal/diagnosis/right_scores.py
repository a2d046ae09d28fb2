"""Whether the labels fit scores that are right, with a noise matrix of their own.

The noise model expects a model that was trained on labels as noisy as these. If it was trained on
better ones, its scores may be right, and a map that follows the labels harms them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators.crossfit import CrossFitted
from lwcal.diagnosis.missed_labels import MOST_MISSED
from lwcal.estimates import Estimate
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.hypotheses import ROWS_OF_EVIDENCE
from lwcal.noise.posterior import MISFIT
from lwcal.noise.rates import FlipRates
from lwcal.table import ScoreTable

CLIP = 1e-6
"""Smallest probability of a class: a model that says 0 has never seen it, no more."""
MOST_NUMBERS = 300_000
"""Of larger tables, every second row is used, or every third, and so on."""
STEPS = 30
"""Steps of the EM algorithm. The matrix is needed to a few percent only."""
RULED_OUT = 5.0
"""Log of the odds against right scores from which on labels alone rule them out: 150 to 1, very
strong evidence (Kass and Raftery, 1995). No model is exactly calibrated, so smaller odds against it
are common, and a map that follows wrong labels can still harm it."""
PRIOR_BY_SCORE = 0.1
"""Prior probability that noise depends on the score in any way. Chosen on development tasks."""
START = 0.1
"""Share of wrong labels from which it starts."""


_Update: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""A better noise matrix, from expected counts of truths (rows) and labels, and the last matrix."""


class Explained(NamedTuple):
    """Rows, and what a calibrator says about them.

    Attributes
    ----------
    scores, predicted : float64 arrays of shape (n, K)
        Raw and calibrated probabilities.
    codes : integer array of shape (n,)
        Column of the label, or of the true class of checked rows.
    weights : float64 array of shape (n,)
    """

    scores: FloatArray
    predicted: FloatArray
    codes: IndexArray
    weights: FloatArray

    @classmethod
    def of_table(cls, table: ScoreTable | CrossFitted, predicted: FloatArray) -> Explained:
        """Rows of two classes, at every score one with each label."""
        codes = np.repeat([0, 1], len(table.scores))
        weights = np.concatenate([table.negatives, table.positives])
        return cls(by_class(table.scores), by_class(predicted), codes, weights)

    def gain(self, confidence: float) -> Estimate:
        """Relative decrease of the log loss by the calibrator, with an interval."""
        total = float(self.weights.sum())
        raw, new = (-self._logs(p) for p in (self.scores, self.predicted))
        loss = max(float(self.weights @ raw) / total, CLIP)
        mean = float(self.weights @ (raw - new)) / total
        error = float(np.sqrt(self.weights @ (raw - new - mean) ** 2)) / total
        reach = float(ndtri(0.5 + confidence / 2)) * error
        # a loss falls by all of it at most
        return Estimate(*(min(end / loss, 1.0) for end in (mean, mean - reach, mean + reach)))

    def wrong_share(self, matrix: FloatArray) -> float:
        """Share of wrong labels if the raw scores are right, and labels have this noise matrix."""
        return 1.0 - float(self.weights @ (self.scores @ np.diag(matrix)) / self.weights.sum())

    def _logs(self, probabilities: FloatArray) -> FloatArray:
        chosen = probabilities[np.arange(len(self.codes)), self.codes]
        return np.asarray(np.log(np.maximum(chosen, CLIP)))

    def log_likelihood(self, probabilities: FloatArray) -> float:
        """Log probability of the codes."""
        return float(self.weights @ self._logs(probabilities))


def by_class(positive: FloatArray) -> FloatArray:
    """Probabilities of two classes for the rows of :meth:`Explained.of_table`.

    >>> by_class(np.array([0.2]))
    array([[0.8, 0.2],
           [0.8, 0.2]])
    """
    return np.tile(np.stack([1.0 - positive, positive], axis=1), (2, 1))


class CheckedRows(NamedTuple):
    """Checked rows: the truths at their scores, and how often each truth had which label.

    Attributes
    ----------
    truths : Explained
    counts : float64 array of shape (K, K)
        Weight of rows by true class (row) and label (column).
    """

    truths: Explained
    counts: FloatArray

    @classmethod
    def of_table(cls, checked: CheckedTable, predicted: FloatArray) -> CheckedRows:
        """Checked rows of two classes, with predictions at the scores of their truths."""
        (kept, flipped) = checked.kept, checked.flipped
        counts = np.array([[kept[0], flipped[0]], [flipped[1], kept[1]]])
        return cls(Explained.of_table(checked.truths, predicted), counts)

    def log_likelihood(self, probabilities: FloatArray, matrix: FloatArray) -> float:
        """Log probability of the truths, and of the labels given these truths."""
        labels = float((self.counts * np.log(np.maximum(matrix, CLIP))).sum())
        return self.truths.log_likelihood(probabilities) + labels


class RightScores(NamedTuple):
    """The noise matrix of the labels if the raw scores are right.

    Attributes
    ----------
    matrix : float64 array of shape (K, K)
    is_better : bool
        Whether right scores explain the labels more than 20 times better than the calibrator does.
    """

    matrix: FloatArray
    is_better: bool

    @property
    def flip_rates(self) -> FlipRates:
        """The rates of two classes."""
        return FlipRates(float(self.matrix[0, 1]), float(self.matrix[1, 0]))


def right_scores(
    rows: Explained,
    expected: FloatArray,
    checked: CheckedRows | None = None,
    label_shares: FloatArray | None = None,
) -> RightScores | None:
    """Find the noise matrix of the labels if the raw scores are right.

    Matrices of one rate, of a rate for each class, of a default class and of free rates are fitted
    to the labels by maximum likelihood, and the best by Akaike's criterion is compared with the
    calibrator. The evidence of unchecked labels is tempered as everywhere; that of checked ones
    counts in full.

    Parameters
    ----------
    rows : Explained
        Unchecked rows, with predictions of maps that did not see them.
    expected : (K, K)
        The noise matrix that belongs to the predictions.
    checked : CheckedRows, optional
    label_shares : (n, K), optional
        Probability of each label at the scores, whatever the truth. It stands for noise that
        depends on the score, beside which both may be right. Then checked rows decide alone.

    Returns
    -------
    RightScores or None
        None if the calibrator explains the labels more than 150 times better or, with checked
        rows, labels and truths more than 20 times better.

    Examples
    --------
    The score says 20% and 80%. Of the positives, half are labelled negative:

    >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[900, 600], positives=[100, 400])
    >>> rows = Explained.of_table(table, np.array([0.1, 0.4]))
    >>> right_scores(rows, np.eye(2)).matrix.round(1)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    power = 1.0 / (1.0 + float(rows.weights.sum()) / ROWS_OF_EVIDENCE)
    every = max(ceil(rows.scores.size / MOST_NUMBERS), 1)
    rows = Explained(
        rows.scores[::every], rows.predicted[::every], rows.codes[::every], rows.weights[::every]
    )
    power *= every

    def of_labels(shares: FloatArray) -> float:
        return power * rows.log_likelihood(shares)

    def of_checks(probabilities: Callable[[Explained], FloatArray], matrix: FloatArray) -> float:
        if checked is None:
            return 0.0
        return checked.log_likelihood(probabilities(checked.truths), matrix)

    scores = _right(rows)
    by_map = of_labels(rows.predicted @ expected) + of_checks(_predicted, expected)
    found = [
        (of_labels(scores @ matrix) - power * free + of_checks(_right, matrix), matrix)
        for matrix, free in _matrices(scores, rows, checked)
    ]
    by_scores, best = max(found, key=lambda one: one[0])
    if checked is None:
        by_map = max(by_map, of_labels(rows.predicted))
    elif label_shares is not None:
        labels = of_labels(label_shares[::every])
        by_map, by_scores = (
            float(
                np.logaddexp(
                    np.log1p(-PRIOR_BY_SCORE) + by_rates,
                    np.log(PRIOR_BY_SCORE) + labels + of_checks(truths, expected),
                )
            )
            for by_rates, truths in ((by_map, _predicted), (by_scores, _right))
        )
    wrong = rows._replace(scores=scores).wrong_share(best)
    if by_map - by_scores > (RULED_OUT if checked is None else MISFIT) or wrong > MOST_MISSED:
        return None
    return RightScores(best, by_scores - by_map > MISFIT)


def _predicted(rows: Explained) -> FloatArray:
    return rows.predicted


def _right(rows: Explained) -> FloatArray:
    """The raw scores, none of which is 0."""
    kept = np.maximum(rows.scores, CLIP)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def _matrices(
    scores: FloatArray, rows: Explained, checked: CheckedRows | None
) -> Iterator[tuple[FloatArray, int]]:
    """Most likely noise matrices, simple ones first, and their number of free rates."""
    k = scores.shape[1]
    known = np.zeros((k, k)) if checked is None else checked.counts
    order = np.argsort(rows.codes, kind="stable")
    scores, weights, codes = scores[order], rows.weights[order], rows.codes[order]
    labels, starts = np.unique(codes, return_index=True)
    for update, free in _ways_to_be_wrong(k):
        if free > weights.sum():
            return  # more rates than rows
        matrix = _with_rates(np.full(k, START))
        for _ in range(STEPS):
            joint = scores * matrix[:, codes].T
            joint *= (weights / joint.sum(axis=1))[:, None]
            counts = known.copy()
            counts[:, labels] += np.add.reduceat(joint, starts).T
            matrix = update(counts, matrix)
        yield matrix, free


def _ways_to_be_wrong(k: int) -> Iterator[tuple[_Update, int]]:
    """Steps of the EM algorithm, and how many free rates they have; the fewest first."""
    yield partial(_by_group, np.zeros(k, dtype=int)), 1
    yield partial(_by_group, np.arange(k)), k
    if k > 2:  # of two classes, that is a rate for each
        yield _to_default, k
    yield _freely, k * (k - 1)


def _by_group(groups: IndexArray, counts: FloatArray, _: FloatArray) -> FloatArray:
    """Classes of a group share a rate; wrong labels go to all other classes alike."""
    totals = counts.sum(axis=1) + CLIP
    wrong = np.bincount(groups, totals - np.diag(counts)) / np.bincount(groups, totals)
    return _with_rates(np.clip(wrong, CLIP, 1.0 - CLIP)[groups])


def _to_default(counts: FloatArray, matrix: FloatArray) -> FloatArray:
    """Any label is replaced at one rate, by the same classes whatever the true one is.

    >>> noise = 0.6 * np.eye(3) + 0.4 * np.array([1.0, 0.0, 0.0])
    >>> _to_default(100.0 * noise, noise).round(2)
    array([[1. , 0. , 0. ],
           [0.4, 0.6, 0. ],
           [0.4, 0. , 0.6]])
    """
    same, by_chance = np.diag(counts), np.roll(matrix, -1, axis=0).diagonal()
    drawn_again = same * by_chance / np.maximum(np.diag(matrix), CLIP)
    replaced = (counts.sum(axis=0) - same + drawn_again + CLIP) / (counts.sum() + CLIP * len(same))
    kept = max(1.0 - float(replaced.sum()), CLIP)
    return np.asarray(kept * np.eye(len(same)) + (1.0 - kept) * replaced / replaced.sum())


def _freely(counts: FloatArray, _: FloatArray) -> FloatArray:
    """Labels of any class may be those of any other."""
    totals = counts.sum(axis=1) + CLIP
    return np.asarray((counts + CLIP) / (totals + CLIP * (len(counts) - 1))[:, None])


def _with_rates(wrong: FloatArray) -> FloatArray:
    """Noise matrix of labels that are wrong at these rates, toward all other classes alike.

    >>> _with_rates(np.array([0.2, 0.0, 0.0]))
    array([[0.8, 0.1, 0.1],
           [0. , 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    k = len(wrong)
    matrix = np.repeat(wrong[:, None] / (k - 1), k, axis=1)
    np.fill_diagonal(matrix, 1.0 - wrong)
    return matrix
