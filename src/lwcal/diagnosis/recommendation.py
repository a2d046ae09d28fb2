"""Recommend an action with its reason: deploy, keep the raw score, or audit labels first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lwcal.calibrators.decision import LEAST_GAIN, Decision
from lwcal.diagnosis.protocol import Verdict
from lwcal.noise.estimate import NoiseEstimate

Action: TypeAlias = Literal["deploy", "keep raw", "audit"]

AUDIT_COST = 0.15
"""Cost of a full correction if every label is right, from which on an audit comes first."""


@dataclass(frozen=True)
class Recommendation:
    """The recommended action.

    Attributes
    ----------
    action : {"deploy", "keep raw", "audit"}
        Deploy the calibrator; keep the raw score; or check some labels first.
    calibrator : str
        The calibrator to use, by its name on the command line; with "audit", until the audit.
    reason : str
        Why, in a few sentences.
    """

    action: Action
    calibrator: str
    reason: str

    @property
    def sentence(self) -> str:
        """Action and reason in plain words."""
        words = {
            "deploy": f"Deploy {self.calibrator}",
            "keep raw": "Keep the raw score",
            "audit": f"Audit labels first; until then, use {self.calibrator}",
        }
        return f"{words[self.action]}. {self.reason}"


def recommend(decision: Decision, noise: NoiseEstimate, protocol: Verdict) -> Recommendation:
    """Turn the decision about the map into an action.

    Parameters
    ----------
    decision : Decision
    noise : NoiseEstimate
        From the same labels.
    protocol : Verdict
        Of the paper's deployment protocol, which has the last word when labels contradict the
        model too often.
    """
    if protocol.level == "audit":
        return Recommendation("audit", "auto", _disagreement(protocol.d))
    if decision.choice == "raw":
        reason = f"No calibrator is expected to improve log loss by {LEAST_GAIN:.1%}."
        return Recommendation("keep raw", "identity", reason)
    if decision.choice == "bounded" and decision.cost_unbounded >= AUDIT_COST:
        return Recommendation("audit", "auto", _stake(decision, noise))
    return Recommendation("deploy", "auto", _gain_and_risk(decision))


def _disagreement(d: float) -> str:
    return (
        f"Model and labels disagree on {d:.0%} of the rows. "
        "A few checked labels show which of the two is wrong."
    )


def _stake(decision: Decision, noise: NoiseEstimate) -> str:
    noisy = 1.0 - noise.probability_clean
    return (
        f"Some labels are wrong with a probability of {_percent(noisy)}. But if every label is "
        f"right, a full correction raises log loss by {decision.cost_unbounded:.0%}. A few checked "
        "labels show which is the case. Until then, the correction is limited: if every label is "
        f"right, it raises log loss by {max(decision.cost_if_right, 0.0):.0%}."
    )


def _gain_and_risk(decision: Decision) -> str:
    how = {
        "recalibrated": "The labels look right, and auto trusts them.",
        "noise-aware": "auto corrects fully for the estimated noise.",
        "bounded": "auto corrects for the part of the estimated noise that is safe to assume.",
    }[decision.choice]
    return (
        f"{how} If the noise estimate holds, log loss falls by {decision.expected_gain:.0%}. "
        f"If every label is right, it {_change(decision.cost_if_right)}."
    )


def _change(cost: float) -> str:
    if abs(cost) < 0.005:
        return "stays the same"
    return f"{'rises' if cost > 0 else 'falls'} by {abs(cost):.0%}"


def _percent(share: float) -> str:
    return "over 99%" if share > 0.99 else f"{share:.0%}"
