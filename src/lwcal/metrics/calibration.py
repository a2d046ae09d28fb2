"""Calibration errors from bins: how far the probabilities are from what happened."""

from typing import Any

import numpy as np

from lwcal.metrics._bins import Binning, bin_sums, equal_mass, equal_width
from lwcal.metrics._table import pooled
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

N_BINS = 15


def ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = N_BINS,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Expected calibration error over bins of equal width (paper, equation 7).

    The mean over rows of the distance between the mean probability and the share of
    positive labels in the row's bin.

    Parameters
    ----------
    n_bins : int, default 15
        A probability p is in bin ``floor(p * n_bins)``, and 1 is in the last bin.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> round(ece([0, 1, 1, 1], [0.25, 0.75, 0.75, 0.75]), 3)
    0.25
    """
    return ece_of(pooled(y_true, y_prob, sample_weight, pos_label), n_bins)


def adaptive_ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = N_BINS,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Expected calibration error over bins of equal weight.

    Equal probabilities stay together, so bins can differ in weight where there are ties,
    and the value does not depend on the order of the rows.

    Parameters
    ----------
    n_bins : int, default 15
        Rows of probability p are in bin ``floor(n_bins * (below + own / 2) / total)``, where
        ``below`` is the weight of smaller probabilities and ``own`` the weight of p.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> round(adaptive_ece([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], n_bins=2), 3)
    0.25
    """
    return adaptive_ece_of(pooled(y_true, y_prob, sample_weight, pos_label), n_bins)


def ece_of(table: ScoreTable, n_bins: int = N_BINS) -> float:
    """Expected calibration error of a table."""
    return _binned_error(table, n_bins, equal_width)


def adaptive_ece_of(table: ScoreTable, n_bins: int = N_BINS) -> float:
    """Expected calibration error of a table over bins of equal weight."""
    return _binned_error(table, n_bins, equal_mass)


def _binned_error(table: ScoreTable, n_bins: int, binning: Binning) -> float:
    sums = bin_sums(table, n_bins, binning)
    return float(np.abs(sums.positives - sums.probability).sum() / table.n)
