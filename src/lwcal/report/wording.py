"""Sentences of the page below its top: facts about noise, decisions and the paper's rule."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.decisions import Policy
from lwcal.diagnosis import Diagnosis
from lwcal.estimates import whole_percent
from lwcal.noise.estimate import RateEstimate
from lwcal.report.formats import bounded_percent, count, decimal, percent
from lwcal.report.report_data import ReportData


class Fact(NamedTuple):
    """A name, a value and its explanation."""

    name: str
    value: str
    meaning: str = ""


UNKNOWN = "These rows do not say how many labels are wrong. The verdict names the reason."


def noise_facts(data: ReportData) -> list[Fact]:
    """Return the facts about the noise of the labels; none if nothing is known about it."""
    noise = data.diagnosis.noise
    if not data.knows_noise:
        return []
    checks = [] if data.audit is None else [_checks(*data.audit)]
    return [
        *checks,
        Fact("Probability that no label is wrong", bounded_percent(noise.probability_clean)),
        _rate("True negatives labelled positive", noise.negative),
        _rate("True positives labelled negative", noise.positive),
    ]


def noise_sentence(data: ReportData) -> str:
    """Say how noisy the labels are, and by what evidence."""
    if data.diagnosis.recommendation.refuses_rows:
        return UNKNOWN
    sentence = data.diagnosis.noise.sentence
    if data.audit is None:
        return sentence
    checked, wrong = data.audit
    return f"{count(wrong)} of the {count(checked)} checked labels were wrong. {sentence}"


def paper_facts(diagnosis: Diagnosis) -> list[Fact]:
    """Return the numbers of the paper, which the verdict does not use."""
    return [
        Fact("Disagreement d", percent(diagnosis.d), "share of labels that contradict the model"),
        Fact("Gate rho", percent(diagnosis.rho), "share of the raw score that Gated-LWCal keeps"),
        Fact("Median loss m", decimal(diagnosis.m), "of the labels under the scores"),
        Fact("Deviation s", decimal(diagnosis.s), "median absolute deviation of these losses"),
    ]


def _checks(checked: int, wrong: int) -> Fact:
    return Fact("Checked labels", count(checked), f"{count(wrong)} of them were wrong")


def _rate(name: str, rate: RateEstimate) -> Fact:
    if rate.value is None:
        clear = f"{bounded_percent(rate.clear_cases)} of the rows are clear cases"
        return Fact(name, "cannot be estimated", f"{clear}; plausible values are {rate.interval}")
    return Fact(name, whole_percent(rate.value), f"{rate.interval}, if some labels are wrong")


def policy_facts(policy: Policy) -> list[Fact]:
    """Say which rows are decided in which way, and what that costs."""
    facts = [Fact("Decided as positive", percent(policy.positive), _from(policy.high))]
    if policy.low < policy.high:
        between = f"probabilities from {policy.low:.3g} to {policy.high:.3g}"
        facts.append(Fact("Sent to review", percent(policy.review), between))
    facts.append(Fact("Decided as negative", percent(policy.negative), "all others"))
    facts.append(Fact("Cost a row", f"{policy.cost:.4g}", "by the calibrated probabilities"))
    for estimate, reading in (
        (policy.labels_right, "if every label is right"),
        (policy.noise_holds, "if the noise estimate holds"),
    ):
        if estimate is not None:
            interval = f"{estimate.low:.4g} to {estimate.high:.4g}, {reading}"
            facts.append(Fact("Cost a row", f"{estimate.value:.4g}", interval))
    return facts


def _from(probability: float) -> str:
    return f"probabilities from {probability:.3g} on"
