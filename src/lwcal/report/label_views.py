"""Judge reliability before and after calibration by three kinds of labels.

These are the labels as they are, the labels corrected for noise, and trusted labels.
"""

from __future__ import annotations

from functools import partial

from lwcal.calibrators import Calibrator
from lwcal.estimates import Estimate
from lwcal.metrics import corrected_evaluate, corrected_reliability_curve, reliability_curve
from lwcal.metrics.evaluation import METRICS
from lwcal.metrics.noise_correction import clean_table
from lwcal.noise.rates import RatePosterior
from lwcal.report.report_data import LabelView, Quality
from lwcal.table import ScoreTable

POINTS = 10
"""Number of bins of equal weight, so that no point rests on only a few rows."""
CONFIDENCE = 0.9
RESAMPLES = 200
QUALITIES = {"Log loss": "nll", "Brier score": "brier", "ECE": "ece"}
"""Names on the page, and those of the metrics."""
CLASS_ERRORS = {
    "mean of both classes": "classwise_ece",
    "rarer class": "minority_ece",
    "gap between the classes": "class_gap",
}
LABELLED_NOTE = (
    "These points treat every label as right. Wrong labels pull them towards the middle."
)
CORRECTED_NOTE = (
    "These points estimate what the true labels would show, from these labels and the estimated "
    "noise. The bands include the uncertainty about the noise."
)
TRUSTED_NOTE = (
    "Only the rows that have a trusted label are used here. If they were picked for a reason, and "
    "not drawn at random, they are not like the others."
)


def labelled_view(table: ScoreTable, calibrator: Calibrator) -> LabelView:
    """Judge by the labels as they are."""
    return _plain("labelled", "Labels as they are", LABELLED_NOTE, table, calibrator)


def trusted_view(table: ScoreTable, calibrator: Calibrator) -> LabelView:
    """Judge by labels that are right."""
    return _plain("trusted", "Trusted labels", TRUSTED_NOTE, table, calibrator)


def corrected_view(table: ScoreTable, calibrator: Calibrator, rates: RatePosterior) -> LabelView:
    """Judge by the labels corrected for noise."""
    before, after = table, mapped(table, calibrator)
    curve = partial(
        corrected_reliability_curve,
        noise_rates=rates,
        n_bins=POINTS,
        strategy="quantile",
        confidence=CONFIDENCE,
    )
    return LabelView(
        "corrected",
        "Corrected for noise",
        CORRECTED_NOTE,
        table.n,
        curve(before),
        curve(after),
        _corrected_qualities(before, after, rates),
        _class_errors(*(clean_table(side, rates.mean()) for side in (before, after))),
    )


def mapped(table: ScoreTable, calibrator: Calibrator) -> ScoreTable:
    """Pool the labels by calibrated probability."""
    return ScoreTable.from_counts(calibrator.map_(table.scores), table.negatives, table.positives)


def _plain(key: str, title: str, note: str, table: ScoreTable, calibrator: Calibrator) -> LabelView:
    before, after = table, mapped(table, calibrator)
    curve = partial(reliability_curve, n_bins=POINTS, strategy="quantile", confidence=CONFIDENCE)
    return LabelView(
        key,
        title,
        note,
        table.n,
        curve(before),
        curve(after),
        _qualities(QUALITIES, before, after),
        _class_errors(before, after),
    )


def _class_errors(before: ScoreTable, after: ScoreTable) -> tuple[Quality, ...]:
    # with a single class there is nothing to compare; corrected counts can leave only one
    if min(before.n_negative, before.n_positive) <= 0.0:
        return ()
    return _qualities(CLASS_ERRORS, before, after)


def _qualities(names: dict[str, str], before: ScoreTable, after: ScoreTable) -> tuple[Quality, ...]:
    return tuple(
        Quality(name, key, METRICS[key](before), METRICS[key](after)) for name, key in names.items()
    )


def _corrected_qualities(
    before: ScoreTable, after: ScoreTable, rates: RatePosterior
) -> tuple[Quality, ...]:
    found_before, found_after = (
        corrected_evaluate(
            side,
            noise_rates=rates,
            which=tuple(QUALITIES.values()),
            confidence=CONFIDENCE,
            n_resamples=RESAMPLES,
        )
        for side in (before, after)
    )
    return tuple(
        with_intervals(name, key, found_before[key], found_after[key])
        for name, key in QUALITIES.items()
    )


def with_intervals(name: str, key: str, before: Estimate, after: Estimate) -> Quality:
    """Set two estimates of one metric side by side."""
    return Quality(
        name, key, before.value, after.value, (before.low, before.high), (after.low, after.high)
    )
