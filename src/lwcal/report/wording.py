"""Sentences of the page below its top: facts about the noise, and about the paper's rule."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.diagnosis import Diagnosis
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
    return Fact(name, f"{rate.value:.0%}", f"{rate.interval}, if some labels are wrong")
