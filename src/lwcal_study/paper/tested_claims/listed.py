"""Every sentence of the paper that the cells can test, as a claim, and those that they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lwcal_study.paper.results import Results
from lwcal_study.paper.tested_claims import gating, main_result, noise, protocol, stability
from lwcal_study.paper.tested_claims.parts import Outcome, Part, outcome_of

SHARPNESS = (
    "This metric is one minus the mean probability of the true class. It rewards sharp scores, "
    "calibrated or not, so a lower value is no evidence of better calibration."
)
READ_AS_WORSE = (
    "Lower is better, so the sentence says that the method beats clean labels. The paper's own "
    "numbers say the opposite (0.396 against 0.340). Read as worse than the oracle, it holds."
)
ONE_DECISION = "At this level, Gated-LWCal is the raw score."


class Claim(NamedTuple):
    """A claim in our words, its place in the paper, its test, and what to know beside it."""

    where: str
    text: str
    test: Callable[[Results], list[Part]]
    note: str = ""


class TestedClaim(NamedTuple):
    """A claim with its outcome, which follows from its parts."""

    where: str
    text: str
    outcome: Outcome
    parts: list[Part]
    note: str

    @property
    def held(self) -> list[Part]:
        """Parts that hold."""
        return [part for part in self.parts if part.holds]

    @property
    def failed(self) -> list[Part]:
        """Parts that do not hold."""
        return [part for part in self.parts if not part.holds]


def tested_claims(results: Results) -> list[TestedClaim]:
    """Test every claim."""
    found = [(claim, claim.test(results)) for claim in CLAIMS]
    return [
        TestedClaim(claim.where, claim.text, outcome_of(parts), parts, claim.note)
        for claim, parts in found
    ]


CLAIMS = [
    Claim("Abstract, main table", "LWCal has the lowest mean ECE.", main_result.lowest_ece),
    Claim(
        "Abstract, main table",
        "Gated-LWCal has the lowest mean Brier score and log loss.",
        main_result.best_proper,
    ),
    Claim(
        "Abstract",
        "Gated-LWCal lowers the ECE and log loss of the raw score.",
        main_result.improves_on_raw,
    ),
    Claim(
        "Abstract",
        "Gated-LWCal has lower ECE, Brier score and log loss than raw, Platt, isotonic and beta: "
        "no paired interval includes zero.",
        main_result.intervals,
        "Intervals by data set decide. The paper's are by cell.",
    ),
    Claim(
        "RQ4, table of deltas",
        "With three base learners, no interval against raw, isotonic and beta includes zero.",
        main_result.robustness_intervals,
        "Intervals by data set decide. The paper's are by cell.",
    ),
    Claim(
        "RQ4",
        "Compared with LWCal, Gated-LWCal has slightly higher ECE, and Brier score and log loss "
        "are tied.",
        main_result.ties_with_lwcal,
    ),
    Claim(
        "RQ1",
        "Platt and beta calibration do not help under noise.",
        main_result.platt_and_beta_do_not_help,
    ),
    Claim("RQ1", "Isotonic calibration lowers ECE and log loss.", main_result.isotonic_helps),
    Claim("RQ1", "LWCal lowers the ECE of the raw score by about 40%.", main_result.reduction),
    Claim(
        "RQ1",
        "The raw score has the highest AUC, and Gated-LWCal comes close.",
        main_result.raw_ranks_best,
    ),
    Claim(
        "RQ1",
        "Gated-LWCal improves all reliability metrics of the raw score.",
        main_result.improves_all_reliability,
        f"Classwise and minority ECE: {SHARPNESS[0].lower()}{SHARPNESS[1:]}",
    ),
    Claim(
        "RQ1",
        "Clean labels show headroom in ECE, and our methods close much of the gap.",
        main_result.headroom,
    ),
    Claim(
        "RQ1",
        "Gated-LWCal remains below the oracle on proper scores.",
        main_result.below_the_oracle,
        READ_AS_WORSE,
    ),
    Claim(
        "RQ2",
        "At 10% and 20% noise, LWCal and Gated-LWCal beat every baseline.",
        noise.dominates_at_low_noise,
    ),
    Claim(
        "RQ2",
        "At 30% noise, LWCal has the lowest ECE and log loss, and Gated-LWCal is competitive.",
        noise.lwcal_at_30,
    ),
    Claim(
        "RQ2",
        "At 40% noise, the raw score has the lowest log loss of the four.",
        noise.raw_best_at_40,
    ),
    Claim(
        "RQ2, figure of noise rates",
        "The main gains are at 10% to 30% noise.",
        noise.gains_are_at_moderate_noise,
    ),
    Claim(
        "Method, RQ2",
        "In extreme noise, the gate improves proper scores, at the cost of slightly higher ECE.",
        noise.gate_at_40,
    ),
    Claim("RQ3", "LWCal is best under symmetric noise.", noise.symmetric),
    Claim("RQ3", "Asymmetric noise is more difficult.", noise.asymmetric_is_harder),
    Claim(
        "RQ3",
        "Under asymmetric noise, LWCal lowers ECE but raises log loss.",
        noise.lwcal_asymmetric,
    ),
    Claim(
        "RQ3",
        "Under asymmetric noise, Gated-LWCal has the lowest log loss, and lower ECE than raw.",
        noise.gate_asymmetric,
    ),
    Claim(
        "RQ3, table of noise kinds",
        "Gated-LWCal is more stable under asymmetric noise.",
        noise.gate_is_more_stable,
    ),
    Claim(
        "RQ4, figure of the tradeoff",
        "The gate trades a little ECE for lower Brier score and log loss.",
        gating.tradeoff,
    ),
    Claim(
        "RQ4, reliability figure",
        "The raw curve is overconfident in several bins.",
        gating.raw_is_overconfident,
        "A bin is overconfident if its scores are further from one half than its labels.",
    ),
    Claim(
        "RQ4, reliability figure",
        "Loss weighting pulls the curve closer to the diagonal.",
        gating.closer_to_the_diagonal,
    ),
    Claim(
        "RQ4, table of gates",
        "Results vary smoothly with the centre and width of the gate.",
        gating.gate_is_smooth,
    ),
    Claim(
        "RQ4, table of gates",
        "Lower centres improve log loss, higher centres preserve ECE.",
        gating.gate_direction,
    ),
    Claim(
        "RQ5, table of data sets",
        "ECE falls on seven of nine data sets, log loss on six; the failures are Synthetic Sparse "
        "and Iris Versicolor.",
        stability.datasets,
    ),
    Claim("RQ5", "Both methods lower minority ECE.", stability.minority, SHARPNESS),
    Claim("RQ5", "The class gap grows, less so with the gate.", stability.class_gap, SHARPNESS),
    Claim("RQ6", "ECE and log loss improve for all three base learners.", stability.learners),
    Claim("RQ6", "Extra trees gain most from LWCal.", stability.extra_trees_gain_most),
    Claim(
        "RQ6",
        "Gradient boosting is harder, but Gated-LWCal still lowers its log loss.",
        stability.boosting_gains,
    ),
    Claim(
        "Ablation",
        "Keeping 80% to 90% of the rows is better than keeping all.",
        stability.trimming,
    ),
    Claim("Ablation", "Hard trimming is sensitive to the cutoff.", stability.trimming_is_sensitive),
    Claim(
        "Ablation",
        "Soft weights are better than keeping 80% to 90% of the rows.",
        stability.soft_beats_hard,
    ),
    Claim(
        "Protocol",
        "Where d is low, LWCal gives the lowest ECE.",
        protocol.lwcal_at_low_d,
        "At this level, Gated-LWCal is LWCal.",
    ),
    Claim(
        "Protocol",
        "Where d is in the middle, Gated-LWCal sacrifices ECE to protect log loss and Brier score.",
        protocol.gate_at_middle_d,
    ),
    Claim(
        "Protocol",
        "Where d is high, the raw score is safer than LWCal.",
        protocol.raw_at_high_d,
        ONE_DECISION,
    ),
    Claim(
        "Protocol, discussion of the 40% row",
        "A large d is an alarm that fires at extreme noise.",
        protocol.alarm_fires,
    ),
    Claim(
        "Conclusion",
        "At moderate noise, both methods improve ECE and proper scores.",
        main_result.moderate_noise,
    ),
]

UNTESTED = {
    "The thresholds of the gate were fixed before the final run, from pilot behaviour.": (
        "No trace of the pilot is published."
    ),
    "A fit takes O(n log n) time and memory linear in n.": (
        "Not a matter of cells; the page on speed measures it."
    ),
    "Both variants are deterministic and need no clean labels, no noise rate and no retraining.": (
        "True by construction: the calibrators see scores and labels only."
    ),
    "Synthetic Sparse fails because the contradiction signal is less reliable there.": (
        "A cause, which these cells cannot isolate."
    ),
    "Gradient boosting is harder because its scores are less overconfident in some cells.": (
        "A cause, which these cells cannot isolate."
    ),
    "The full experiment takes about six minutes on 96 threads.": "Another machine.",
}
"""Sentences of the paper that no cell can test, with the reason."""
