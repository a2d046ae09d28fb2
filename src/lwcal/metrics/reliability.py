"""The reliability curve: what happened against what was predicted, with intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray
from lwcal.metrics._bins import Binning, bin_sums, equal_mass, equal_width
from lwcal.metrics._table import pooled
from lwcal.metrics.calibration import N_BINS
from lwcal.parameters import CONFIDENCE, OneOf, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

STRATEGIES: dict[str, Binning] = {"uniform": equal_width, "quantile": equal_mass}


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """One point for every bin that holds rows, by increasing probability.

    Attributes
    ----------
    predicted : float64 array
        Mean probability.
    observed : float64 array
        Share of positive labels.
    weight : float64 array
        Number of rows, or their weight.
    lower, upper : float64 arrays
        Wilson interval of the share of positive labels.
    """

    predicted: FloatArray
    observed: FloatArray
    weight: FloatArray
    lower: FloatArray
    upper: FloatArray


def reliability_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = N_BINS,
    strategy: str = "uniform",
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> ReliabilityCurve:
    """Mean probability and share of positive labels in each bin.

    Parameters
    ----------
    n_bins : int, default 15
        Bins; those without rows are left out of the curve.
    strategy : {"uniform", "quantile"}
        Bins of equal width, as in :func:`ece`, or of equal weight, as in :func:`adaptive_ece`.
    confidence : float, default 0.95
        Confidence level of the intervals, each bin for itself.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> curve = reliability_curve([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.7], n_bins=2)
    >>> curve.predicted, curve.observed, curve.lower.round(2), curve.upper.round(2)
    (array([0.2, 0.7]), array([0., 1.]), array([0.  , 0.34]), array([0.66, 1.  ]))
    """
    table = pooled(y_true, y_prob, sample_weight, pos_label)
    return reliability_curve_of(table, n_bins, strategy, confidence)


def reliability_curve_of(
    table: ScoreTable, n_bins: int = N_BINS, strategy: str = "uniform", confidence: float = 0.95
) -> ReliabilityCurve:
    """Reliability curve of a table."""
    check_parameter("confidence", confidence, CONFIDENCE)
    check_parameter("strategy", strategy, OneOf(tuple(STRATEGIES)))
    sums = bin_sums(table, n_bins, STRATEGIES[strategy])
    kept = sums.weight > 0
    weight, positives, probability = (column[kept] for column in sums)
    lower, upper = wilson_interval(positives, weight, confidence)
    return ReliabilityCurve(probability / weight, positives / weight, weight, lower, upper)


def wilson_interval(
    successes: FloatArray, trials: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson score interval of a share, which stays inside [0, 1] and works for few rows."""
    z = float(ndtri(0.5 + confidence / 2))
    share = successes / trials
    center = (successes + z * z / 2) / (trials + z * z)
    half = z * np.sqrt(trials * share * (1.0 - share) + z * z / 4) / (trials + z * z)
    # the interval holds the share and ends at 0 or 1 with it; rounding must not change that
    lower = np.clip(center - half, 0.0, share)
    upper = np.clip(center + half, share, 1.0)
    return lower, upper
