"""The decision threshold and the gate that a calibrator uses."""

from __future__ import annotations

from dataclasses import dataclass

from lwcal.calibrators import Calibrator, GatedLWCal, LWCal
from lwcal.calibrators.gate import GATE_CENTER, GATE_WIDTH, gate
from lwcal.reference import DECISION
from lwcal.table import ScoreTable


@dataclass(frozen=True)
class DecisionRule:
    """When a score counts as a decision for the positive class, and what disagreement leads to.

    Attributes
    ----------
    threshold : float
        Scores of at least this count as a decision for the positive class.
    gate_center, gate_width : float
        As in :class:`lwcal.GatedLWCal`.
    fitted_disagreement : float or None
        The disagreement that the calibrator measured during its fit, if it did.
    """

    threshold: float
    gate_center: float
    gate_width: float
    fitted_disagreement: float | None

    @classmethod
    def of(cls, calibrator: Calibrator) -> DecisionRule:
        """Return the settings of a calibrator, or the defaults where it has none.

        Examples
        --------
        >>> DecisionRule.of(LWCal(threshold=0.3).fit([0.2, 0.4], [0, 1])).threshold
        0.3
        """
        weighted = calibrator if isinstance(calibrator, LWCal) else None
        gated = calibrator if isinstance(calibrator, GatedLWCal) else None
        return cls(
            DECISION if weighted is None else weighted.threshold,
            GATE_CENTER if gated is None else gated.gate_center,
            GATE_WIDTH if gated is None else gated.gate_width,
            None if weighted is None else weighted.diagnostics_["d"],
        )

    def disagreement(self, table: ScoreTable) -> float:
        """Return the share of labels that contradict the decision."""
        return table.disagreement(self.threshold)

    def disagreement_at_fit(self, fitted: ScoreTable) -> float:
        """Return this share for the rows of the fit.

        The bins of a reference give it exactly for the default threshold. A calibrator with
        another threshold has measured it during its fit.
        """
        if self.fitted_disagreement is not None:
            return self.fitted_disagreement
        return self.disagreement(fitted)

    def gate(self, d: float) -> float:
        """Return the share of the raw score that the gate keeps at disagreement d."""
        return gate(d, self.gate_center, self.gate_width)
