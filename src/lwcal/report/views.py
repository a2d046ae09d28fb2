"""Reliability before and after, by labels as they are, corrected for noise, and trusted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lwcal.arrays import FloatArray, LabelArray
from lwcal.calibrators import Calibrator
from lwcal.metrics import Corrected, ReliabilityCurve, corrected_evaluate
from lwcal.metrics.calibration import ece_of
from lwcal.metrics.conditional import class_gap_of, classwise_ece_of, minority_ece_of
from lwcal.metrics.corrected_reliability import corrected_reliability_curve
from lwcal.metrics.correction import clean_table
from lwcal.metrics.proper import brier_of, nll_of
from lwcal.metrics.reliability import reliability_curve_of
from lwcal.noise.rates import RatePosterior
from lwcal.report.data import LabelView, Quality
from lwcal.table import ScoreTable

POINTS = 10
"""Bins of equal weight: no point of the picture rests on a handful of rows."""
CONFIDENCE = 0.9
RESAMPLES = 200
QUALITIES: dict[str, Callable[[ScoreTable], float]] = {
    "NLL": nll_of,
    "Brier score": brier_of,
    "ECE": ece_of,
}
CLASS_ERRORS: dict[str, Callable[[ScoreTable], float]] = {
    "mean of both classes": classwise_ece_of,
    "rarer class": minority_ece_of,
    "gap between the classes": class_gap_of,
}
LABELLED_NOTE = "As if every label was right. Wrong labels pull these points towards the middle."
CORRECTED_NOTE = (
    "What true labels would show, estimated from these labels and what is known of their noise. "
    "The bands carry what is not known of it."
)
TRUSTED_NOTE = "Judged by the trusted labels alone, on the rows that have one."


def labelled_view(table: ScoreTable, calibrator: Calibrator) -> LabelView:
    """Judge by the labels as they are."""
    return _plain("labelled", "Labels as they are", LABELLED_NOTE, table, calibrator)


def trusted_view(table: ScoreTable, calibrator: Calibrator) -> LabelView:
    """Judge by labels that are right."""
    return _plain("trusted", "Trusted labels", TRUSTED_NOTE, table, calibrator)


def corrected_view(table: ScoreTable, calibrator: Calibrator, rates: RatePosterior) -> LabelView:
    """Judge by what true labels would say, as far as the noise is known."""
    before, after = table, mapped(table, calibrator)
    return LabelView(
        "corrected",
        "Corrected for noise",
        CORRECTED_NOTE,
        table.n,
        _corrected_curve(before, rates),
        _corrected_curve(after, rates),
        _corrected_qualities(before, after, rates),
        _class_errors(*(clean_table(side, rates.mean()) for side in (before, after))),
    )


def mapped(table: ScoreTable, calibrator: Calibrator) -> ScoreTable:
    """Pool the labels by calibrated probability."""
    return ScoreTable.from_counts(
        calibrator.predict(table.scores), table.negatives, table.positives
    )


def _plain(key: str, title: str, note: str, table: ScoreTable, calibrator: Calibrator) -> LabelView:
    before, after = table, mapped(table, calibrator)
    return LabelView(
        key,
        title,
        note,
        table.n,
        reliability_curve_of(before, POINTS, "quantile", CONFIDENCE),
        reliability_curve_of(after, POINTS, "quantile", CONFIDENCE),
        tuple(Quality(name, of(before), of(after)) for name, of in QUALITIES.items()),
        _class_errors(before, after),
    )


def _class_errors(before: ScoreTable, after: ScoreTable) -> tuple[Quality, ...]:
    # of a single class there is nothing to compare; the counts are corrected ones, or few
    if min(before.n_negative, before.n_positive) <= 0.0:
        return ()
    return tuple(Quality(name, of(before), of(after)) for name, of in CLASS_ERRORS.items())


def _as_rows(table: ScoreTable) -> tuple[LabelArray, FloatArray, FloatArray]:
    """Labels, probabilities and weights of rows that pool to the table."""
    labels = np.repeat(np.array([0, 1], dtype=np.uint8), len(table))
    weights = np.concatenate([table.negatives, table.positives])
    return labels, np.tile(table.scores, 2), weights


def _corrected_curve(table: ScoreTable, rates: RatePosterior) -> ReliabilityCurve:
    labels, probabilities, weights = _as_rows(table)
    return corrected_reliability_curve(
        labels,
        probabilities,
        rates,
        n_bins=POINTS,
        strategy="quantile",
        sample_weight=weights,
        confidence=CONFIDENCE,
    )


def _corrected_qualities(
    before: ScoreTable, after: ScoreTable, rates: RatePosterior
) -> tuple[Quality, ...]:
    found = [_corrected(side, rates) for side in (before, after)]
    return tuple(
        _with_intervals(title, found[0][name], found[1][name])
        for title, name in zip(QUALITIES, ("nll", "brier", "ece"), strict=True)
    )


def _corrected(table: ScoreTable, rates: RatePosterior) -> dict[str, Corrected]:
    labels, probabilities, weights = _as_rows(table)
    return corrected_evaluate(
        labels,
        probabilities,
        rates,
        which=("nll", "brier", "ece"),
        sample_weight=weights,
        confidence=CONFIDENCE,
        n_resamples=RESAMPLES,
    )


def _with_intervals(name: str, before: Corrected, after: Corrected) -> Quality:
    return Quality(
        name, before.value, after.value, (before.low, before.high), (after.low, after.high)
    )
