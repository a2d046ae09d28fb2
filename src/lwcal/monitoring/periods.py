"""Compare the rows of each period with those of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lwcal.calibrators import Calibrator
from lwcal.calibrators.base import reference_of
from lwcal.monitoring.endings import drift_has_ended
from lwcal.monitoring.grading import DriftTest, change_of_labels
from lwcal.monitoring.new_tables import (
    TESTS,
    NewTables,
    changes,
    compare_tables,
    counted_rows,
    judge_rows,
    together,
)
from lwcal.monitoring.period_verdict import Period, PeriodMonitoring
from lwcal.monitoring.permutation import with_exact_p
from lwcal.monitoring.statistics import holm
from lwcal.rows.periods import period_name


class PeriodRows(NamedTuple):
    """The rows of a period, and the second at which it begins."""

    start: int
    rows: NewTables


def compare_periods(
    calibrator: Calibrator, periods: Sequence[PeriodRows], period: str, *, young: int = 0
) -> PeriodMonitoring:
    """Compare the rows of each period, and all of them together.

    Every test of every period counts in the correction of the p-values. So the probability that
    unchanged rows raise any alarm is at most 1%, however many periods there are.
    """
    reference = reference_of(calibrator)
    fitted = reference.table()
    rows = [one.rows for one in periods]
    made = sum(TESTS if one.labelled is not None else 1 for one in rows)
    change = change_of_labels(made)
    counted = [counted_rows(reference, calibrator, one) for one in rows]
    found = [with_exact_p(changes(one, change), one, made) for one in counted]
    adjusted = iter(holm([test.p_value for tests in found for test in tests.values()]))
    judged = [
        judge_rows(tests, fitted, calibrator, one, [next(adjusted) for _ in tests])
        for one, tests in zip(rows, found, strict=True)
    ]
    summaries = tuple(
        _summary(one, tests, calibrator, period) for one, tests in zip(periods, judged, strict=True)
    )
    overall = compare_tables(reference, calibrator, together(rows))
    ended = drift_has_ended(reference, calibrator, rows, found, judged)
    return PeriodMonitoring(overall, period, summaries, young, ended)


def _summary(
    one: PeriodRows, tests: tuple[DriftTest, ...], calibrator: Calibrator, period: str
) -> Period:
    labelled = one.rows.labelled
    weights = np.concatenate([table.negatives + table.positives for table in one.rows.tables])
    scores = np.concatenate([table.scores for table in one.rows.tables])
    return Period(
        name=period_name(one.start, period),
        start=np.datetime64(one.start, "s").astype("M8[D]").item(),
        n=one.rows.n,
        n_labelled=0 if labelled is None else labelled.n,
        mean_score=float(np.average(scores, weights=weights)),
        mean_probability=float(np.average(calibrator.map_(scores), weights=weights)),
        base_rate=None if labelled is None else labelled.base_rate,
        tests=tests,
    )
