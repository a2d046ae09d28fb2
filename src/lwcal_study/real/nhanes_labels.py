"""Labels of the health survey, from measurements and from interviews."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from lwcal_study.real.labels import any_of, at_least, known

KG_PER_POUND = 1 / 2.20462
CM_PER_INCH = 2.54
BMI_IN_POUNDS_AND_INCHES = 703.0
BODY_FAT = {"Male": 25.0, "Female": 35.0}  # per cent
WAIST = {"Male": 102.0, "Female": 88.0}  # cm


def reported_index(table: pd.DataFrame) -> pd.Series:
    """Body mass index from self-reported weight and height."""
    pounds = table["CurrentSelfreportedWeightPounds"]
    inches = table["CurrentSelfreportedHeightInches"]
    return BMI_IN_POUNDS_AND_INCHES * pounds / inches**2


def reported_bmi(table: pd.DataFrame, limit: float) -> pd.Series:
    """Whether the self-reported body mass index reaches a limit."""
    return at_least(reported_index(table), limit)


def reported_cm(table: pd.DataFrame) -> pd.Series:
    """Self-reported height in centimetres."""
    return CM_PER_INCH * table["CurrentSelfreportedHeightInches"]


def reported_height(table: pd.DataFrame, cm: float) -> pd.Series:
    """Whether the self-reported height reaches a limit."""
    return at_least(reported_cm(table), cm)


def reported_weight(table: pd.DataFrame, kg: float) -> pd.Series:
    """Self-reported weight."""
    return at_least(KG_PER_POUND * table["CurrentSelfreportedWeightPounds"], kg)


def pressure(
    table: pd.DataFrame, readings: Iterable[str], systolic: float, diastolic: float
) -> pd.Series:
    """Whether the mean of some blood pressure readings reaches a limit."""
    upper, lower = mean_pressures(table, readings)
    return any_of(at_least(upper, systolic), at_least(lower, diastolic))


def mean_pressures(table: pd.DataFrame, readings: Iterable[str]) -> tuple[pd.Series, pd.Series]:
    """Mean systolic and mean diastolic blood pressure of some readings."""

    def mean(start: str) -> pd.Series:
        names = [c for c in table if c.startswith(start) and any(r in c for r in readings)]
        return table[names].mean(axis=1)

    return mean("Systolic"), mean("Diastolic")


def diagnosed_diabetes(table: pd.DataFrame, *, borderline: bool = False) -> pd.Series:
    """Whether a doctor diagnosed diabetes or, with ``borderline``, prediabetes."""
    said = table["DoctorToldYouHaveDiabetes"]
    yes = said.isin(["1", "Borderline"] if borderline else ["1"])
    if borderline:
        yes |= table["EverToldYouHavePrediabetes"].eq(1)
    return known(yes, said.notna())


def diabetic(table: pd.DataFrame) -> pd.Series:
    """High blood sugar in the laboratory, or under treatment for it."""
    insulin, pills = table["TakingInsulinNow"], table["TakeDiabeticPillsToLowerBloodSugar"]
    treated = (insulin.eq(1) | pills.eq(1)).astype(float)
    return any_of(treated, at_least(table["Glycohemoglobin"], 6.5))


def _by_gender(table: pd.DataFrame, column: str, limits: dict[str, float]) -> pd.Series:
    return known(table[column] >= table["Gender"].map(limits), table[column].notna())


def excess_fat(table: pd.DataFrame) -> pd.Series:
    """Body fat by X-ray, at or above the limit for men or women."""
    return _by_gender(table, "TotalPercentFat", BODY_FAT)


def wide_waist(table: pd.DataFrame) -> pd.Series:
    """Waist at or above the limit for men or women."""
    return _by_gender(table, "WaistCircumferenceCm", WAIST)


def says_smokes(table: pd.DataFrame) -> pd.Series:
    """Smokes now, according to the interview at home."""
    never = table["SmokedAtLeast100CigarettesInLife"].eq(0)
    answer: Any = table["DoYouNowSmokeCigarettes"]
    return known(answer.isin(["Every day", "Some days"]), never | answer.notna())
