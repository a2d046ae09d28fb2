"""Judge the reliability of several classes by labels as they are, and corrected for noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.estimates import Estimate
from lwcal.metrics import ReliabilityCurve, reliability_curve
from lwcal.metrics.class_intervals import class_intervals
from lwcal.metrics.class_reliability import corrected_class_curve
from lwcal.metrics.corrected_classes import corrected_class_metrics
from lwcal.metrics.plausible_noise import InverseNoise
from lwcal.metrics.resampling import Resampling
from lwcal.metrics.several_classes import JudgedRows
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.report.class_report_data import BothCurves, ClassPanel, ClassView
from lwcal.report.label_views import (
    CONFIDENCE,
    CORRECTED_NOTE,
    POINTS,
    RESAMPLES,
    TRUSTED_NOTE,
    with_intervals,
)
from lwcal.report.report_data import Quality
from lwcal.table import ScoreTable

MOST_PANELS = 12
"""Classes that have a reliability diagram of their own."""
PANEL_POINTS = 6
LABELLED_NOTE = "These points treat every label as right. Wrong labels pull high points down."
QUALITIES = (
    ("Log loss", "nll", "nll"),
    ("Brier score", "class_brier", "brier"),
    ("Top-label ECE", "ece", "top_label_ece"),
)
"""Names on the page, those that decide about their range, and those of the metrics."""

Curve: TypeAlias = Callable[[JudgedRows, IndexArray, int], ReliabilityCurve]
"""A function of rows, of the class that is judged in each, and of a number of points."""


class BothRows(NamedTuple):
    """The same rows with raw scores, and with calibrated probabilities."""

    before: JudgedRows
    after: JudgedRows


def labelled_view(rows: BothRows, names: Sequence[str]) -> ClassView:
    """Judge by the labels as they are."""
    return _plain("labelled", "Labels as they are", LABELLED_NOTE, rows, names)


def trusted_view(rows: BothRows, names: Sequence[str]) -> ClassView:
    """Judge by labels that are right."""
    return _plain("trusted", "Trusted labels", TRUSTED_NOTE, rows, names)


def _plain(key: str, title: str, note: str, rows: BothRows, names: Sequence[str]) -> ClassView:
    qualities = _qualities(*(class_intervals(side) for side in rows))
    return _view(key, title, note, rows, names, qualities, _labelled_curve)


def corrected_view(
    rows: BothRows,
    names: Sequence[str],
    noise: ClassNoiseEstimate,
    plausible: Sequence[FloatArray],
    inverses: InverseNoise,
) -> ClassView:
    """Judge by the labels corrected for noise.

    Parameters
    ----------
    rows : BothRows
    names : sequence of str
        Of the classes.
    noise : ClassNoiseEstimate
    plausible : sequence of (K, K)
        Noise matrices that are equally probable.
    inverses : InverseNoise
        What corrects the metrics: the same as in the comparison with other calibrators.
    """

    def curve(side: JudgedRows, asked: IndexArray, n_bins: int) -> ReliabilityCurve:
        return corrected_class_curve(
            side, asked, noise.expected_matrix, plausible, n_bins=n_bins, confidence=CONFIDENCE
        )

    resampling = Resampling(CONFIDENCE, RESAMPLES, random_state=0)
    qualities = _qualities(*(corrected_class_metrics(side, inverses, resampling) for side in rows))
    title = "Corrected for noise"
    return _view("corrected", title, CORRECTED_NOTE, rows, names, qualities, curve)


def most_frequent(labels: IndexArray, weights: FloatArray, n_classes: int) -> list[int]:
    """Classes that have rows, the most frequent first.

    >>> most_frequent(np.array([2, 0, 2]), np.ones(3), 4)
    [2, 0]
    """
    shares = np.bincount(labels, weights, n_classes)
    return [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] > 0.0]


def _view(
    key: str,
    title: str,
    note: str,
    rows: BothRows,
    names: Sequence[str],
    qualities: tuple[Quality, ...],
    curve: Curve,
) -> ClassView:
    n = float(rows.before.weights.sum())
    return ClassView(
        key, title, note, n, _top_curves(rows, curve), qualities, _panels(rows, names, curve)
    )


def _qualities(before: dict[str, Estimate], after: dict[str, Estimate]) -> tuple[Quality, ...]:
    return tuple(
        with_intervals(name, key, before[metric], after[metric]) for name, key, metric in QUALITIES
    )


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
