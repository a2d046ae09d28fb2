"""Tasks from a national health survey of 2017-2018 (package nhanes, MIT).

Adults were both interviewed and examined. All tasks have the same respondents, so they are not
independent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import pandas as pd

from lwcal_study.real import nhanes_labels as label
from lwcal_study.real.encoding import without
from lwcal_study.real.labels import Rule, equals, reaches
from lwcal_study.real.packages import read_table
from lwcal_study.real.task import RealTask, Rows

FILE = "combined_data/2017-2018/NHANES_data_2017-2018.tsv"
ADULT_AGE = 20
LEAST_KNOWN = 0.5
"""Columns that a smaller share of the adults answered are dropped."""
ALWAYS_HIDDEN = "SEQN AgeWhen.* Age1St.*"

BODY = (
    ".*Weight.* .*Height.* RecumbentLengthCm BodyMassIndexKgm2 WaistCircumferenceCm Trunk.* "
    "TotalPercentFat TimesLost.*"
)
SUGAR = (
    ".*Diabet.* .*diabet.* FamilyHistory TakingInsulinNow WhatWasYourLastA1CLevel Glycohemoglobin"
)
PRESSURE = ".*BloodPres.*"
SMOKE = ".*Smok.* .*Tobacco.* .*Cigar.* .*Cigs.* .*smok.* HowLongWereYou.* UnitOfMeasure.*"
SLEEP = ".*Sleep.* .*Wake.*"


class Pair(NamedTuple):
    """A trusted and a noisy label of the same fact, and the columns that reveal them."""

    kind: str
    trusted: Rule
    noisy: Rule
    hidden: str
    note: str


def _bmi(limit: float) -> Pair:
    return Pair(
        "measured",
        reaches("BodyMassIndexKgm2", limit),
        partial(label.reported_bmi, limit=limit),
        BODY,
        f"body mass index of at least {limit:.0f}; noisy: self-reported; trusted: measured",
    )


def _blood_pressure(systolic: float, diastolic: float) -> Pair:
    limits = {"systolic": systolic, "diastolic": diastolic}
    return Pair(
        "repeat",
        partial(label.pressure, readings=("2Nd", "3Rd"), **limits),
        partial(label.pressure, readings=("1St",), **limits),
        PRESSURE,
        f"blood pressure of at least {systolic}/{diastolic}; noisy: first reading; trusted: mean "
        "of the next two",
    )


PAIRS = {
    "obesity": _bmi(30),
    "overweight": _bmi(25),
    "severe_obesity": _bmi(35),
    "tall": Pair(
        "measured",
        reaches("StandingHeightCm", 170),
        partial(label.reported_height, cm=170),
        BODY,
        "height of at least 170 cm; noisy: self-reported; trusted: measured",
    ),
    "heavy": Pair(
        "measured",
        reaches("WeightKg", 90),
        partial(label.reported_weight, kg=90),
        BODY,
        "weight of at least 90 kg; noisy: self-reported; trusted: measured",
    ),
    "diabetes": Pair(
        "measured",
        reaches("Glycohemoglobin", 6.5),
        label.diagnosed_diabetes,
        SUGAR,
        "noisy: diagnosed with diabetes; trusted: HbA1c of at least 6.5%",
    ),
    "diabetes_treated": Pair(
        "measured",
        label.diabetic,
        label.diagnosed_diabetes,
        SUGAR,
        "noisy: diagnosed with diabetes; trusted: HbA1c of at least 6.5%, or treated",
    ),
    "dysglycemia": Pair(
        "measured",
        reaches("Glycohemoglobin", 5.7),
        partial(label.diagnosed_diabetes, borderline=True),
        SUGAR,
        "noisy: diagnosed with diabetes or prediabetes; trusted: HbA1c of at least 5.7%",
    ),
    "hypertension": _blood_pressure(140, 90),
    "elevated_bp": _blood_pressure(130, 80),
    "adiposity_bmi": Pair(
        "proxy",
        label.excess_fat,
        reaches("BodyMassIndexKgm2", 30),
        BODY,
        "noisy: body mass index of at least 30; trusted: high body fat by X-ray",
    ),
    "adiposity_waist": Pair(
        "proxy",
        label.excess_fat,
        label.wide_waist,
        BODY,
        "noisy: large waist; trusted: high body fat by X-ray",
    ),
    "smoker": Pair(
        "proxy",
        equals("UsedAnyTobaccoProductLast5Days", 1),
        label.says_smokes,
        SMOKE,
        "noisy: says at home that they smoke; trusted: reports at the examination tobacco use in "
        "the last five days",
    ),
    "insomnia": Pair(
        "proxy",
        reaches("TroubleSleepingOrSleepingTooMuch", 2),
        equals("EverToldDoctorHadTroubleSleeping", 1),
        SLEEP,
        "noisy: ever told a doctor about trouble sleeping; trusted: sleeps badly on most days",
    ),
}

CLEAN = {
    "arthritis": ("DoctorEverSaidYouHadArthritis", 1, ""),
    "heart_attack": ("EverToldYouHadHeartAttack", 1, ""),
    "stroke": ("EverToldYouHadAStroke", 1, ""),
    "cancer": ("EverToldYouHadCancerOrMalignancy", 1, ""),
    "uninsured": ("CoveredByHealthInsurance", 0, ""),
    "memory": ("ExperienceConfusionmemoryProblems", 1, "HaveSeriousDifficultyConcentrating"),
    "asthma": ("EverBeenToldYouHaveAsthma", 1, ""),
}
"""The column of a question, its positive answer, and other columns to drop."""


@lru_cache(maxsize=1)  # all tasks share one large file
def adults() -> pd.DataFrame:
    """Respondents aged 20 or older."""
    table = read_table("nhanes", FILE, sep="\t")
    return table[table["AgeInYearsAtScreening"] >= ADULT_AGE].reset_index(drop=True)


def features(table: pd.DataFrame, hidden: str) -> pd.DataFrame:
    """Columns that most adults answered, except those that reveal the label."""
    kept = without(table, f"{ALWAYS_HIDDEN} {hidden}")
    return kept.loc[:, kept.notna().mean() >= LEAST_KNOWN]


def _build(trusted: Rule, noisy: Rule | None, hidden: str) -> Rows:
    table = adults()
    return Rows(features(table, hidden), trusted(table), None if noisy is None else noisy(table))


def _natural(name: str, pair: Pair) -> RealTask:
    build: Callable[[], Rows] = partial(_build, pair.trusted, pair.noisy, pair.hidden)
    return RealTask(
        f"nhanes_{name}", "nhanes", "health", "natural", build, kind=pair.kind, note=pair.note
    )


def _clean(name: str, column: str, value: int, hidden: str) -> RealTask:
    build = partial(_build, equals(column, value), None, f"{column} {hidden}")
    return RealTask(f"nhanes_{name}", "nhanes", "health", "clean", build)


TASKS = (
    *(_natural(name, pair) for name, pair in PAIRS.items()),
    *(_clean(name, *question) for name, question in CLEAN.items()),
)
