"""The paper's deployment protocol, which turns the disagreement d into advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lwcal.calibrators.gate import GATE_CENTER, GATE_WIDTH
from lwcal.errors import ParameterError, message
from lwcal.parameters import SHARE, check_parameter

Level: TypeAlias = Literal["calibrate", "gate", "audit"]

CAVEAT = (
    "This rule and the gate of Gated-LWCal are the same decision. d is an alarm, not an estimate "
    "of label noise: a hard task raises it too, because a model that is often wrong contradicts "
    "right labels; and where one class is mislabelled more often, d points the wrong way."
)


@dataclass(frozen=True)
class Verdict:
    """The advice of the deployment protocol (paper, table of thresholds for d).

    Attributes
    ----------
    level : {"calibrate", "gate", "audit"}
        Low, middle or high disagreement.
    recommended_score : str
        The score to use.
    operator_action : str
        What to do next.
    d : float
        Share of labels that contradict the model's decision.
    thresholds : tuple of two floats
        Values of d at which the level changes.
    """

    level: Level
    recommended_score: str
    operator_action: str
    d: float
    thresholds: tuple[float, float]

    @property
    def sentence(self) -> str:
        """The advice in plain words."""
        return (
            f"{self.d:.1%} of the labels contradict the model's decision ({self._range()}). "
            f"Use {self.recommended_score}. {self.operator_action} {CAVEAT}"
        )

    def _range(self) -> str:
        lower, upper = self.thresholds
        if self.level == "calibrate":
            return f"below {lower:.0%}"
        return f"{lower:.0%} to {upper:.0%}" if self.level == "gate" else f"{upper:.0%} or more"


def deployment_protocol(
    d: float, *, lower: float = GATE_CENTER, upper: float = GATE_CENTER + GATE_WIDTH
) -> Verdict:
    """Turn the disagreement d into the advice of the paper's deployment protocol.

    Parameters
    ----------
    d : float
        Share of labels that contradict the model's decision, as in
        ``diagnostics_["d"]`` of :class:`lwcal.LWCal`.
    lower, upper : float, default 0.29 and 0.41
        Values of d at which the advice changes: the gate of :class:`lwcal.GatedLWCal` starts to
        open at ``lower`` and is fully open at ``upper``.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> deployment_protocol(0.35).recommended_score
    'GatedLWCal'
    >>> deployment_protocol(0.45).operator_action
    'Audit labels before setting new thresholds.'
    """
    check_parameter("d", d, SHARE)
    if not 0.0 <= lower <= upper:
        raise ParameterError(message("0 <= lower <= upper", f"{lower!r} and {upper!r}"))
    if d < lower:
        return Verdict("calibrate", "LWCal", "Use calibrated thresholds.", d, (lower, upper))
    if d < upper:
        return Verdict("gate", "GatedLWCal", "Log the gate, monitor drift.", d, (lower, upper))
    action = "Audit labels before setting new thresholds."
    return Verdict("audit", "the raw score or GatedLWCal", action, d, (lower, upper))
