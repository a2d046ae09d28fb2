"""Calibration errors within each true class, as in the paper's class-conditional table.

The paper gives no formula. It reports 0.342 (classwise) and 0.384 (minority) for the raw score,
next to an overall ECE of 0.188. These values fit errors that are restricted to the rows of one
true class: ECE_c compares the probability of class c with its outcome, which is 1 in all of these
rows. All residuals then have the same sign, so the choice of bins makes no difference and

    ECE_1 = 1 - mean(p | y = 1),    ECE_0 = mean(p | y = 0).

Read these errors with care. A perfectly calibrated score has errors above 0 unless every
probability is 0 or 1. The classwise error is half of 1 minus the difference of the two class
means (Tjur's coefficient of discrimination), so it rewards sharp scores.
"""

from typing import Any, NamedTuple

from lwcal.metrics.inputs import as_metric_table, require_both_classes
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable


def classwise_ece(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Mean of the calibration errors within the two true classes.

    The errors are ``ECE_1 = 1 - mean(p | y = 1)`` and ``ECE_0 = mean(p | y = 0)``: how far the
    probability of the true class is from 1, on average. They are 0 only if every probability is
    0 or 1 and right.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`. Both classes must occur.

    Returns
    -------
    float

    Examples
    --------
    >>> round(classwise_ece([0, 0, 1], [0.1, 0.3, 0.6]), 3)
    0.3
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    return sum(_class_errors(table, "classwise_ece")) / 2


def minority_ece(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Calibration error within the rarer true class.

    The error is that of :func:`lwcal.metrics.classwise_ece`.

    If both classes are equally frequent, it is the error within the positive class.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`. Both classes must occur.

    Returns
    -------
    float

    Examples
    --------
    >>> round(minority_ece([0, 0, 1], [0.1, 0.3, 0.6]), 3)
    0.4
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    errors = _class_errors(table, "minority_ece")
    # sums of fractional weights are rounded; that must not decide a tie
    positive_is_rarer = table.n_positive <= table.n_negative * (1.0 + 1e-9)
    return errors.positive if positive_is_rarer else errors.negative


def class_gap(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Absolute difference of the errors within the two true classes.

    The errors are those of :func:`lwcal.metrics.classwise_ece`.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`. Both classes must occur.

    Returns
    -------
    float

    Examples
    --------
    >>> round(class_gap([0, 0, 1], [0.1, 0.3, 0.6]), 3)
    0.2
    """
    errors = _class_errors(as_metric_table(y_true, y_prob, sample_weight, pos_label), "class_gap")
    return abs(errors.positive - errors.negative)


class _ClassErrors(NamedTuple):
    negative: float
    positive: float


def _class_errors(table: ScoreTable, metric: str) -> _ClassErrors:
    require_both_classes(table, metric)
    negative, positive, *_ = table.class_errors
    return _ClassErrors(negative / table.n_negative, positive / table.n_positive)
