"""Turn findings into an action that does no harm to scores that may be right."""

from __future__ import annotations

from dataclasses import replace

from lwcal.adjustments import percent
from lwcal.diagnosis.findings import ClassFindings, Findings, checks_again, checks_for
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.rules import HARM, advise, both_readings, check_labels
from lwcal.diagnosis.unusable_rows import refuse_rows, with_doubts
from lwcal.diagnosis.wording import change_of, harm_of

RARE = 0.01
"""Share of the rarer class below which checked rows hold hardly any of it."""
MORE_IF_RARE = "One class is so rare that several times as many may be needed."
NEGLIGIBLE = 0.05
"""Share of the wrong labels that a sentence leaves out."""


def recommend(found: Findings) -> Recommendation:
    """Turn findings about two classes into an action."""
    refused = refuse_rows(
        found.n,
        found.rarer,
        found.ranking,
        checked=found.checks.n,
        by_labels=found.evidence == "labels",
    )
    if refused is not None:
        return refused
    advised = advise_with_veto(found)
    advised = with_doubts(advised, found.ranking, found.readings, found.checks, found.faults)
    if advised.action == "audit" and found.rarer < RARE * found.n:
        return replace(advised, reason=f"{advised.reason} {MORE_IF_RARE}")
    return advised


def advise_with_veto(found: Findings | ClassFindings) -> Recommendation:
    """Turn findings into an action that does no harm to scores that may be right.

    The noise estimate cannot tell whether they are: it expects a model that was trained on labels
    as noisy as these.
    """
    advised = _unless_checked_rows_lose(advise(found), found)
    right = found.readings.scores_right
    if right is None or right.gain.low > -HARM:
        return advised
    if advised.action == "audit":
        return replace(advised, calibrator="identity")
    if advised.action != "deploy":
        return advised
    missed, wrong = _missed(found)
    reading = f"If the raw scores are right, and {missed} wrong, it {harm_of(right.gain)}."
    if found.evidence == "labels":
        first = both_readings(found.readings.labels_right, None)
        readings = f"{first} {reading} The labels fit that, too."
        # what one reviewer misses, another may miss for the same reason
        return check_labels("identity", readings, checks_for(wrong), by_opinions=False)
    if found.readings.scores_are_better:
        reason = f"{advised.reason} {reading} Labels and checks fit that far better."
        return Recommendation("keep raw", "identity", reason)
    return _check_more(f"{advised.reason} {reading} Labels and checks fit that, too.", found)


def _unless_checked_rows_lose(
    advised: Recommendation, found: Findings | ClassFindings
) -> Recommendation:
    """Do not deploy what loses on the checked rows, which it was even fitted to."""
    gain = found.readings.on_checked
    if advised.action != "deploy" or gain is None or gain.value > -HARM:
        return advised
    reason = f"{advised.reason} But on the checked rows themselves, it {change_of(gain)}."
    if gain.high < 0.0 or found.checks.n >= found.n:
        return Recommendation("keep raw", "identity", reason)
    return _check_more(reason, found)


def _check_more(reason: str, found: Findings | ClassFindings) -> Recommendation:
    """Recommend to check as many labels again."""
    more = checks_again(found.checks.n)
    return Recommendation("audit", "identity", f"{reason} {more} more checks may tell.", more)


def _missed(found: Findings | ClassFindings) -> tuple[str, float]:
    """Which labels are wrong if the scores are right, in words, and their share."""
    wrong = found.readings.missed_share
    if isinstance(found, ClassFindings):
        return f"{percent(wrong)} of the labels are", wrong
    right, rates = found.readings.scores_right, found.readings.missed
    assert right is not None  # both are known, or none
    assert rates is not None
    of_positives = rates.positive * right.positives
    of_negatives = wrong - of_positives
    negatives = f"{percent(rates.negative)} of the negatives"
    positives = f"{percent(rates.positive)} of the positives"
    if of_negatives < NEGLIGIBLE * wrong:
        return f"labels of {positives} are", wrong
    if of_positives < NEGLIGIBLE * wrong:
        return f"labels of {negatives} are", wrong
    return f"labels of {negatives} and {positives} are", wrong
