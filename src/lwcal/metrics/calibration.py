"""Calibration errors from bins: the distance between probabilities and the share of positives."""

from typing import Any

import numpy as np

from lwcal.inputs import ArrayLike
from lwcal.metrics.binning import Binning, bin_sums, equal_mass, equal_width
from lwcal.metrics.inputs import as_metric_table
from lwcal.table import ScoreTable

N_BINS = 15
"""Default number of bins of every binned metric."""


def ece(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    n_bins: int = N_BINS,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Expected calibration error over bins of equal width (paper, equation 7).

    In each bin, take the distance between the mean probability and the share of positive
    labels. The error is the mean of these distances over all rows.

    Parameters
    ----------
    n_bins : int, default 15
        A probability p is in bin ``floor(p * n_bins)``, and 1 is in the last bin.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ece([0, 1, 1, 1], [0.25, 0.75, 0.75, 0.75]), 3)
    0.25
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    return _binned_error(table, n_bins, equal_width)


def adaptive_ece(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    n_bins: int = N_BINS,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Expected calibration error over bins of equal weight.

    Equal probabilities stay in one bin. Bins can therefore differ in weight where there are
    ties, and the value does not depend on the order of the rows.

    Parameters
    ----------
    n_bins : int, default 15
        Rows of probability p are in bin ``floor(n_bins * (below + own / 2) / total)``, where
        ``below`` is the weight of smaller probabilities and ``own`` the weight of p.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(adaptive_ece([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], n_bins=2), 3)
    0.25
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    return _binned_error(table, n_bins, equal_mass)


def _binned_error(table: ScoreTable, n_bins: int, binning: Binning) -> float:
    sums = bin_sums(table, n_bins, binning)
    return float(np.abs(sums.positives - sums.probability).sum() / table.n)
