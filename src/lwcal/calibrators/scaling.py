"""Scalings of the log-probabilities: temperature, vector and matrix."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import ClassCalibrator, FittedClasses
from lwcal.maps import BetaMap
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.joint_fit import fit_scaling
from lwcal.multiclass.scaling_numbers import (
    DIAGONAL_SD,
    INTERCEPT_SD,
    LOG_SLOPE_SD,
    OFF_DIAGONAL_SD,
    ScalingPrior,
)
from lwcal.numerics.soft_line import fit_soft_line
from lwcal.parameters import Between, Rule
from lwcal.table import ScoreTable

_POSITIVE = Between(0.0, float("inf"), open="low")


class Temperature(ClassCalibrator):
    """Temperature scaling (Guo, Pleiss, Sun and Weinberger, 2017): one number sharpens or flattens.

    Every log-probability is multiplied by the same slope, which is one over the temperature. The
    ranking of the classes within a row does not change. The slope is the most probable one if its
    logarithm is normal around 0 with standard deviation 2. This prior is worth less than a row.
    It keeps the fit to separable labels finite.

    Scores have the shape (n,), those of the positive class, or (n, K), those of all classes.

    Parameters
    ----------
    pos_label : optional
        The positive class of scores of shape (n,), when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``slope``; the temperature is one over it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.5, 0.5, 0.5], 5000)
    >>> labels = (rng.random((5000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> overconfident = truth**3 / (truth**3).sum(axis=1, keepdims=True)
    >>> Temperature().fit(overconfident, labels).predict([[0.8, 0.1, 0.1]]).round(1)
    array([[0.5, 0.2, 0.2]])
    """

    diagnostic_meanings: ClassVar[Mapping[str, str]] = {"slope": "of the log-probabilities"}

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        slope, _ = fit_soft_line(table.columns, LOG_SLOPE_SD)
        return Fitted(BetaMap(a=slope, b=slope, c=0.0), {"slope": slope})

    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        fitted = fit_scaling(rows, ScalingPrior(LOG_SLOPE_SD))
        return FittedClasses(fitted, {"slope": float(fitted.matrix[0, 0])})


class _StructuredScaling(ClassCalibrator):
    """A slope for all classes, and what a class adds to it."""

    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "slope": "of the log-probabilities, the mean over the classes",
        "intercept": "of the positive class, for scores of two classes",
    }
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset({"intercept"})
    intercept_sd: float

    def _fit(self, table: ScoreTable) -> Fitted:
        # with two classes, structure is a line: what counts is the difference of the intercepts
        slope, intercept = fit_soft_line(table.columns, LOG_SLOPE_SD, sqrt(2.0) * self.intercept_sd)
        diagnostics = {"slope": slope, "intercept": intercept}
        return Fitted(BetaMap(a=slope, b=slope, c=intercept), diagnostics)

    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        fitted = fit_scaling(rows, self._prior())
        return FittedClasses(fitted, {"slope": float(np.diagonal(fitted.matrix).mean())})

    @abstractmethod
    def _prior(self) -> ScalingPrior:
        """Prior of the numbers of the scaling."""


class VectorScaling(_StructuredScaling):
    """Vector scaling: a slope and an intercept for each class, near those of all classes.

    The score of class k is ``(slope + diagonal[k]) * x[k] + intercepts[k]``, with x the centred
    log-probabilities; a softmax makes them probabilities. Normal priors hold each class near the
    common slope and near an intercept of 0. Few rows give temperature scaling, many rows free
    every class. With two classes, this is a line on the log-odds.

    Parameters
    ----------
    intercept_sd : float, default 0.8
        Standard deviation of the intercepts.
    diagonal_sd : float, default 0.2
        Standard deviation of what a class adds to the common slope.
    pos_label : optional
        The positive class of scores of shape (n,), when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``slope``, the mean over the classes; for two classes also ``intercept``.

    Examples
    --------
    >>> scores = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]
    >>> VectorScaling().fit(scores, ["a", "b", "c", "b"]).predict(scores[:1]).shape
    (1, 3)
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "intercept_sd": _POSITIVE,
        "diagonal_sd": _POSITIVE,
    }

    def __init__(
        self,
        *,
        intercept_sd: float = INTERCEPT_SD,
        diagonal_sd: float = DIAGONAL_SD,
        pos_label: Any = None,
    ) -> None:
        self.intercept_sd = intercept_sd
        self.diagonal_sd = diagonal_sd
        self.pos_label = pos_label

    def _prior(self) -> ScalingPrior:
        return ScalingPrior(LOG_SLOPE_SD, self.intercept_sd, self.diagonal_sd)


class MatrixScaling(_StructuredScaling):
    """Structured matrix scaling: vector scaling, and what each class takes from the others.

    The score of class k is ``(slope + diagonal[k]) * x[k] + off_diagonal[k] @ x + intercepts[k]``,
    with x the centred log-probabilities; a softmax makes them probabilities. Normal priors hold
    all but the slope near 0, those off the diagonal the more the more classes there are. So the
    fit is temperature scaling where rows are few, and a free matrix where they are many. With two
    classes, this is a line on the log-odds.

    Parameters
    ----------
    intercept_sd : float, default 0.8
        Standard deviation of the intercepts.
    diagonal_sd : float, default 0.2
        Standard deviation of what a class adds to the common slope.
    off_diagonal_sd : float, default 0.3
        Standard deviation of the numbers off the diagonal, times the number of classes.
    pos_label : optional
        The positive class of scores of shape (n,), when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``slope``, the mean over the classes; for two classes also ``intercept``.

    Examples
    --------
    >>> scores = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]
    >>> MatrixScaling().fit(scores, ["a", "b", "c", "b"]).map_.matrix.shape
    (3, 3)
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "intercept_sd": _POSITIVE,
        "diagonal_sd": _POSITIVE,
        "off_diagonal_sd": _POSITIVE,
    }

    def __init__(
        self,
        *,
        intercept_sd: float = INTERCEPT_SD,
        diagonal_sd: float = DIAGONAL_SD,
        off_diagonal_sd: float = OFF_DIAGONAL_SD,
        pos_label: Any = None,
    ) -> None:
        self.intercept_sd = intercept_sd
        self.diagonal_sd = diagonal_sd
        self.off_diagonal_sd = off_diagonal_sd
        self.pos_label = pos_label

    def _prior(self) -> ScalingPrior:
        return ScalingPrior(LOG_SLOPE_SD, self.intercept_sd, self.diagonal_sd, self.off_diagonal_sd)
