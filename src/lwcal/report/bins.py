"""Rows to counts that the page can carry, however many rows there are."""

from __future__ import annotations

import numpy as np

from lwcal.audit import audit_table
from lwcal.calibrators import Calibrator, LWCal
from lwcal.kernels.arrays import BoolArray, FloatArray, IndexArray, LabelArray
from lwcal.report.data import Bins, MapCurve, Thresholds, WeightHistogram
from lwcal.table import ScoreTable

BINS = 200
"""Of thresholds: the slider moves in steps of one bin, so the page adds up exact counts."""
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
    return Thresholds(
        _binned(table.scores, weight, probabilities), _binned(probabilities, weight, probabilities)
    )


def _binned(values: FloatArray, weight: FloatArray, probabilities: FloatArray) -> Bins:
    # a value on an edge belongs above it, as a row with the threshold's very score is flagged
    place = np.minimum(np.floor(values * BINS + ROUNDING).astype(np.intp), BINS - 1)
    return Bins(_sums(place, weight), _sums(place, weight * probabilities))


def _sums(place: IndexArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(place, values, BINS), dtype=np.float64)


def map_curve(calibrator: Calibrator) -> MapCurve:
    """Tabulate the map on an even grid."""
    scores = np.linspace(0.0, 1.0, BINS + 1)
    return MapCurve(scores, calibrator.predict(scores))


def weight_histogram(
    scores: FloatArray, labels: LabelArray, frequencies: FloatArray | None
) -> WeightHistogram:
    """Count rows by the weight that the paper's LWCal gives to their labels."""
    fitted = LWCal().fit(scores, labels, frequencies)
    audit = audit_table(fitted, scores, labels)
    counted = np.ones(len(audit)) if frequencies is None else frequencies

    def count(rows: BoolArray) -> FloatArray:
        found, _ = np.histogram(
            audit.weight[rows], WEIGHT_BINS, range=(0.0, 1.0), weights=counted[rows]
        )
        return found.astype(np.float64)

    return WeightHistogram(count(~audit.contradicts), count(audit.contradicts))
