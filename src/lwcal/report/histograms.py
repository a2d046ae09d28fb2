"""Count rows in bins, so that the page stays small however many rows there are."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lwcal import kernels
from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.calibrators import Calibrator, LWCal
from lwcal.numerics.quantiles import weighted_quantile
from lwcal.report.report_data import Bins, Histograms, MapCurve, Thresholds, WeightHistogram
from lwcal.table import ScoreTable

BINS = 200
"""Largest number of bins on the page. The explorer moves by whole bins, so its counts are exact."""
Grid: TypeAlias = tuple[tuple[float, int], ...]
"""Upper ends of intervals, and the number of bins of equal width in each."""
HIGH = 0.95
GRIDS: tuple[tuple[float, Grid], ...] = (
    (0.01, ((0.01, 100), (0.1, 45), (1.0, 45))),
    (0.1, ((0.1, 100), (1.0, 90))),
    (1.0, ((1.0, BINS),)),
)
"""The grid depends on the 95% quantile: rare events are decided at small probabilities."""
WEIGHT_BINS = 20
ROUNDING = 1e-9


def thresholds(table: ScoreTable, calibrator: Calibrator) -> Thresholds:
    """Count rows and expected true positives by score and by calibrated probability.

    Examples
    --------
    >>> from lwcal.calibrators import Identity
    >>> table = ScoreTable.from_arrays([0.25, 0.75, 0.75], [0, 0, 1])
    >>> found = thresholds(table, Identity().fit_table(table))
    >>> found.after.weight[[50, 150]], found.after.positives[[50, 150]]
    (array([1., 2.]), array([0.25, 1.5 ]))
    """
    probabilities = calibrator.map_(table.scores)
    weight = table.negatives + table.positives
    high = min(weighted_quantile(side, weight, HIGH) for side in (table.scores, probabilities))
    edges = _edges(next(grid for most, grid in GRIDS if high <= most))

    def counted(values: FloatArray) -> Bins:
        place = _place(values, edges)
        bins = len(edges)
        return Bins(_sums(place, weight, bins), _sums(place, weight * probabilities, bins))

    return Thresholds(edges, counted(table.scores), counted(probabilities))


def histograms(table: ScoreTable, calibrator: Calibrator) -> Histograms:
    """Count rows by score and by calibrated probability, for the pictures."""
    edges = _edges(((1.0, BINS),))
    weight = table.negatives + table.positives
    before, after = (
        _sums(_place(values, edges), weight, BINS)
        for values in (table.scores, calibrator.map_(table.scores))
    )
    return Histograms(before, after)


def _edges(grid: Grid) -> FloatArray:
    """Return the lower ends of the bins. Each is the double next to the decimal that is shown."""
    starts = [0.0, *(end for end, _ in grid)]
    parts = [
        np.linspace(start, end, bins, endpoint=False)
        for start, (end, bins) in zip(starts, grid, strict=False)
    ]
    return np.concatenate(parts).round(6)


def _place(values: FloatArray, edges: FloatArray) -> IndexArray:
    """Return the bin of each value. A value on an edge is above it, as at a threshold."""
    return np.searchsorted(edges, values + ROUNDING, side="right") - 1


def _sums(place: IndexArray, values: FloatArray, bins: int) -> FloatArray:
    return np.asarray(np.bincount(place, values, bins), dtype=np.float64)


def map_curve(calibrator: Calibrator) -> MapCurve:
    """Evaluate the map on a regular grid."""
    scores = np.linspace(0.0, 1.0, BINS + 1)
    return MapCurve(scores, calibrator.map_(scores))


def weight_histogram(table: ScoreTable, calibrator: Calibrator) -> WeightHistogram:
    """Count rows by the weight that LWCal gives to their labels.

    If the calibrator is an LWCal, its own weights are counted. Otherwise they are those of an
    LWCal with default settings, fitted to this table.
    """
    fitted = calibrator if isinstance(calibrator, LWCal) else LWCal().fit_table(table)
    decided = table.scores >= fitted.threshold
    # first all negative labels, then all positive ones
    losses = kernels.log_losses(np.concatenate([1.0 - table.scores, table.scores]))
    weights = fitted.reliability_weights(losses)
    counts = np.concatenate([table.negatives, table.positives])
    contradicts = np.concatenate([decided, ~decided])

    def count(rows: BoolArray) -> FloatArray:
        found, _ = np.histogram(weights[rows], WEIGHT_BINS, range=(0.0, 1.0), weights=counts[rows])
        return found.astype(np.float64)

    return WeightHistogram(count(~contradicts), count(contradicts))
