"""Reliability of one class in each row, against the true classes behind noisy labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.metrics.binning import equal_mass
from lwcal.metrics.reliability import ReliabilityCurve
from lwcal.metrics.resampling import Resampling
from lwcal.metrics.several_classes import JudgedRows
from lwcal.table import ScoreTable

N_DRAWS = 500
"""Draws behind each interval, over all matrices."""


def corrected_class_curve(
    rows: JudgedRows,
    asked: IndexArray,
    expected: FloatArray,
    matrices: Sequence[FloatArray],
    *,
    n_bins: int = 10,
    confidence: float = 0.9,
) -> ReliabilityCurve:
    """Mean probability in each bin, and the estimated share of rows of which it is the truth.

    With two classes and flip rates that are equal, it is
    :func:`lwcal.metrics.corrected_reliability_curve` of the same rows.

    Parameters
    ----------
    rows : JudgedRows
    asked : integers of shape (n,)
        The class of each row whose probability is judged: the most probable one, or always the
        same one.
    expected : (K, K)
        Expected probability of each label (column) for each true class (row).
    matrices : sequence of (K, K)
        Matrices that are equally probable, for the intervals.
    n_bins : int, default 10
        Bins of equal weight.
    confidence : float, default 0.9
        Level of the intervals, for each bin separately. They hold the uncertainty about the
        matrix, and that of the rows.

    Examples
    --------
    >>> given = np.tile([0.8, 0.1, 0.1], (100, 1))
    >>> labels = np.repeat([0, 1, 2], [76, 12, 12])
    >>> noise = np.full((3, 3), 0.05) + 0.85 * np.eye(3)
    >>> rows = JudgedRows(labels, given, np.ones(100), ("a", "b", "c"))
    >>> curve = corrected_class_curve(rows, np.zeros(100, dtype=int), noise, [noise], n_bins=1)
    >>> curve.predicted.round(2), curve.observed.round(2), curve.lower.round(2)
    (array([0.8]), array([0.84]), array([0.75]))
    """
    probability = rows.probabilities[np.arange(len(asked)), asked]
    agrees = rows.labels == asked
    bins = _bins(ScoreTable.from_arrays(probability, agrees, rows.weights), probability, n_bins)
    n_filled = int(bins.max()) + 1
    weight = np.bincount(bins, rows.weights, n_filled)
    agreeing = np.bincount(bins, rows.weights * agrees, n_filled)
    resampling = Resampling(confidence, N_DRAWS, random_state=0)
    generator = resampling.generator()
    size = (-(-N_DRAWS // len(matrices)), n_filled)

    def drawn(matrix: FloatArray) -> FloatArray:
        """Shares of the truth: those of labels from their posterior under Jeffreys' prior."""
        found = _values(rows, asked, matrix, bins, n_filled)
        share = generator.beta(agreeing + 0.5, weight - agreeing + 0.5, size)
        rest = found.spread * generator.standard_normal(size)
        return share * found.agreeing + (1.0 - share) * found.others + rest

    shares = np.clip(np.concatenate([drawn(matrix) for matrix in matrices]), 0.0, 1.0)
    lower, upper = np.quantile(shares, resampling.tails, axis=0)
    at_expected = _values(rows, asked, expected, bins, n_filled)
    part = agreeing / weight
    observed = np.clip(part * at_expected.agreeing + (1.0 - part) * at_expected.others, 0.0, 1.0)
    return ReliabilityCurve(
        predicted=np.bincount(bins, rows.weights * probability, n_filled) / weight,
        observed=observed,
        weight=weight.astype(np.float64),
        lower=np.minimum(lower, observed),
        upper=np.maximum(upper, observed),
        confidence=confidence,
    )


class _Values(NamedTuple):
    """What a label says of the truth, in each bin: means, and the error of the rows around them."""

    agreeing: FloatArray
    others: FloatArray
    spread: FloatArray


def _values(
    rows: JudgedRows, asked: IndexArray, matrix: FloatArray, bins: IndexArray, n_bins: int
) -> _Values:
    """Correct "the label is the class that was asked for" as a loss is corrected.

    A bin in which no label agrees, or every label does, takes the value that such labels would
    have on average.
    """
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    value = inverse[rows.labels, asked]
    right = inverse[asked, asked]
    wrong = (inverse.sum(axis=0)[asked] - right) / (len(matrix) - 1)
    agrees = rows.labels == asked

    def mean(weights: FloatArray, otherwise: FloatArray) -> FloatArray:
        total = np.bincount(bins, weights, n_bins)
        found = np.bincount(bins, weights * value, n_bins)
        usual = np.bincount(bins, rows.weights * otherwise, n_bins) / weight
        return np.divide(found, total, out=usual, where=total > 0.0)

    weight = np.bincount(bins, rows.weights, n_bins)
    agreeing = mean(rows.weights * agrees, right)
    others = mean(rows.weights * ~agrees, wrong)
    residuals = value - np.where(agrees, agreeing[bins], others[bins])
    squares = np.bincount(bins, rows.weights * residuals**2, n_bins)
    return _Values(agreeing, others, np.sqrt(squares) / weight)


def _bins(table: ScoreTable, probability: FloatArray, n_bins: int) -> IndexArray:
    """Number of the bin of each row, among those that hold any."""
    starts = equal_mass(table, n_bins)
    filled = starts < np.append(starts[1:], len(table))
    return np.searchsorted(table.scores[starts[filled]], probability, side="right") - 1
