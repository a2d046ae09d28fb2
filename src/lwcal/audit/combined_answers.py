"""Answers of one plan or of several, to the columns that a calibrator is fitted with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.audit.checking import Entry
from lwcal.audit.codes import Code, Plan
from lwcal.errors import InputError, message


class Progress(NamedTuple):
    """How far a plan has come.

    Attributes
    ----------
    plan : Plan
        Which.
    answered : int
        How many of its rows were.
    passed_over : int
        How many were not, though later ones were. The answered part is a fair sample only if
        these are no different.
    """

    plan: Plan
    answered: int
    passed_over: int


@dataclass(frozen=True, eq=False)
class Audit:
    """Full-length columns: what was checked, and with which probability it came to be.

    Attributes
    ----------
    y_audited : float64 array
        The checked label, 0 or 1; NaN where none was checked.
    probability : float64 array
        Probability with which a row came to be checked; NaN where none was.
    progress : list of Progress
        The plans, in the order in which they were met.
    codes : dict
        Code of every checked row, by its position.
    """

    y_audited: FloatArray
    probability: FloatArray
    progress: list[Progress]
    codes: dict[int, Code]

    @property
    def answered(self) -> int:
        """How many rows were checked."""
        return len(self.codes)


def combine(entries: Iterable[Entry], n: int) -> Audit:
    """Bring the answers of all sheets together.

    Any first part of a plan is a fair sample, so a plan of which a share was answered has picked
    its rows with that share of their probability. Several plans each give an estimate of every
    total, of which the mean, weighted by their answers, is taken: a row counts in it as the sum
    of what it counts in each. A plan that left out rows because they had been checked before is
    completed by those rows, which then count as themselves.

    Parameters
    ----------
    entries : iterable of Entry
        Rows of all sheets, and those that were audited before.
    n : int
        Rows of the source.
    """
    answers: dict[int, tuple[int, str]] = {}
    picked: dict[Plan, dict[int, Code]] = {}
    for entry in entries:
        picked.setdefault(entry.code.plan, {})[entry.position] = entry.code
        if entry.answer is not None:
            _agree(answers.setdefault(entry.position, (entry.answer, entry.where)), entry)
    checked = {
        plan: {k: code for k, code in rows.items() if k in answers} for plan, rows in picked.items()
    }
    y_audited, probability = np.full(n, np.nan), np.full(n, np.nan)
    for position, (answer, _) in answers.items():
        y_audited[position] = answer
        probability[position] = min(1.0, 1.0 / _weight(position, checked))
    codes = {k: code for rows in reversed(checked.values()) for k, code in rows.items()}
    progress = [
        Progress(
            plan, len(rows), max((code.place for code in rows.values()), default=0) - len(rows)
        )
        for plan, rows in checked.items()
    ]
    return Audit(y_audited, probability, progress, codes)


def _agree(first: tuple[int, str], entry: Entry) -> None:
    answer, where = first
    if answer != entry.answer:
        raise InputError(
            message(
                f"one answer for row {entry.position + 1} of the scores",
                f"different ones in {where} and {entry.where}",
                "settle which is right",
            )
        )


def _weight(position: int, checked: dict[Plan, dict[int, Code]]) -> float:
    """How many rows of the source a checked row stands for."""
    total = sum(len(rows) for rows in checked.values())
    own = min(plan.earlier for plan, rows in checked.items() if position in rows)
    weight = 0.0
    for plan, rows in checked.items():
        part = len(rows) / total
        if position in rows:
            weight += part * plan.rows / (len(rows) * rows[position].probability)
        elif plan.earlier > own:
            weight += part
    return weight
