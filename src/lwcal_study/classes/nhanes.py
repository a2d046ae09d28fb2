"""Tasks from a national health survey of 2017-2018 (package nhanes, MIT).

All tasks have the same respondents, so they are not independent.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from lwcal_study.classes.task import ClassTask, ranked, steps, value_of
from lwcal_study.real import nhanes_labels as label
from lwcal_study.real.labels import Rule
from lwcal_study.real.nhanes import BODY, PRESSURE, SUGAR, Pair, adults, features
from lwcal_study.real.task import Rows

WEIGHT_CLASSES = (18.5, 25.0, 30.0)
"""Body mass index from which a person has normal weight, overweight and obesity."""
HEIGHTS = (160.0, 170.0, 180.0)  # cm
SYSTOLIC, DIASTOLIC = (120.0, 130.0, 140.0), (80.0, 90.0)
"""Blood pressure from which it is elevated, and hypertension of stage 1 and of stage 2."""
SUGAR_LIMITS = (5.7, 6.5)
"""Share of HbA1c, in per cent, from which a person has prediabetes and diabetes."""


def pressure_stage(table: pd.DataFrame, readings: tuple[str, ...]) -> pd.Series:
    """Stage by the mean of some readings: normal, elevated, stage 1, stage 2."""
    systolic, diastolic = label.mean_pressures(table, readings)
    by_diastolic = steps(diastolic, *DIASTOLIC)
    by_diastolic = by_diastolic.where(by_diastolic.eq(0), by_diastolic + 1)  # none is "elevated"
    both = pd.concat([steps(systolic, *SYSTOLIC), by_diastolic], axis=1)
    return both.max(axis=1, skipna=False)


def diagnosed_sugar(table: pd.DataFrame) -> pd.Series:
    """Diagnosis by a doctor: none, prediabetes, diabetes."""
    return label.diagnosed_diabetes(table) + label.diagnosed_diabetes(table, borderline=True)


PAIRS = {
    "weight_class": Pair(
        "measured",
        lambda table: steps(table["BodyMassIndexKgm2"], *WEIGHT_CLASSES),
        lambda table: steps(label.reported_index(table), *WEIGHT_CLASSES),
        BODY,
        "underweight, normal, overweight or obese; noisy: self-reported; trusted: measured",
    ),
    "height_class": Pair(
        "measured",
        lambda table: steps(table["StandingHeightCm"], *HEIGHTS),
        lambda table: steps(label.reported_cm(table), *HEIGHTS),
        BODY,
        "height by steps of 10 cm; noisy: self-reported; trusted: measured",
    ),
    "pressure_stage": Pair(
        "repeat",
        partial(pressure_stage, readings=("2Nd", "3Rd")),
        partial(pressure_stage, readings=("1St",)),
        PRESSURE,
        "stage of blood pressure; noisy: first reading; trusted: mean of the next two",
    ),
    "sugar_class": Pair(
        "measured",
        lambda table: steps(table["Glycohemoglobin"], *SUGAR_LIMITS),
        diagnosed_sugar,
        SUGAR,
        "noisy: diagnosed with prediabetes or diabetes; trusted: HbA1c of 5.7% or 6.5%",
    ),
}

CLEAN: dict[str, tuple[Rule, str]] = {
    "general_health": (
        ranked("GeneralHealthCondition", "Excellent", "Very good", "Good", "Fair or", "Poor?"),
        "GeneralHealthCondition",
    ),
    "education": (
        ranked(
            "EducationLevelAdults20",
            "Less than 9th grade",
            "9-11th grade (Includes 12th grade with no diploma)",
            "High school graduate/GED or equivalent",
            "Some college or AA degree",
            "College graduate or above",
        ),
        "Education.*",
    ),
    "marital": (value_of("MaritalStatus"), "MaritalStatus"),
    "origin": (value_of("RacehispanicOriginWNhAsian"), "Racehispanic.*"),
    "income": (value_of("AnnualHouseholdIncome"), "Annual.*Income RatioOfFamilyIncome.*"),
}
"""The classes of a task, and the columns that reveal them."""


def _build(trusted: Rule, noisy: Rule | None, hidden: str) -> Rows:
    table = adults()
    return Rows(features(table, hidden), trusted(table), None if noisy is None else noisy(table))


def _natural(name: str, pair: Pair) -> ClassTask:
    build = partial(_build, pair.trusted, pair.noisy, pair.hidden)
    return ClassTask(
        f"nhanes_{name}", "nhanes", "health", "natural", build, kind=pair.kind, note=pair.note
    )


def _clean(name: str, classes: Rule, hidden: str) -> ClassTask:
    build = partial(_build, classes, None, hidden)
    return ClassTask(f"nhanes_{name}", "nhanes", "health", "clean", build)


TASKS = (
    *(_natural(name, pair) for name, pair in PAIRS.items()),
    *(_clean(name, *question) for name, question in CLEAN.items()),
)
