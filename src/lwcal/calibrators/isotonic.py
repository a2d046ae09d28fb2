"""Isotonic calibration, with equal weight for every label."""

from typing import Any

from lwcal import kernels
from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.maps import PiecewiseLinearMap
from lwcal.table import ScoreTable


class Isotonic(Calibrator):
    """Non-decreasing least-squares fit of the labels to the scores (paper, equation 4).

    The same map as scikit-learn's ``IsotonicRegression(out_of_bounds="clip")``.

    Parameters
    ----------
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> Isotonic().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]).predict([0.5, 0.95])
    array([0.5, 1. ])
    """

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        return Fitted(fit_isotonic(table), {})


def fit_isotonic(table: ScoreTable) -> PiecewiseLinearMap:
    """Fit a table by pooling adjacent violators."""
    return PiecewiseLinearMap.unchecked(*kernels.isotonic(*table.columns))
