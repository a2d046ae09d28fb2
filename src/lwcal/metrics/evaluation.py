"""All metrics that are one number, at once."""

from collections.abc import Callable, Sequence
from typing import Any

from lwcal.metrics._table import pooled, require_both_classes
from lwcal.metrics.calibration import adaptive_ece_of, ece_of
from lwcal.metrics.conditional import class_gap_of, classwise_ece_of, minority_ece_of
from lwcal.metrics.discrimination import auc_of, macro_f1_of
from lwcal.metrics.proper import brier_of, nll_of
from lwcal.metrics.smooth import smooth_ece_of
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

METRICS: dict[str, Callable[[ScoreTable], float]] = {
    "ece": ece_of,
    "adaptive_ece": adaptive_ece_of,
    "smooth_ece": smooth_ece_of,
    "brier": brier_of,
    "nll": nll_of,
    "auc": auc_of,
    "macro_f1": macro_f1_of,
    "classwise_ece": classwise_ece_of,
    "minority_ece": minority_ece_of,
    "class_gap": class_gap_of,
}
"""Every metric that is one number, as a function of a table."""


def evaluate(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    which: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> dict[str, float]:
    """Compute metrics that are one number, with their default options.

    Parameters
    ----------
    which : sequence of str, optional
        Names of the metrics wanted; all by default.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`; both classes must occur.

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
    return evaluate_table(pooled(y_true, y_prob, sample_weight, pos_label), which)


def evaluate_table(table: ScoreTable, which: Sequence[str] | None = None) -> dict[str, float]:
    """Compute metrics that are one number from a table whose labels are the truth."""
    require_both_classes(table, "evaluate")
    wanted = tuple(METRICS) if which is None else tuple(which)
    for name in wanted:
        check_parameter("which", name, OneOf(tuple(METRICS)))
    return {name: METRICS[name](table) for name in wanted}
