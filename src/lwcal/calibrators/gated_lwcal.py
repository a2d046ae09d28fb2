"""GatedLWCal: LWCal that backs off to the raw score when model and labels disagree too often."""

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar

from lwcal.arrays import FloatArray
from lwcal.calibrators.base import Fitted
from lwcal.calibrators.gate import GATE_CENTER, GATE_WIDTH
from lwcal.calibrators.lwcal import LWCal
from lwcal.maps import BlendMap
from lwcal.parameters import Between, Rule
from lwcal.table import ScoreTable


class GatedLWCal(LWCal):
    """LWCal mixed with the raw score by a disagreement gate (paper, equation 3).

    ``(1 - rho) * g(p) + rho * p`` with ``rho = clip((d - gate_center) / gate_width, 0, 1)``.

    Parameters
    ----------
    gate_center : float, default 0.29
        Disagreement d at which the map starts to back off.
    gate_width : float, default 0.12
        Range of d over which it backs off; from ``gate_center + gate_width`` on, the result is
        the raw score.
    floor, ceiling, mad_factor, epsilon, threshold, pos_label
        As in :class:`LWCal`.

    Attributes
    ----------
    diagnostics_ : dict
        ``m``, ``s`` and ``d`` as in :class:`LWCal`, and ``rho``, the share of the raw score.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> labels = [0, 1, 1, 0, 1, 1, 0, 1]
    >>> round(GatedLWCal().fit(scores, labels).diagnostics_["rho"], 3)
    0.708
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        **LWCal.parameter_rules,
        "gate_center": Between(0.0, 1.0),
        "gate_width": Between(0.0, inf, open="low"),
    }
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        **LWCal.diagnostic_meanings,
        "rho": "share of the raw score kept by the gate",
    }

    def __init__(
        self,
        *,
        gate_center: float = GATE_CENTER,
        gate_width: float = GATE_WIDTH,
        floor: float = 0.05,
        ceiling: float = 1.0,
        mad_factor: float = 1.4826,
        epsilon: float = 1e-6,
        threshold: float = 0.5,
        pos_label: Any = None,
    ) -> None:
        super().__init__(
            floor=floor,
            ceiling=ceiling,
            mad_factor=mad_factor,
            epsilon=epsilon,
            threshold=threshold,
            pos_label=pos_label,
        )
        self.gate_center = gate_center
        self.gate_width = gate_width

    def _fitted(
        self, table: ScoreTable, m: float, s: float, x: FloatArray, y: FloatArray
    ) -> Fitted:
        ungated = super()._fitted(table, m, s, x, y)
        rho = self.gate(ungated.diagnostics["d"])
        return Fitted(BlendMap(rho, ungated.map), {**ungated.diagnostics, "rho": rho})
