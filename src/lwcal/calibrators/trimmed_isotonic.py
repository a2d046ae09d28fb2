"""Isotonic calibration after hard trimming (TrimCal-Iso in the paper)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.calibrators.isotonic import fit_isotonic
from lwcal.calibrators.trimming import KEEP_RULE, trim
from lwcal.parameters import Rule
from lwcal.table import ScoreTable


class TrimmedIsotonic(Calibrator):
    """Isotonic calibration on the rows with the lowest losses.

    Parameters
    ----------
    keep : float, default 0.85
        Share of the rows to keep; 1 keeps all. The paper advises 0.8 to 0.9. When trimming
        would leave one class only, nothing is trimmed and ``diagnostics_["kept"]`` is 1.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``kept``, the share of the rows that was kept.

    Examples
    --------
    >>> scores, labels = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [1, 0, 0, 1, 1, 1]
    >>> TrimmedIsotonic(keep=0.8).fit(scores, labels).predict([0.1, 0.9])
    array([0., 1.])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"keep": KEEP_RULE}
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {"kept": "share of the rows that is kept"}

    def __init__(self, *, keep: float = 0.85, pos_label: Any = None) -> None:
        self.keep = keep
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        trimmed = trim(table, self.keep)
        return Fitted(fit_isotonic(trimmed), {"kept": trimmed.n / table.n})
