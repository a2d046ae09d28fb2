"""Recommend an action by several opinions on the same rows."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.adjustments import percent
from lwcal.diagnosis.class_readings import ClassReadings
from lwcal.diagnosis.findings import FEWEST_CHECKS, checks_again
from lwcal.diagnosis.readings import Readings, is_too_low
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.rules import (
    HARM,
    LEAST_CHECKED,
    LIKELY,
    OPINIONS_FOR_A_CHECK,
    TOO_SMALL,
    WORTHWHILE,
    change_by,
)
from lwcal.diagnosis.wording import change_of, harm_of
from lwcal.reviews.summary import NOT_EXCLUDED, ReviewSummary

THIRD_OPINIONS = 200
"""By a third reviewer, on rows with two opinions: so many show a copy (benchmarks.near_copies)."""
LEAST_SEVERAL = OPINIONS_FOR_A_CHECK * LEAST_CHECKED
"""Fewer rows with several opinions say nothing about the others."""


DEPENDENT = "Reviewers may be wrong together, or as the model is, which a language model often is."
TOO_GOOD = (
    "Corrected for the mistakes that the opinions show, log loss is about 0 or below, which hardly "
    f"any score reaches. {DEPENDENT}"
)
OPEN = f"log loss of about 0 is not excluded, which hardly any score reaches. {DEPENDENT}"
TELL = "checked labels often tell."


class OpinionFindings(NamedTuple):
    """What a recommendation by opinions rests on.

    Attributes
    ----------
    n : float
        Number of rows.
    several, contradicted : float
        Number of rows with several opinions, and of those on which they differ.
    checked, wrong : float
        Number of rows with a checked label, and of those with an opinion that differs from it.
    reviews : ReviewSummary
    readings : Readings or ClassReadings
        Of the map that all opinions give.
    counting : float
        Number of rows with several opinions, those of copies counted as one.
    """

    n: float
    several: float
    contradicted: float
    checked: float
    wrong: float
    reviews: ReviewSummary
    readings: Readings | ClassReadings
    counting: float


def advise_by_opinions(found: OpinionFindings) -> Recommendation:
    """Turn opinions into an action.

    Opinions that differ prove wrong labels, so the bound on harm if every label is right falls. A
    map is deployed if it very likely gains by what they say.
    """
    right, noisy = found.readings.labels_right.gain, found.readings.noise_holds
    copies = found.reviews.copies
    if noisy is None or (found.counting < LEAST_SEVERAL and found.checked < LEAST_CHECKED):
        return _ask(found, f"{copies} {_rows(found)} too little about the others.".strip(), "auto")
    if found.reviews.agreement.never_differ and found.checked < LEAST_CHECKED:
        return _ask(found, str(found.reviews.warning), "auto")
    by = f"{found.counting:,.0f} rows with several opinions"
    if found.checked:
        by += f" and {found.checked:,.0f} checked labels"
    more = checks_again(found.checked)
    if is_too_low(noisy.raw_loss, noisy.calibrated_loss):
        reason = f"{copies} {TOO_GOOD} {more} {TELL}".strip()
        return Recommendation("audit", "identity", reason, more)
    reason = f"{copies} {change_by(f'By {by}', noisy)}".strip()
    if noisy.gain.value < WORTHWHILE:
        reason += f" {TOO_SMALL}" if noisy.gain.value > 0.0 else ""
        return Recommendation("keep raw", "identity", reason)
    if not (found.contradicted or found.wrong) and right.low <= -HARM:
        reason += f" But no two opinions differ. If every label is right, it {change_of(right)}."
        return Recommendation("keep raw", "identity", reason)
    if noisy.likely_gain < LIKELY:
        return _ask(found, reason, "identity")
    if noisy.gain.high >= 1.0:  # a fall of all of it, or of more
        return Recommendation("audit", "identity", f"{reason} But {OPEN} {more} {TELL}", more)
    if_shared = found.readings.scores_right
    if if_shared is not None and if_shared.gain.low <= -HARM:
        wrong = percent(found.readings.missed_share)
        reason += (
            " But two reviewers may make the same mistakes, and no third one shows it. If the raw "
            f"scores are right, and {wrong} of the labels are wrong, it "
            f"{harm_of(if_shared.gain)}. The opinions fit that, too. {more} checked labels often "
            f"tell, or a third reviewer on about {THIRD_OPINIONS} of these rows."
        )
        return Recommendation("audit", "identity", reason, more)
    if found.reviews.probability_hard >= NOT_EXCLUDED:
        reason += (
            " This holds unless reviewers make the same mistakes, which these opinions cannot "
            "exclude."
        )
    return Recommendation("deploy", "reviewed", reason)


def _rows(found: OpinionFindings) -> str:
    if found.counting == 1.0:
        return "One row with several opinions says"
    return f"{found.counting:,.0f} rows with several opinions say"


def _ask(found: OpinionFindings, reason: str, until_then: str) -> Recommendation:
    """Ask for checks; or for second opinions, if enough rows have none."""
    opinions = OPINIONS_FOR_A_CHECK * FEWEST_CHECKS
    if found.n - found.several < opinions:
        more = f"{FEWEST_CHECKS} checked labels tell more."
        return Recommendation("audit", until_then, f"{reason} {more}", FEWEST_CHECKS)
    more = f"{FEWEST_CHECKS} checked labels, or second opinions on {opinions} more rows, tell more."
    return Recommendation(
        "audit", until_then, f"{reason} {more}", FEWEST_CHECKS, second_opinions=opinions
    )
