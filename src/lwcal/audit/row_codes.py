"""The code that every row of a sheet carries: how the row was picked, and which row it was.

A spreadsheet rounds probabilities. People may change cells, or return the sheet of another file.
The code is text that no program reformats, so the original values can be restored and compared.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray

PATTERN = re.compile(r"lwcal-(\d+)-(\d+)-(\d+)-(\d+)-([0-9.e+-]+)-([0-9a-f]{8})")


class PlanId(NamedTuple):
    """Identifies the plan that a row belongs to.

    Attributes
    ----------
    rows : int
        Number of rows in the plan.
    seed : int
        Random seed of the plan.
    earlier : int
        Number of rows that were checked before and left out of the plan.
    """

    rows: int
    seed: int
    earlier: int


class RowCode(NamedTuple):
    """How a row was picked, and its fingerprint.

    Attributes
    ----------
    plan : PlanId
        The plan that picked the row.
    place : int
        Place in the order of checking, from 1.
    probability : float
        Probability with which the row was picked.
    check : str
        Fingerprint of the row.

    Examples
    --------
    >>> code = RowCode(PlanId(50, 0, 0), 7, 0.025, fingerprint(0.5, 1))
    >>> str(code)
    'lwcal-50-0-0-7-0.025-...'
    >>> RowCode.parse(str(code)) == code
    True
    """

    plan: PlanId
    place: int
    probability: float
    check: str

    def __str__(self) -> str:
        """Write the code as text."""
        rows, seed, earlier = self.plan
        return f"lwcal-{rows}-{seed}-{earlier}-{self.place}-{self.probability!r}-{self.check}"

    @classmethod
    def parse(cls, text: str) -> RowCode | None:
        """Read a code from text. Return None if the text is not a valid code."""
        found = PATTERN.fullmatch(text.strip())
        if found is None:
            return None
        *counts, probability, check = found.groups()
        rows, seed, earlier, place = map(int, counts)
        try:
            picked = float(probability)
        except ValueError:
            return None
        possible = 0.0 < picked <= 1.0 and 1 <= place <= rows
        return cls(PlanId(rows, seed, earlier), place, picked, check) if possible else None


def fingerprint(scores: float | FloatArray, label: int) -> str:
    """Return a short hash of the scores and the label of a row, which does not reveal the scores.

    Parameters
    ----------
    scores : float or float64 array
        The score of the row, or those of all classes.
    label : int
        Number of the class.

    Examples
    --------
    >>> fingerprint(0.5, 1) == fingerprint(0.5, 0)
    False
    >>> fingerprint(np.array([0.2, 0.3, 0.5]), 1) == fingerprint(np.array([0.3, 0.2, 0.5]), 1)
    False
    """
    words = [*(score.hex() for score in np.atleast_1d(scores).tolist()), str(int(label))]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]
