"""Calibration after hard trimming, which drops the labels that the model contradicts most."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lwcal import kernels
from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.calibrators.beta import Beta, fit_beta
from lwcal.calibrators.isotonic import fit_isotonic
from lwcal.numerics.quantiles import weighted_quantile
from lwcal.parameters import Between, Rule
from lwcal.table import ScoreTable

KEEP_RULES: Mapping[str, Rule] = {"keep": Between(0.0, 1.0, open="low")}
KEPT = "share of rows kept"


class TrimmedIsotonic(Calibrator):
    """Isotonic calibration on the rows with the lowest losses (TrimCal-Iso in the paper).

    Parameters
    ----------
    keep : float, default 0.85
        Share of rows to keep; 1 keeps all. The paper advises 0.8 to 0.9. If trimming would
        remove a class, nothing is trimmed and ``diagnostics_["kept"]`` is 1.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``kept``, the share of rows kept.

    Examples
    --------
    >>> scores, labels = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [1, 0, 0, 1, 1, 1]
    >>> TrimmedIsotonic(keep=0.8).fit(scores, labels).predict([0.1, 0.9])
    array([0., 1.])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = KEEP_RULES
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {"kept": KEPT}

    def __init__(self, *, keep: float = 0.85, pos_label: Any = None) -> None:
        self.keep = keep
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        trimmed = trim(table, self.keep)
        return Fitted(fit_isotonic(trimmed), {"kept": trimmed.n / table.n})


class TrimmedBeta(Calibrator):
    """Beta calibration on the rows with the lowest losses (TrimCal-Beta in the paper).

    Parameters
    ----------
    keep : float, default 0.85
        Share of rows to keep; 1 keeps all. The paper advises 0.8 to 0.9. If trimming would
        remove a class, nothing is trimmed and ``diagnostics_["kept"]`` is 1.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``kept``, the share of rows kept, and the coefficients ``a``, ``b`` and ``c`` of the map.

    Examples
    --------
    >>> scores, labels = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [1, 0, 0, 1, 1, 1]
    >>> round(TrimmedBeta(keep=0.8).fit(scores, labels).diagnostics_["kept"], 3)
    0.833
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = KEEP_RULES
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {"kept": KEPT, **Beta.diagnostic_meanings}

    def __init__(self, *, keep: float = 0.85, pos_label: Any = None) -> None:
        self.keep = keep
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        trimmed = trim(table, self.keep)
        fitted = fit_beta(trimmed)
        kept = trimmed.n / table.n
        return Fitted(fitted, {"kept": kept, "a": fitted.a, "b": fitted.b, "c": fitted.c})


def trim(table: ScoreTable, keep: float) -> ScoreTable:
    """Keep the rows whose loss is at most the ``keep`` quantile of all losses.

    Rows with equal loss stay or go together. If that would leave one class only, nothing is
    trimmed, because the rest would teach no probability.
    """
    if_negative = kernels.log_losses(1.0 - table.scores)
    if_positive = kernels.log_losses(table.scores)
    losses = np.concatenate((if_negative, if_positive))
    weights = np.concatenate((table.negatives, table.positives))
    limit = weighted_quantile(losses, weights, keep)
    negatives = np.where(if_negative <= limit, table.negatives, 0.0)
    positives = np.where(if_positive <= limit, table.positives, 0.0)
    if not (negatives.any() and positives.any()):
        return table
    kept = negatives + positives > 0
    return ScoreTable(table.scores[kept], negatives[kept], positives[kept])
