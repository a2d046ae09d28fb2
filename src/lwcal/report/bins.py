"""Rows to counts that the page can carry, however many rows there are."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray, LabelArray
from lwcal.calibrators import Calibrator, LWCal, label_weights
from lwcal.numerics.quantiles import weighted_quantile
from lwcal.report.data import Bins, Histograms, MapCurve, Thresholds, WeightHistogram
from lwcal.table import ScoreTable

BINS = 200
"""The most that the page carries. The explorer moves by whole bins, so its counts are exact."""
Grid: TypeAlias = tuple[tuple[float, int], ...]
"""Ends of stretches, and in how many bins of equal width each is cut."""
HIGH = 0.95
GRIDS: tuple[tuple[float, Grid], ...] = (
    (0.01, ((0.01, 100), (0.1, 45), (1.0, 45))),
    (0.1, ((0.1, 100), (1.0, 90))),
    (1.0, ((1.0, BINS),)),
)
"""Thresholds by where 95% of the rows end: rare events are decided at small probabilities."""
WEIGHT_BINS = 20
ROUNDING = 1e-9


def thresholds(table: ScoreTable, calibrator: Calibrator) -> Thresholds:
    """Count rows, and true positives that the calibrator expects, by score and by probability.

    >>> from lwcal.calibrators import Identity
    >>> table = ScoreTable.from_arrays([0.25, 0.75, 0.75], [0, 0, 1])
    >>> found = thresholds(table, Identity().fit_table(table))
    >>> found.after.weight[[50, 150]], found.after.positives[[50, 150]]
    (array([1., 2.]), array([0.25, 1.5 ]))
    """
    probabilities = calibrator.predict(table.scores)
    weight = table.negatives + table.positives
    high = min(weighted_quantile(side, weight, HIGH) for side in (table.scores, probabilities))
    edges = _edges(next(grid for most, grid in GRIDS if high <= most))

    def counted(values: FloatArray) -> Bins:
        place = _place(values, edges)
        bins = len(edges)
        return Bins(_sums(place, weight, bins), _sums(place, weight * probabilities, bins))

    return Thresholds(edges, counted(table.scores), counted(probabilities))


def histograms(table: ScoreTable, calibrator: Calibrator) -> Histograms:
    """Count rows by score and by probability, for the pictures."""
    edges = _edges(((1.0, BINS),))
    weight = table.negatives + table.positives
    before, after = (
        _sums(_place(values, edges), weight, BINS)
        for values in (table.scores, calibrator.predict(table.scores))
    )
    return Histograms(before, after)


def _edges(grid: Grid) -> FloatArray:
    """Lower ends of the bins, as the doubles next to the decimal numbers that are shown."""
    starts = [0.0, *(end for end, _ in grid)]
    parts = [
        np.linspace(start, end, bins, endpoint=False)
        for start, (end, bins) in zip(starts, grid, strict=False)
    ]
    return np.concatenate(parts).round(6)


def _place(values: FloatArray, edges: FloatArray) -> IndexArray:
    """Bin of each value; one on an edge is above it, as a row at the threshold is flagged."""
    return np.searchsorted(edges, values + ROUNDING, side="right") - 1


def _sums(place: IndexArray, values: FloatArray, bins: int) -> FloatArray:
    return np.asarray(np.bincount(place, values, bins), dtype=np.float64)


def map_curve(calibrator: Calibrator) -> MapCurve:
    """Tabulate the map on an even grid."""
    scores = np.linspace(0.0, 1.0, BINS + 1)
    return MapCurve(scores, calibrator.predict(scores))


def weight_histogram(
    scores: FloatArray, labels: LabelArray, frequencies: FloatArray | None
) -> WeightHistogram:
    """Count rows by the weight that the paper's LWCal gives to their labels."""
    fitted = LWCal().fit(scores, labels, frequencies)
    found = label_weights(fitted, scores, labels)
    counted = np.ones(len(found)) if frequencies is None else frequencies

    def count(rows: BoolArray) -> FloatArray:
        rows_in_bin, _ = np.histogram(
            found.weight[rows], WEIGHT_BINS, range=(0.0, 1.0), weights=counted[rows]
        )
        return rows_in_bin.astype(np.float64)

    return WeightHistogram(count(~found.contradicts), count(found.contradicts))
