"""The claims of the paper, each tested on the cells measured here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from lwcal_study.paper import claim_tests as test
from lwcal_study.paper.claim_tests import Finding
from lwcal_study.paper.results import Results

Outcome: TypeAlias = Literal["holds", "holds in part", "does not hold here"]


class Claim(NamedTuple):
    """A claim in our words, its place in the paper, and its test."""

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
    """Outcome of a claim whose parts all hold, partly hold, or do not hold."""
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
        "Abstract, Table 3",
        "Gated-LWCal has the lowest mean Brier score and log loss.",
        test.best_proper,
    ),
    Claim(
        "Abstract",
        "Gated-LWCal lowers the ECE and log loss of the raw score.",
        test.improves_on_raw,
    ),
    Claim(
        "Abstract",
        "Gated-LWCal has lower ECE, Brier score and log loss than raw, Platt, isotonic and beta: "
        "no paired interval includes zero (main study).",
        test.intervals_main,
    ),
    Claim(
        "RQ4, Table of deltas",
        "The same holds in the study of three base learners.",
        test.intervals_robustness,
    ),
    Claim(
        "RQ4",
        "Compared with LWCal, Gated-LWCal has slightly higher ECE, and equal Brier score and log "
        "loss.",
        test.ties_with_lwcal,
    ),
    Claim(
        "RQ1",
        "Platt and beta calibration do not help under noise.",
        test.platt_and_beta_do_not_help,
    ),
    Claim(
        "RQ1",
        "The raw score has the highest AUC, and Gated-LWCal comes close.",
        test.raw_ranks_best,
    ),
    Claim("RQ1", "With clean labels, ECE and log loss would be lower still.", test.headroom),
    Claim(
        "RQ2",
        "At 10% and 20% noise, LWCal and Gated-LWCal beat raw and isotonic.",
        test.dominates_at_low_noise,
    ),
    Claim(
        "RQ2",
        "At 40% noise, the raw score has the lowest log loss of the four.",
        test.raw_best_at_40,
    ),
    Claim("RQ1", "Isotonic calibration lowers ECE and log loss.", test.isotonic_helps),
    Claim("RQ1", "LWCal lowers the ECE of the raw score by about 40%.", test.reduction),
    Claim(
        "RQ2", "At 30% noise, LWCal has the lowest ECE and log loss of the four.", test.lwcal_at_30
    ),
    Claim("RQ3", "LWCal is best under symmetric noise.", test.symmetric),
    Claim(
        "RQ3",
        "Under asymmetric noise, LWCal lowers ECE but raises log loss.",
        test.lwcal_asymmetric,
    ),
    Claim("RQ3", "Gated-LWCal has the lowest log loss under asymmetric noise.", test.asymmetric),
    Claim(
        "RQ4, Table of gates",
        "Results vary smoothly with the centre and width of the gate.",
        test.gate_is_smooth,
    ),
    Claim("RQ5", "ECE falls on seven of nine data sets, log loss on six.", test.datasets),
    Claim(
        "RQ5", "Minority ECE falls and the class gap grows, less so with the gate.", test.minority
    ),
    Claim("RQ6", "ECE and log loss improve for all three base learners.", test.learners),
    Claim("RQ6", "Extra trees gain most from LWCal.", test.extra_trees_gain_most),
    Claim("RQ6", "Gated-LWCal lowers the log loss of gradient boosting.", test.gate_helps_boosting),
    Claim("Ablation", "Keeping 80% to 90% of the rows is better than keeping all.", test.trimming),
    Claim(
        "Ablation",
        "Soft weights are better than keeping 80% to 90% of the rows.",
        test.soft_beats_hard,
    ),
]
