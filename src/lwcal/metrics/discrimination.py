"""Metrics of how well probabilities separate the classes, whatever their calibration."""

from typing import Any

import numpy as np

from lwcal import kernels
from lwcal.metrics.inputs import as_metric_table, require_both_classes
from lwcal.parameters import SHARE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable


def auc(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Area under the ROC curve.

    Take all pairs of a positive and a negative row. The area is the share of pairs in which the
    positive row has the larger probability. Equal probabilities count half.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`. Both classes must occur.

    Returns
    -------
    float

    Examples
    --------
    >>> auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9])
    0.875
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    require_both_classes(table, "auc")
    return float(kernels.ranked_pairs(*table.columns) / (table.n_positive * table.n_negative))


def macro_f1(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    threshold: float = 0.5,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Mean of the F1 scores of both classes.

    A class that neither occurs nor is predicted is left out of the mean, as in scikit-learn.

    Parameters
    ----------
    threshold : float, default 0.5
        A row is predicted positive if its probability is at least this.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(macro_f1([0, 0, 1, 1], [0.1, 0.6, 0.7, 0.9]), 3)
    0.733
    """
    check_parameter("threshold", threshold, SHARE)
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    below, above = table.split(threshold)
    right, wrong = (below[0], above[1]), below[1] + above[0]
    # F1 = 2 TP / (2 TP + FP + FN), and FP + FN is the same for both classes
    return float(np.mean([2 * r / (2 * r + wrong) for r in right if r + wrong > 0]))
