"""Combine the answers of one or several plans into the columns that ``Audited.fit`` takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.audit.returned_sheet import SheetRow
from lwcal.audit.row_codes import PlanId, RowCode
from lwcal.errors import InputError


class PlanProgress(NamedTuple):
    """How many rows of a plan are answered.

    Attributes
    ----------
    plan : PlanId
        The plan.
    answered : int
        Number of answered rows.
    passed_over : int
        Number of rows without an answer that come before an answered row. If they are harder
        than the others, the answered rows are not a representative sample.
    """

    plan: PlanId
    answered: int
    passed_over: int


@dataclass(frozen=True, eq=False)
class CombinedAnswers:
    """The answers of an audit, with one value per row of the source.

    Attributes
    ----------
    y_audited : float64 array
        Number of the true class; NaN for rows that were not checked.
    probability : float64 array
        Probability with which the row was checked; NaN for rows that were not.
    progress : list of PlanProgress
        The plans, in the order of their first row.
    codes : dict
        Code of every checked row, by its position.
    """

    y_audited: FloatArray
    probability: FloatArray
    progress: list[PlanProgress]
    codes: dict[int, RowCode]

    @property
    def answered(self) -> int:
        """Number of checked rows."""
        return len(self.codes)


def combine_answers(rows: Iterable[SheetRow], n: int) -> CombinedAnswers:
    """Combine the answers of all sheets.

    The first part of a plan is a representative sample too. If a share of a plan was answered,
    the probability of each of its rows is multiplied by that share. Each of several plans gives
    an estimate of any total. Their mean, weighted by the number of answers, is used: the weight
    of a row is the sum of its weights in the plans. A plan that left out rows because they had
    been checked before is completed by those rows, which then have weight 1 in it.

    Parameters
    ----------
    rows : iterable of SheetRow
        Rows of all sheets, and rows that were audited before.
    n : int
        Number of rows of the source.
    """
    answers: dict[int, tuple[int, str]] = {}
    disputed: dict[int, tuple[str, str]] = {}
    picked: dict[PlanId, dict[int, RowCode]] = {}
    for row in rows:
        picked.setdefault(row.code.plan, {})[row.position] = row.code
        if row.answer is not None:
            answer, location = answers.setdefault(row.position, (row.answer, row.location))
            if answer != row.answer:
                disputed.setdefault(row.position, (location, row.location))
    if disputed:
        raise InputError(_disputes(disputed))
    checked = {
        plan: {k: code for k, code in codes.items() if k in answers}
        for plan, codes in picked.items()
    }
    y_audited, probability = np.full(n, np.nan), np.full(n, np.nan)
    for position, (answer, _) in answers.items():
        y_audited[position] = answer
        probability[position] = min(1.0, 1.0 / _weight(position, checked))
    codes = {k: code for found in reversed(checked.values()) for k, code in found.items()}
    return CombinedAnswers(y_audited, probability, _progress(checked), codes)


def _disputes(disputed: dict[int, tuple[str, str]]) -> str:
    """Show the first row that has different answers, and say how many there are."""
    (position, (first, second)), *others = disputed.items()
    row = f"Row {position + 1} of the scores has different answers in {first} and {second}"
    if not others:
        return f"{row}. Decide which is right, and correct the other."
    more = "another row has" if len(others) == 1 else f"{len(others):,} other rows have"
    return f"{row}, and {more}, too. Decide which are right, and correct the others."


def _progress(checked: dict[PlanId, dict[int, RowCode]]) -> list[PlanProgress]:
    found = []
    for plan, codes in checked.items():
        last = max((code.place for code in codes.values()), default=0)
        found.append(PlanProgress(plan, len(codes), last - len(codes)))
    return found


def _weight(position: int, checked: dict[PlanId, dict[int, RowCode]]) -> float:
    """Return the number of rows of the source that a checked row represents."""
    total = sum(len(codes) for codes in checked.values())
    own = min(plan.earlier for plan, codes in checked.items() if position in codes)
    weight = 0.0
    for plan, codes in checked.items():
        part = len(codes) / total
        if position in codes:
            weight += part * plan.rows / (len(codes) * codes[position].probability)
        elif plan.earlier > own:
            weight += part
    return weight
