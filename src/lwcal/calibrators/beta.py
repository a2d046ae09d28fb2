"""Beta calibration."""

from collections.abc import Mapping
from typing import Any, ClassVar

from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.maps import BetaMap
from lwcal.numerics.logistic import BETA, fit_logistic
from lwcal.table import ScoreTable


class Beta(Calibrator):
    """Three-parameter beta calibration (Kull, Silva Filho and Flach, 2017).

    ``sigmoid(a * log(p) - b * log(1 - p) + c)`` with ``a >= 0`` and ``b >= 0``, by maximum
    likelihood. A penalty worth a millionth of a row keeps the fit to separable data finite.

    Parameters
    ----------
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``a``, ``b`` and ``c``.

    Examples
    --------
    >>> Beta().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]).predict([0.5]).round(3)
    array([0.5])
    """

    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "a": "weight of log p",
        "b": "weight of -log(1 - p)",
        "c": "constant",
    }

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        fitted = fit_beta(table)
        return Fitted(fitted, {"a": fitted.a, "b": fitted.b, "c": fitted.c})


def fit_beta(table: ScoreTable) -> BetaMap:
    """Maximum-likelihood beta map of a table."""
    a, b, c = fit_logistic(BETA, table.columns, table.totals)
    return BetaMap(a=a, b=b, c=c)
