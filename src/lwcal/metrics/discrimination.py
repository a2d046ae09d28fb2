"""How well probabilities separate the classes, whatever their calibration."""

from typing import Any

import numpy as np

from lwcal.metrics._table import pooled, require_both_classes
from lwcal.parameters import SHARE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

THRESHOLD = 0.5


def auc(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Area under the ROC curve.

    The share of pairs of a positive and a negative row in which the positive one has the
    larger probability; equal probabilities count half.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`; both classes must occur.

    Examples
    --------
    >>> auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9])
    0.875
    """
    return auc_of(pooled(y_true, y_prob, sample_weight, pos_label))


def macro_f1(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    threshold: float = THRESHOLD,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Mean of the F1 scores of both classes.

    A class that neither occurs nor is predicted is left out of the mean, as in scikit-learn.

    Parameters
    ----------
    threshold : float, default 0.5
        A probability from here on is a decision for the positive class.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> round(macro_f1([0, 0, 1, 1], [0.1, 0.6, 0.7, 0.9]), 3)
    0.733
    """
    return macro_f1_of(pooled(y_true, y_prob, sample_weight, pos_label), threshold)


def auc_of(table: ScoreTable) -> float:
    """Area under the ROC curve of a table."""
    require_both_classes(table, "auc")
    negatives_below = np.cumsum(table.negatives) - table.negatives / 2
    ranked_right = float((table.positives * negatives_below).sum())
    return ranked_right / (table.n_positive * table.n_negative)


def macro_f1_of(table: ScoreTable, threshold: float = THRESHOLD) -> float:
    """Mean F1 score of a table."""
    check_parameter("threshold", threshold, SHARE)
    cut = int(np.searchsorted(table.scores, threshold, side="left"))
    right = (float(table.negatives[:cut].sum()), float(table.positives[cut:].sum()))
    wrong = float(table.positives[:cut].sum() + table.negatives[cut:].sum())
    # F1 = 2 TP / (2 TP + FP + FN), and FP + FN is the same for both classes
    return float(np.mean([2 * r / (2 * r + wrong) for r in right if r + wrong > 0]))
