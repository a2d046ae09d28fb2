"""One recommendation with its reason: deploy, keep the raw score, or audit labels first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lwcal.calibrators.auto import Decision
from lwcal.diagnosis.protocol import deployment_protocol

Action: TypeAlias = Literal["deploy", "keep raw", "audit"]

AUDIT_COST = 0.15
"""Cost of a full correction, if the labels are right, from which on labels are to be checked."""


@dataclass(frozen=True)
class Recommendation:
    """What to do.

    Attributes
    ----------
    action : {"deploy", "keep raw", "audit"}
        Deploy the calibrator; keep the raw score; or check some labels first.
    calibrator : str
        What to use, by its name on the command line; until the audit, if there is one.
    reason : str
        One sentence.
    """

    action: Action
    calibrator: str
    reason: str

    @property
    def sentence(self) -> str:
        """Say it all in plain words."""
        words = {
            "deploy": f"Deploy {self.calibrator}",
            "keep raw": "Keep the raw score",
            "audit": f"Audit labels first; until then use {self.calibrator}",
        }
        return f"{words[self.action]}: {self.reason}."


def recommend(decision: Decision, d: float) -> Recommendation:
    """Turn what was decided about the map, and the disagreement d, into an action.

    >>> from lwcal.calibrators.auto import decide
    >>> from lwcal.table import ScoreTable
    >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[50, 50], positives=[50, 50])
    >>> recommend(decide(table), table.disagreement()).action
    'audit'
    """
    if deployment_protocol(d).level == "audit":
        return Recommendation("audit", "auto", _contradiction(d))
    if decision.choice == "raw":
        return Recommendation(
            "keep raw", "identity", "no map is expected to lower its loss by even half a percent"
        )
    if decision.choice == "bounded" and decision.cost_unbounded >= AUDIT_COST:
        return Recommendation("audit", "auto", _stake(decision))
    return Recommendation("deploy", "auto", _reason(decision))


def _contradiction(d: float) -> str:
    return (
        f"{d:.0%} of the labels contradict the model's decision, so that the model says next to "
        "nothing about these labels, or they next to nothing about the truth; a few checked "
        "labels can tell which"
    )


def _stake(decision: Decision) -> str:
    noise = 1.0 - decision.posterior.probability_clean
    return (
        f"the labels look noisy (probability {_percent(noise)}), but if they are right, "
        f"correcting for it would raise the NLL by {decision.cost_unbounded:.0%}; a few checked "
        f"labels can tell, and until then the correction is held back to where that would be "
        f"{max(decision.cost_if_right, 0.0):.0%}"
    )


def _reason(decision: Decision) -> str:
    gain = f"it is expected to lower the NLL of the raw score by {decision.expected_gain:.0%}"
    cost = decision.cost_if_right
    if abs(cost) < 0.005:
        harm = "and would leave it as it is if every label is right"
    else:
        change = "raise" if cost > 0 else "lower"
        harm = f"and would {change} it by {abs(cost):.0%} if every label is right"
    how = {
        "recalibrated": "trusting the labels",
        "noise-aware": "correcting for noise as far as it is probable",
        "bounded": "correcting for probable noise as far as is safe",
    }[decision.choice]
    return f"{how}, {gain}, {harm}"


def _percent(share: float) -> str:
    return "over 99%" if share > 0.99 else f"{share:.0%}"
