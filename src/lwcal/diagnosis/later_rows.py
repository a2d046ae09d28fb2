"""Compare calibrators on later rows than those that they are fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.crossfit import CrossFitted
from lwcal.diagnosis.comparison import (
    EXACT_SCORES,
    N_RESAMPLES,
    Comparison,
    TimeSplit,
    checked_methods,
    few_rows_sentence,
    judge_predictions,
    ranked,
)
from lwcal.errors import InputError
from lwcal.metrics.resampling import Resampling
from lwcal.noise.estimate import estimate_table
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import Noise, as_rate_posterior
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.spans import Spans
from lwcal.rows.time_counts import Maturity, choose_cut, named_cut
from lwcal.rows.timed_arrays import TimedColumns
from lwcal.rows.times import FIRST, shown_time, time_parameter
from lwcal.table import ScoreTable

EARLIER, LATER = range(2)
"""Places of the two spans."""


def spans_at(cut: int, until: int | None) -> Spans:
    """The time before a cut, and that since then."""
    return Spans(np.array([FIRST, cut]), until)


def compare_timed(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    times: ArrayLike,
    split_at: Any = None,
    maturity: Maturity | None = None,
    pos_label: Any = None,
    scale: str | None = None,
    **options: Any,
) -> Comparison:
    """Split rows in memory by time, and compare calibrators; see :func:`lwcal.compare`."""
    mature = maturity or Maturity()
    mature.check()
    if split_at is not None:
        time_parameter("split_at", split_at)
    rows = TimedColumns.of(scores, y, sample_weight, times)
    counts = rows.count_times()
    until = mature.until(counts)
    if split_at is None:
        cut = choose_cut(counts, rows.seconds_of, until)
    else:
        cut = named_cut("split_at", split_at, counts)
    known = PROBABILITY if scale is None else scale
    found = rows.reduce(spans_at(cut, until), pos_label=pos_label, scale=known)
    earlier, later = (
        ScoreTable.of_counts(span.labelled, None, found.scale) if len(span.labelled.low) else None
        for span in found.spans
    )
    return compare_later(earlier, later, cut, young=found.young, **options)


def compare_later(
    earlier: ScoreTable | None,
    later: ScoreTable | None,
    cut: int,
    *,
    methods: Iterable[str],
    noise_rates: Noise | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    young: int = 0,
    on_progress: Callable[[], None] = lambda: None,
) -> Comparison:
    """Fit calibrators to earlier rows, and judge them on later ones.

    The flip rates are estimated from the earlier rows: in the later ones, drift could pass for
    wrong labels, and the correction would hide it.
    """
    names = checked_methods(methods)
    check_parameter("confidence", confidence, CONFIDENCE)
    train = _with_both_classes(earlier, f"before {shown_time(cut)}")
    test = _with_both_classes(later, f"since {shown_time(cut)}")
    rates = as_rate_posterior(estimate_table(train) if noise_rates is None else noise_rates)
    fitted_to, judged_on = (pool_by_logit(one, exact_up_to=EXACT_SCORES) for one in (train, test))
    predictions = {}
    for name in names:
        predicted = CALIBRATORS[name]().fit_table(fitted_to).map_(judged_on.scores)
        counts = (judged_on.negatives, judged_on.positives)
        predictions[name] = CrossFitted(judged_on.scores, predicted, *counts)
        on_progress()
    resampling = Resampling(confidence, n_resamples, random_state=0)
    found = judge_predictions(predictions, rates, resampling)
    split = TimeSplit(shown_time(cut), train.n, young)
    warning = few_rows_sentence(train.n, known=noise_rates is not None)
    return Comparison(test.n, rates.mean(), confidence, ranked(found), split, warning)


def _with_both_classes(table: ScoreTable | None, when: str) -> ScoreTable:
    found = [0.0, 0.0] if table is None else [table.n_negative, table.n_positive]
    if table is not None and all(found):
        return table
    raise InputError(
        f"The rows {when} have {found[0]:,.0f} negative and {found[1]:,.0f} positive labels that "
        "count, and both classes are needed. Choose another time to split at."
    )
