"""Platt scaling: one slope and one intercept."""

from collections.abc import Mapping
from typing import Any, ClassVar

from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.maps import BetaMap, Map, SigmoidMap
from lwcal.numerics.logistic import ON_LOGITS, ON_SCORES, Targets, fit_logistic
from lwcal.parameters import OneOf, Rule
from lwcal.table import ScoreTable


class Platt(Calibrator):
    """Logistic regression of the labels on the score, with Platt's smoothed targets.

    The smoothing (targets ``(P + 1) / (P + 2)`` and ``1 / (N + 2)`` for P positive and N
    negative rows) keeps the fit to separable data finite. The slope is at least zero, so the map
    is monotone; scores that rank the labels backwards give a constant.

    Parameters
    ----------
    space : {"logit", "score"}, default "logit"
        Feature of the regression: ``log(p / (1 - p))``, or ``p`` itself as in scikit-learn's
        ``CalibratedClassifierCV``. The paper does not say which one it used.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``slope`` and ``intercept``.

    Examples
    --------
    >>> scores, labels = [0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]
    >>> Platt().fit(scores, labels).predict([0.5]).round(3)
    array([0.5])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"space": OneOf(("logit", "score"))}
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "slope": "of the line through the log-odds",
        "intercept": "of that line",
    }

    def __init__(self, *, space: str = "logit", pos_label: Any = None) -> None:
        self.space = space
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        targets = smooth_targets(table)
        if self.space == "score":
            slope, _, intercept = fit_logistic(ON_SCORES, table.columns, table.totals, targets)
            fitted: Map = SigmoidMap(slope, intercept)
        else:
            slope, _, intercept = fit_logistic(ON_LOGITS, table.columns, table.totals, targets)
            fitted = BetaMap(a=slope, b=slope, c=intercept)
        return Fitted(fitted, {"slope": slope, "intercept": intercept})


def smooth_targets(table: ScoreTable) -> Targets:
    """Platt's targets instead of labels 0 and 1."""
    return Targets(
        if_positive=(table.n_positive + 1.0) / (table.n_positive + 2.0),
        if_negative=1.0 / (table.n_negative + 2.0),
    )
