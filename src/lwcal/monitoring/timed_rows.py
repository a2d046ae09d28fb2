"""``monitor_periods``: compare rows in memory by their times."""

from __future__ import annotations

from typing import Any

from lwcal.calibrators import Calibrator
from lwcal.calibrators.base import reference_of
from lwcal.calibrators.passed import require_calibrator
from lwcal.monitoring.new_tables import NewTables
from lwcal.monitoring.period_verdict import PeriodMonitoring
from lwcal.monitoring.periods import PeriodRows, compare_periods
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows import ArrayLike
from lwcal.rows.periods import PERIODS, choose_period, period_starts
from lwcal.rows.spans import Spans, SpansReduction
from lwcal.rows.time_counts import Maturity
from lwcal.rows.timed_arrays import TimedColumns
from lwcal.table import ScoreTable


def monitor_periods(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    times: ArrayLike,
    period: str | None = None,
    label_matures: float | None = None,
    as_of: Any = None,
    pos_label: Any = None,
    scale: str | None = None,
) -> PeriodMonitoring:
    """Compare the rows of every period with those that a calibrator was fitted to.

    The tests are those of :func:`lwcal.monitor`. Their p-values are adjusted by Holm's method for
    the tests of all periods: the probability that unchanged rows raise any alarm stays below 1%,
    however many periods there are. So a change must be clearer to be found in one of many periods.
    Small p-values come from a permutation test. Weights that are not whole numbers cannot be
    exchanged; with them, false alarms are more frequent.

    Parameters
    ----------
    calibrator : Calibrator
        Of two classes: fitted, or loaded from a file that holds a reference.
    scores : one-dimensional
        New scores of the same model.
    y : one-dimensional, optional
        Labels of the same rows; missing where they have not arrived yet. Such rows count for the
        scores, and not for the labels.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.
    times : one-dimensional
        Dates, timestamps, or their text in ISO format. Times with a zone are counted in UTC.
    period : {"day", "week", "month", "quarter", "year"}, optional
        By default the finest one that gives at most 24 periods, of which half have at least 200
        rows. Weeks begin on Monday.
    label_matures : float, optional
        Days until a label is final. Labels of younger rows count as missing, the positive ones
        too: if only positives arrive early, young labels would look too positive.
    as_of : date, timestamp or text, optional
        When the labels were read; by default the newest time of the rows.
    pos_label : optional
        The positive class; that of the calibrator by default.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; that of the calibrator by default.

    Returns
    -------
    PeriodMonitoring
        With ``periods``, ``since``, ``sentence``, ``verdict``, ``overall`` and ``to_dict()``.

    Examples
    --------
    From March on, labels at equal scores are positive less often:

    >>> import lwcal
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 6000)
    >>> calibrator = lwcal.Platt().fit(scores[:3000], rng.random(3000) < scores[:3000])
    >>> new = scores[3000:]
    >>> times = np.datetime64("2024-01-01") + np.arange(3000) // 30
    >>> truth = np.where(times < np.datetime64("2024-03-01"), new, new * 0.6)
    >>> found = monitor_periods(
    ...     calibrator, new, rng.random(3000) < truth, times=times, period="month"
    ... )
    >>> found.since.name, [one.level for one in found.periods]
    ('2024-03', ['no drift', 'no drift', 'refit', 'refit'])
    """
    require_calibrator(calibrator)
    calibrator.require_two_classes()
    reference_of(calibrator)
    if period is not None:
        check_parameter("period", period, OneOf(PERIODS))
    maturity = Maturity(label_matures, as_of)
    maturity.check()
    rows = TimedColumns.of(scores, y, sample_weight, times)
    counts = rows.count_times()
    known = period or choose_period(counts.days, counts.rows)
    spans = Spans(period_starts(counts.days, known), maturity.until(counts), needs_labels=False)
    positive = calibrator.pos_label if pos_label is None else pos_label
    found = rows.reduce(spans, pos_label=positive, scale=calibrator.scale_of(scale))
    return compare_periods(
        calibrator, period_rows(found, spans, limit=None), known, young=found.young
    )


def period_rows(found: SpansReduction, spans: Spans, limit: int | None) -> list[PeriodRows]:
    """Tables of the periods that have rows."""
    periods = []
    for start, counted in zip(spans.starts.tolist(), found.spans, strict=True):
        tables = [
            ScoreTable.of_counts(counts, limit, found.scale) if len(counts.low) else None
            for counts in counted
        ]
        if any(table is not None for table in tables):
            periods.append(PeriodRows(start, NewTables(*tables)))
    return periods
