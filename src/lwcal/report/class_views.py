"""Judge the reliability of several classes by labels as they are, and corrected for noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray, IndexArray
from lwcal.estimates import Estimate
from lwcal.metrics import ReliabilityCurve, reliability_curve
from lwcal.metrics.class_corrected import class_losses, corrected_by, corrected_top_label_ece
from lwcal.metrics.class_intervals import class_intervals, mean_interval
from lwcal.metrics.class_reliability import corrected_class_curve
from lwcal.metrics.several_classes import JudgedRows
from lwcal.report.class_report_data import BothCurves, ClassPanel, ClassView
from lwcal.report.label_views import (
    CONFIDENCE,
    CORRECTED_NOTE,
    POINTS,
    TRUSTED_NOTE,
    with_intervals,
)
from lwcal.report.report_data import Quality
from lwcal.table import ScoreTable

MOST_PANELS = 12
"""Classes that have a reliability diagram of their own."""
PANEL_POINTS = 6
LABELLED_NOTE = "These points treat every label as right. Wrong labels pull high points down."
LOG_LOSS, BRIER, ECE = "Log loss", "Brier score", "Top-label ECE"

Curve: TypeAlias = Callable[[JudgedRows, IndexArray, int], ReliabilityCurve]
"""A function of rows, of the class that is judged in each, and of a number of points."""


class BothRows(NamedTuple):
    """The same rows with raw scores, and with calibrated probabilities."""

    before: JudgedRows
    after: JudgedRows


class KnownMatrices(NamedTuple):
    """What is known of the noise: the expected matrix, and some that are equally probable."""

    expected: FloatArray
    plausible: Sequence[FloatArray]


def labelled_view(rows: BothRows, names: Sequence[str]) -> ClassView:
    """Judge by the labels as they are."""
    return _plain("labelled", "Labels as they are", LABELLED_NOTE, rows, names)


def trusted_view(rows: BothRows, names: Sequence[str]) -> ClassView:
    """Judge by labels that are right."""
    return _plain("trusted", "Trusted labels", TRUSTED_NOTE, rows, names)


def _plain(key: str, title: str, note: str, rows: BothRows, names: Sequence[str]) -> ClassView:
    before, after = (class_intervals(side) for side in rows)
    qualities = (
        with_intervals(LOG_LOSS, "nll", before["nll"], after["nll"]),
        with_intervals(BRIER, "class_brier", before["brier"], after["brier"]),
        with_intervals(ECE, "ece", before["top_label_ece"], after["top_label_ece"]),
    )
    return ClassView(
        key,
        title,
        note,
        float(rows.before.weights.sum()),
        _top_curves(rows, _labelled_curve),
        qualities,
        _panels(rows, names, _labelled_curve),
    )


def corrected_view(rows: BothRows, names: Sequence[str], noise: KnownMatrices) -> ClassView:
    """Judge by the labels corrected for noise."""

    def curve(side: JudgedRows, asked: IndexArray, n_bins: int) -> ReliabilityCurve:
        return corrected_class_curve(side, asked, *noise, n_bins=n_bins, confidence=CONFIDENCE)

    before, after = (_corrected_losses(side, noise) for side in rows)
    raw_error, new_error = (
        corrected_top_label_ece(side.probabilities, side.labels, side.weights, noise.expected)
        for side in rows
    )
    qualities = (
        with_intervals(LOG_LOSS, "nll", before["nll"], after["nll"]),
        with_intervals(BRIER, "class_brier", before["brier"], after["brier"]),
        Quality(ECE, "ece", raw_error, new_error),
    )
    return ClassView(
        "corrected",
        "Corrected for noise",
        CORRECTED_NOTE,
        float(rows.before.weights.sum()),
        _top_curves(rows, curve),
        qualities,
        _panels(rows, names, curve),
    )


def most_frequent(labels: IndexArray, weights: FloatArray, n_classes: int) -> list[int]:
    """Classes that have rows, the most frequent first.

    >>> most_frequent(np.array([2, 0, 2]), np.ones(3), 4)
    [2, 0]
    """
    shares = np.bincount(labels, weights, n_classes)
    return [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] > 0.0]


def _labelled_curve(side: JudgedRows, asked: IndexArray, n_bins: int) -> ReliabilityCurve:
    probability = side.probabilities[np.arange(len(asked)), asked]
    table = ScoreTable.from_arrays(probability, side.labels == asked, side.weights)
    return reliability_curve(table, n_bins=n_bins, strategy="quantile", confidence=CONFIDENCE)


def _top_curves(rows: BothRows, curve: Curve) -> BothCurves:
    return BothCurves(*(curve(side, side.probabilities.argmax(axis=1), POINTS) for side in rows))


def _panels(rows: BothRows, names: Sequence[str], curve: Curve) -> tuple[ClassPanel, ...]:
    labels, weights = rows.before.labels, rows.before.weights
    shown = most_frequent(labels, weights, len(names))[:MOST_PANELS]
    return tuple(
        ClassPanel(
            names[k],
            BothCurves(*(curve(side, np.full_like(labels, k), PANEL_POINTS) for side in rows)),
        )
        for k in shown
    )


def _corrected_losses(side: JudgedRows, noise: KnownMatrices) -> dict[str, Estimate]:
    return {
        name: _corrected_mean(side, values, noise)
        for name, values in class_losses(side.probabilities).items()
    }


def _corrected_mean(side: JudgedRows, values: FloatArray, noise: KnownMatrices) -> Estimate:
    """Mean of a corrected loss. The interval adds the variance of the rows and of the matrix."""

    def under(matrix: FloatArray) -> Estimate:
        return mean_interval(corrected_by(matrix, side.labels, values), side.weights, CONFIDENCE)

    mean = under(noise.expected).value
    drawn = np.array([under(matrix) for matrix in noise.plausible])
    of_rows = (drawn[:, 2] - drawn[:, 1]) / 2
    of_matrix = float(ndtri(0.5 + CONFIDENCE / 2)) * drawn[:, 0].std()
    half = float(np.sqrt((of_rows**2).mean() + of_matrix**2))
    return Estimate(mean, mean - half, mean + half)
