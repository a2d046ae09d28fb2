"""LWCal: isotonic calibration that gives contradicted labels less weight."""

from collections.abc import Mapping, Sequence
from copy import copy
from math import inf
from typing import Any, ClassVar, Self

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.calibrators.base import ONE_CLASS, Calibrator, Fitted
from lwcal.errors import ParameterError, message
from lwcal.kernels.pure import reliability_weights, weight_scale
from lwcal.maps import PiecewiseLinearMap
from lwcal.parameters import Between, Rule
from lwcal.rows.totals import count_together
from lwcal.table import ScoreTable

SCALE_FLOOR = 1e-12
"""Smallest scale of the weights, whatever ``epsilon`` is; below it, losses differ by rounding."""


class LWCal(Calibrator):
    """Loss-weighted isotonic calibration (paper, equations 1, 2 and 5).

    Every row has the loss of its label under the score. A loss far above the median means that
    the model contradicts the label, and the row gets less weight in the isotonic fit.

    If half of the losses are equal, the median absolute deviation s is 0 and ``epsilon`` alone
    sets the scale. Then losses below the median get the largest weight, losses at the median
    half of it, and losses above the median the smallest weight.

    Parameters
    ----------
    floor : float, default 0.05
        Smallest weight.
    ceiling : float, default 1.0
        Largest weight.
    mad_factor : float, default 1.4826
        Factor that turns the median absolute deviation of normal losses into a standard
        deviation.
    epsilon : float, default 1e-6
        Added to the scale; the paper does not state its size. The scale is at least 1e-12.
    threshold : float, default 0.5
        Score from which on the model decides for the positive class, for d.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``m``, the median loss; ``s``, the median absolute deviation; ``d``, the share of labels
        that contradict the model's decision.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> labels = [0, 0, 1, 0, 1, 1, 0, 1]
    >>> calibrator = LWCal().fit(scores, labels)
    >>> calibrator.predict([0.3, 0.85]).round(3)
    array([0.219, 0.976])
    >>> calibrator.diagnostics_["d"]
    0.25
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "floor": Between(0.0, 1.0),
        "ceiling": Between(0.0, 1.0, open="low"),
        "mad_factor": Between(0.0, inf),
        "epsilon": Between(0.0, inf),
        "threshold": Between(0.0, 1.0),
    }
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "m": "median loss of the labels under the scores",
        "s": "median absolute deviation of those losses",
        "d": "share of labels that contradict the model's decision",
    }

    def __init__(
        self,
        *,
        floor: float = 0.05,
        ceiling: float = 1.0,
        mad_factor: float = 1.4826,
        epsilon: float = 1e-6,
        threshold: float = 0.5,
        pos_label: Any = None,
    ) -> None:
        self.floor = floor
        self.ceiling = ceiling
        self.mad_factor = mad_factor
        self.epsilon = epsilon
        self.threshold = threshold
        self.pos_label = pos_label

    def check_parameters(self) -> None:
        """Refuse parameters outside their documented range."""
        super().check_parameters()
        if self.floor > self.ceiling:
            raise ParameterError(
                message("floor to be at most ceiling", f"{self.floor!r} and {self.ceiling!r}")
            )

    def _fit(self, table: ScoreTable) -> Fitted:
        return self._fitted(table, *kernels.loss_weighted_isotonic(*table.columns, *self._rule))

    def fit_each(self, tables: Sequence[ScoreTable]) -> list[Self]:
        """Fit a copy to each of several tables, on all cores."""
        if type(self)._fit is not LWCal._fit:  # a subclass that fits in another way
            return super().fit_each(tables)
        self.check_parameters()
        count_together(tables, self.threshold)
        for table in tables:
            table.require_both_classes(ONE_CLASS)
        columns = [table.columns for table in tables]
        found = kernels.loss_weighted_isotonics(columns, *self._rule)
        return [
            copy(self)._keep(self._fitted(table, *one), table)
            for table, one in zip(tables, found, strict=True)
        ]

    @property
    def _rule(self) -> tuple[float, float, float, float, float]:
        """How weights follow from losses, as the kernels take it."""
        return self.mad_factor, self.epsilon, SCALE_FLOOR, self.floor, self.ceiling

    def _fitted(
        self, table: ScoreTable, m: float, s: float, x: FloatArray, y: FloatArray
    ) -> Fitted:
        """What a kernel learned from a table, and the disagreement."""
        d = table.disagreement(self.threshold)
        return Fitted(PiecewiseLinearMap.unchecked(x, y), {"m": m, "s": s, "d": d})

    def diagnostics_of(self, table: ScoreTable) -> dict[str, float]:
        """Diagnostics that a fit to these rows would have. Nothing is fitted."""
        return self._fit(table).diagnostics

    def reliability_weights(self, losses: FloatArray) -> FloatArray:
        """Weights of rows with these losses (paper, equation 2)."""
        self.check_is_fitted()
        m, s = self.diagnostics_["m"], self.diagnostics_["s"]
        scale = weight_scale(s, self.mad_factor, self.epsilon, SCALE_FLOOR)
        return reliability_weights(losses, m, scale, self.floor, self.ceiling)
