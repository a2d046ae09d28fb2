"""The reliability curve: observed share of positives against predicted probability."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray
from lwcal.inputs import ArrayLike
from lwcal.metrics.binning import Binning, bin_sums, equal_mass, equal_width
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.inputs import as_metric_table
from lwcal.parameters import CONFIDENCE, OneOf, check_parameter
from lwcal.table import ScoreTable

STRATEGIES: dict[str, Binning] = {"uniform": equal_width, "quantile": equal_mass}


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """One point for every bin that holds rows, by increasing probability.

    Attributes
    ----------
    predicted : float64 array
        Mean probability in each bin.
    observed : float64 array
        Share of positive labels in each bin.
    weight : float64 array
        Number of rows in each bin, or their weight.
    lower, upper : float64 arrays
        Ends of the interval of the observed share, for each bin separately.
    confidence : float
        Level of these intervals.
    """

    predicted: FloatArray
    observed: FloatArray
    weight: FloatArray
    lower: FloatArray
    upper: FloatArray
    confidence: float


def reliability_curve(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    n_bins: int = N_BINS,
    strategy: str = "uniform",
    confidence: float = 0.9,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> ReliabilityCurve:
    """Compute the mean probability and the share of positive labels in each bin.

    Parameters
    ----------
    n_bins : int, default 15
        Number of bins. Empty bins are left out of the curve.
    strategy : {"uniform", "quantile"}
        Bins of equal width, as in :func:`ece`, or of equal weight, as in :func:`adaptive_ece`.
    confidence : float, default 0.9
        Level of the Wilson intervals, for each bin separately.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    ReliabilityCurve

    Examples
    --------
    >>> curve = reliability_curve([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.7], n_bins=2)
    >>> curve.predicted, curve.observed, curve.lower.round(2), curve.upper.round(2)
    (array([0.2, 0.7]), array([0., 1.]), array([0.  , 0.43]), array([0.57, 1.  ]))
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    check_parameter("strategy", strategy, OneOf(tuple(STRATEGIES)))
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    sums = bin_sums(table, n_bins, STRATEGIES[strategy])
    kept = sums.weight > 0
    weight, positives, probability = (column[kept] for column in sums)
    ends = wilson_interval(positives, weight, confidence)
    return ReliabilityCurve(probability / weight, positives / weight, weight, *ends, confidence)


def wilson_interval(
    successes: FloatArray, trials: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson score interval of a share. It stays inside [0, 1] and works for few rows."""
    z = float(ndtri(0.5 + confidence / 2))
    share = successes / trials
    center = (successes + z * z / 2) / (trials + z * z)
    half = z * np.sqrt(trials * share * (1.0 - share) + z * z / 4) / (trials + z * z)
    # the interval contains the share, and ends at 0 or 1 if the share does; despite rounding
    lower = np.clip(center - half, 0.0, share)
    upper = np.clip(center + half, share, 1.0)
    return lower, upper
