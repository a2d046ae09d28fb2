"""Compute several metrics at once."""

from collections.abc import Callable, Sequence
from typing import Any

from lwcal.inputs import ArrayLike
from lwcal.metrics.calibration import adaptive_ece, ece
from lwcal.metrics.class_conditional import class_gap, classwise_ece, minority_ece
from lwcal.metrics.discrimination import auc, macro_f1
from lwcal.metrics.inputs import as_metric_table, require_both_classes
from lwcal.metrics.proper import brier, nll
from lwcal.metrics.smooth import smooth_ece
from lwcal.parameters import OneOf, check_parameter
from lwcal.table import ScoreTable

METRICS: dict[str, Callable[..., float]] = {
    metric.__name__: metric
    for metric in (
        ece,
        adaptive_ece,
        smooth_ece,
        brier,
        nll,
        auc,
        macro_f1,
        classwise_ece,
        minority_ece,
        class_gap,
    )
}
"""Every metric that is a single number. Each accepts rows or a ScoreTable."""


def evaluate(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    which: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> dict[str, float]:
    """Compute several metrics with their default options.

    Parameters
    ----------
    which : sequence of str, optional
        Names of the metrics; all metrics that are a single number by default.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`. Both classes must occur.

    Returns
    -------
    dict of str to float
        Each value equals that of the function with this name.

    Examples
    --------
    >>> values = evaluate([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9])
    >>> values["auc"], round(values["brier"], 3)
    (0.875, 0.135)
    """
    wanted = tuple(METRICS) if which is None else tuple(which)
    for name in wanted:
        check_parameter("which", name, OneOf(tuple(METRICS)))
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    require_both_classes(table, "evaluate")
    return {name: METRICS[name](table) for name in wanted}
