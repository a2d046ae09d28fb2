"""Turn what the labels and other evidence say into an action."""

from __future__ import annotations

from lwcal.calibrators.decision import LEAST_GAIN, RECALIBRATED_FROM
from lwcal.diagnosis.findings import (
    FEWEST_CHECKS,
    AnyReading,
    ClassFindings,
    Findings,
    checks_again,
)
from lwcal.diagnosis.readings import is_too_low
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.wording import SAME, change_of

LEAST_CHECKED = 10
"""Fewer checked labels say nothing about the others."""
HARM = 0.02
"""Increase of the log loss from which on a reading is not acceptable."""
WORTHWHILE = 0.002
"""Gain by checked labels or known rates from which on a map is deployed."""
MORE_LIKELY_THAN_NOT = 0.5
"""Probability of a gain from which on checked labels or known rates have a map deployed."""
FAIRLY_SURE = 0.8
"""The same where checked rows of several classes judge a map alone. Chosen on development tasks."""
LIKELY = 0.95
"""The same where the evidence may itself be wrong: opinions, and labels that may belong to other
rows."""
OPINIONS_FOR_A_CHECK = 2
"""Rows with a second opinion that tell as much about two classes as one checked row."""
TOO_SMALL = f"A fall below {WORTHWHILE:.1%} is not worth a change."
NOT_ENOUGH = (
    f"No map within the bound on possible harm is expected to lower log loss by {LEAST_GAIN:.1%}."
)


CONTRADICTED = (
    "Corrected for the known noise, log loss is not above 0, which no score reaches. The labels "
    "contradict this noise, or are too few for it. Check where it comes from."
)


def advise(found: Findings | ClassFindings) -> Recommendation:
    """Turn findings about rows that can be judged into an action.

    "deploy" is earned. By the labels alone it needs a gain that is sure if every label is right,
    and no harm if the noise estimate holds. Known rates decide alone, and so do checked labels of
    which some were wrong. If all were right, every label may be: then there must be no harm if so.
    """
    return _by_labels(found) if found.evidence == "labels" else _by_outside_evidence(found)


def _by_labels(found: Findings | ClassFindings) -> Recommendation:
    right, noisy = found.readings.labels_right, found.readings.noise_holds
    if found.method != "auto":
        return _of_full_correction(found, right, noisy)
    gains, harmless = right.gain.low > 0.0, noisy is None or noisy.gain.low > -HARM
    if gains and harmless:
        return Recommendation("deploy", "auto", both_readings(right, noisy))
    if noisy is None:
        reason = f"{both_readings(right, noisy)} These rows are too few to be sure."
        return Recommendation("keep raw", "identity", reason)
    # until labels are checked, nothing changes if the better guess is that the map would harm
    until_then = "auto" if noisy.gain.value >= 0.0 else "identity"
    return _check_first(until_then, "", found, right, noisy)


def _of_full_correction(
    found: Findings | ClassFindings, right: AnyReading, noisy: AnyReading | None
) -> Recommendation:
    """Keep the raw score, unless the correction is acceptable, or refused only for its risk."""
    sure = right.gain.low > 0.0 and right.gain.value >= LEAST_GAIN
    if sure and (noisy is None or noisy.gain.low > -HARM):
        return Recommendation("deploy", found.method, both_readings(right, noisy))
    likely = found.noise.probability_clean < RECALIBRATED_FROM
    if noisy is not None and likely and noisy.gain.low > HARM:
        return _check_first(
            "identity", "A full correction for noise is risky: ", found, right, noisy
        )
    if noisy is not None and right.gain.low > HARM and noisy.gain.value > 0.0:
        why = f"{NOT_ENOUGH} But a full correction may gain much: "
        return _check_first("identity", why, found, right, noisy)
    bounded = f"{NOT_ENOUGH} " if found.decision.choice == "raw" else ""
    reason = f"{bounded}Of a full correction: {_lowered(both_readings(right, noisy))}"
    return Recommendation("keep raw", "identity", reason)


def _check_first(
    until_then: str,
    why: str,
    found: Findings | ClassFindings,
    right: AnyReading,
    noisy: AnyReading,
) -> Recommendation:
    both = both_readings(right, noisy)
    readings = f"{why}{_lowered(both)}" if why else both
    return check_labels(
        until_then, readings, found.more_checks, by_opinions=isinstance(found, Findings)
    )


def check_labels(
    until_then: str, readings: str, checks: int, *, by_opinions: bool
) -> Recommendation:
    """Recommend to check labels that can be read in two ways."""
    reason = (
        f"The labels can be read in two ways. {readings} No number of unchecked labels decides "
        f"between the two; {checks} checked ones often do."
    )
    if not by_opinions:
        return Recommendation("audit", until_then, reason, checks)
    opinions = OPINIONS_FOR_A_CHECK * checks
    reason += f" Second opinions on about {opinions} rows, by other reviewers, do so less often."
    return Recommendation("audit", until_then, reason, checks, second_opinions=opinions)


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _by_outside_evidence(found: Findings | ClassFindings) -> Recommendation:
    noisy = found.readings.noise_holds
    known = found.evidence == "known rates"
    assert noisy is not None  # outside evidence always has a second reading
    if not known and found.checks.n < LEAST_CHECKED:
        reason = f"{found.checks.n:.0f} checked labels say too little about the others."
        return Recommendation("audit", "auto", reason, FEWEST_CHECKS)
    if known and is_too_low(noisy.raw_loss, noisy.calibrated_loss):
        return Recommendation("audit", "identity", CONTRADICTED, FEWEST_CHECKS)
    by = "By the known rates" if known else f"By the {found.checks.n:,.0f} checked labels"
    more = "" if known or found.checks.n >= found.n else " More checked labels would narrow this."
    reason = change_by(by, noisy, more)
    but = _but(found)
    is_open = noisy.likely_gain < FAIRLY_SURE and found.checks.n < found.n
    if noisy.gain.value >= WORTHWHILE and is_open and _by_checked_rows_alone(found):
        again = checks_again(found.checks.n)
        reason = f"{change_by(by, noisy)} {again} more checks may tell."
        return Recommendation("audit", "identity", reason, again)
    if noisy.gain.value >= WORTHWHILE and not but:
        return Recommendation("deploy", found.method, reason)
    return Recommendation("keep raw", "identity", f"{reason}{but}")


def _by_checked_rows_alone(found: Findings | ClassFindings) -> bool:
    """Whether a map is judged by the checked rows themselves, and not by all rows beside them."""
    return found.evidence == "checked labels" and isinstance(found, ClassFindings)


def change_by(evidence: str, reading: AnyReading, more: str = "") -> str:
    """Say how log loss changes by some evidence, and how surely it falls if that is open."""
    changed = f"{evidence}, log loss {change_of(reading.gain)}."
    if reading.gain.low < -SAME and reading.gain.high > SAME:
        return f"{changed} The probability that it falls is {reading.likely_gain:.0%}.{more}"
    return changed


def _but(found: Findings | ClassFindings) -> str:
    """Say why an expected gain is not enough; empty if it is, or if there is none."""
    right, noisy = found.readings.labels_right.gain, found.readings.noise_holds
    if noisy is None or noisy.gain.value <= 0.0:
        return ""
    if noisy.gain.value < WORTHWHILE:
        return f" {TOO_SMALL}"
    if noisy.likely_gain < MORE_LIKELY_THAN_NOT:
        return " A fall is less likely than not."
    if found.evidence == "checked labels" and not found.checks.wrong and right.low <= -HARM:
        return f" But none of them was wrong, and if every label is right, it {change_of(right)}."
    return ""


def both_readings(right: AnyReading, noisy: AnyReading | None) -> str:
    """Say how log loss changes under both readings."""
    if_right = f"If every label is right, log loss {change_of(right.gain)}."
    if noisy is None:
        return if_right
    return f"{if_right} If the noise estimate holds, it {change_of(noisy.gain)}."
