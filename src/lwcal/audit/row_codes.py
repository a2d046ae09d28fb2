"""What a row of a sheet must still know when it comes back: how it was picked, and from where.

A spreadsheet shortens probabilities, and a person may change them or hand in the sheet of
another file. So every row carries a code, which is text that no program reformats.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

PATTERN = re.compile(r"lwcal-(\d+)-(\d+)-(\d+)-(\d+)-([0-9.e+-]+)-([0-9a-f]{8})")


class Plan(NamedTuple):
    """Which plan a row belongs to.

    Attributes
    ----------
    rows : int
        How many rows the plan asks to check.
    seed : int
        Its random state.
    earlier : int
        How many rows had been checked before, and were left out of it.
    """

    rows: int
    seed: int
    earlier: int


class Code(NamedTuple):
    """How a row was picked, and what it was.

    Attributes
    ----------
    plan : Plan
        By which it was picked.
    place : int
        Its place in the order of checking, from 1.
    probability : float
        With which it was picked.
    check : str
        Its fingerprint.

    >>> code = Code(Plan(50, 0, 0), 7, 0.025, fingerprint(0.5, 1))
    >>> str(code)
    'lwcal-50-0-0-7-0.025-...'
    >>> Code.parse(str(code)) == code
    True
    """

    plan: Plan
    place: int
    probability: float
    check: str

    def __str__(self) -> str:
        """Write it down."""
        rows, seed, earlier = self.plan
        return f"lwcal-{rows}-{seed}-{earlier}-{self.place}-{self.probability!r}-{self.check}"

    @classmethod
    def parse(cls, text: str) -> Code | None:
        """Read it back; None when it is none."""
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
        return cls(Plan(rows, seed, earlier), place, picked, check) if possible else None


def fingerprint(score: float, label: int) -> str:
    """Tell a row by its score and label, without showing the score.

    >>> fingerprint(0.5, 1) == fingerprint(0.5, 0)
    False
    """
    return hashlib.sha256(f"{float(score).hex()} {int(label)}".encode()).hexdigest()[:8]
