"""The paper's numbered claims, each tested on the cells measured here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from lwcal_study import claim_tests as test
from lwcal_study.claim_tests import Finding
from lwcal_study.results import Results

Outcome: TypeAlias = Literal["holds", "holds in part", "does not hold here"]


class Claim(NamedTuple):
    """A claim in our words, where the paper makes it, and its test."""

    where: str
    text: str
    test: Callable[[Results], Finding]


class TestedClaim(NamedTuple):
    """A claim with its outcome."""

    where: str
    text: str
    outcome: Outcome
    evidence: str


def outcome_of(parts: list[bool]) -> Outcome:
    """All, some or none."""
    if all(parts):
        return "holds"
    return "holds in part" if any(parts) else "does not hold here"


def tested_claims(results: Results) -> list[TestedClaim]:
    """Test every claim."""
    found = [(claim, claim.test(results)) for claim in CLAIMS]
    return [
        TestedClaim(claim.where, claim.text, outcome_of(finding.parts), finding.evidence)
        for claim, finding in found
    ]


CLAIMS = [
    Claim("Abstract, Table 3", "LWCal has the lowest mean ECE.", test.lowest_ece),
    Claim(
        "Abstract, Table 3", "Gated-LWCal has the best mean Brier score and NLL.", test.best_proper
    ),
    Claim(
        "Abstract", "Gated-LWCal lowers ECE and NLL of the raw classifier.", test.improves_on_raw
    ),
    Claim(
        "Abstract",
        "Paired intervals of Gated-LWCal against raw, Platt, isotonic and beta exclude zero on "
        "ECE, Brier and NLL (main study).",
        test.intervals_main,
    ),
    Claim(
        "RQ4, Table of deltas",
        "The same in the study of three base learners.",
        test.intervals_robustness,
    ),
    Claim(
        "RQ4",
        "Against LWCal, Gated-LWCal is slightly worse on ECE and tied on Brier and NLL.",
        test.ties_with_lwcal,
    ),
    Claim(
        "RQ1",
        "Platt and beta calibration do not help under noise.",
        test.platt_and_beta_do_not_help,
    ),
    Claim("RQ1", "The raw score ranks best, and Gated-LWCal stays close.", test.raw_ranks_best),
    Claim("RQ1", "Clean labels leave headroom in ECE and NLL.", test.headroom),
    Claim(
        "RQ2",
        "At 10% and 20% noise both variants beat raw and isotonic.",
        test.dominates_at_low_noise,
    ),
    Claim("RQ2", "At 40% the raw score has the best NLL of the four.", test.raw_best_at_40),
    Claim("RQ1", "Isotonic calibration improves ECE and NLL.", test.isotonic_helps),
    Claim("RQ1", "LWCal lowers the ECE of the raw score by some 40%.", test.reduction),
    Claim("RQ2", "At 30% LWCal has the best ECE and NLL of the four.", test.lwcal_at_30),
    Claim("RQ3", "LWCal is best under symmetric noise.", test.symmetric),
    Claim("RQ3", "Under asymmetric noise LWCal lowers ECE but hurts NLL.", test.lwcal_asymmetric),
    Claim("RQ3", "Gated-LWCal has the best NLL under asymmetric noise.", test.asymmetric),
    Claim(
        "RQ4, Table of gates", "The gate's centre and width matter smoothly.", test.gate_is_smooth
    ),
    Claim("RQ5", "ECE falls on seven, NLL on six of nine data sets.", test.datasets),
    Claim("RQ5", "Minority ECE falls, while the class gap grows, less when gated.", test.minority),
    Claim("RQ6", "ECE and NLL improve for all three base learners.", test.learners),
    Claim("RQ6", "Extra trees gain most from LWCal.", test.extra_trees_gain_most),
    Claim("RQ6", "Gated-LWCal lowers the NLL of gradient boosting.", test.gate_helps_boosting),
    Claim("Ablation", "Keeping 80 to 90% of the rows beats keeping all of them.", test.trimming),
    Claim("Ablation", "Soft weights do better than trimming to 80 to 90%.", test.soft_beats_hard),
]
