"""Calibration errors within each true class, as in the paper's class-conditional table.

The paper gives no formula. Its values (for the raw score 0.342 classwise and 0.384 for the
minority, next to an overall ECE of 0.188) fit errors restricted to the rows of one true
class: ECE_c compares the probability given to class c with its outcome, which is 1 in all
of these rows. All residuals then have one sign, so bins make no difference and

    ECE_1 = 1 - mean(p | y = 1),    ECE_0 = mean(p | y = 0).

Read them with care: a perfectly calibrated score has errors above 0 here unless it is
also certain. The classwise error is half of 1 minus the distance of the two class means
(Tjur's coefficient of discrimination), so it rewards sharp scores.
"""

from typing import Any, NamedTuple

from lwcal.metrics._table import pooled, require_both_classes
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable


def classwise_ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Mean of the calibration errors within the two true classes.

    ``ECE_1 = 1 - mean(p | y = 1)`` and ``ECE_0 = mean(p | y = 0)``: errors of the probability
    given to the true class. They are 0 only for a score that is both right and certain.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`; both classes must occur.

    Examples
    --------
    >>> round(classwise_ece([0, 0, 1], [0.1, 0.3, 0.6]), 3)
    0.3
    """
    return classwise_ece_of(pooled(y_true, y_prob, sample_weight, pos_label))


def minority_ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Calibration error within the rarer true class, or the positive one when they tie.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`classwise_ece`.

    Examples
    --------
    >>> round(minority_ece([0, 0, 1], [0.1, 0.3, 0.6]), 3)
    0.4
    """
    return minority_ece_of(pooled(y_true, y_prob, sample_weight, pos_label))


def class_gap(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Distance between the calibration errors within the two true classes.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`classwise_ece`.

    Examples
    --------
    >>> round(class_gap([0, 0, 1], [0.1, 0.3, 0.6]), 3)
    0.2
    """
    return class_gap_of(pooled(y_true, y_prob, sample_weight, pos_label))


class _ClassErrors(NamedTuple):
    negative: float
    positive: float


def _class_errors(table: ScoreTable, metric: str) -> _ClassErrors:
    require_both_classes(table, metric)
    return _ClassErrors(
        negative=float((table.negatives * table.scores).sum()) / table.n_negative,
        positive=float((table.positives * (1.0 - table.scores)).sum()) / table.n_positive,
    )


def classwise_ece_of(table: ScoreTable) -> float:
    """Mean of the two class errors of a table."""
    return sum(_class_errors(table, "classwise_ece")) / 2


def minority_ece_of(table: ScoreTable) -> float:
    """Error of the rarer class of a table."""
    errors = _class_errors(table, "minority_ece")
    # sums of fractional weights carry rounding, which must not decide a tie
    positive_is_rarer = table.n_positive <= table.n_negative * (1.0 + 1e-9)
    return errors.positive if positive_is_rarer else errors.negative


def class_gap_of(table: ScoreTable) -> float:
    """Distance of the two class errors of a table."""
    errors = _class_errors(table, "class_gap")
    return abs(errors.positive - errors.negative)
