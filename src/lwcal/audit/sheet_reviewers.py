"""Reviewers who answer the same sheet: the names of their columns.

Every reviewer has a column of answers and a column of times in the sheet. A merge writes the
answers beside the rows, in a column of opinions for each reviewer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from lwcal.errors import InputError, ParameterError, message

ANSWERS = "audit_opinion_"
TIMES = "audit_time_"
MERGED = "opinion_"
LONGEST_NAME = 40
NAME = re.compile(rf"[^\W_][\w.-]{{0,{LONGEST_NAME - 1}}}")


class ReviewerColumns(NamedTuple):
    """The columns of a reviewer.

    Attributes
    ----------
    answers : str
        Column of the sheet with the answers.
    times : str
        Column of the sheet that says when each was given.
    opinions : str
        Column of the merged rows.
    """

    answers: str
    times: str
    opinions: str


def columns_of(reviewer: str) -> ReviewerColumns:
    """Name the columns of a reviewer.

    >>> columns_of("ann")
    ReviewerColumns(answers='audit_opinion_ann', times='audit_time_ann', opinions='opinion_ann')
    """
    return ReviewerColumns(f"{ANSWERS}{reviewer}", f"{TIMES}{reviewer}", f"{MERGED}{reviewer}")


def check_reviewer(name: str, option: str = "--as") -> str:
    """Return a name that can be part of the name of a column; refuse any other.

    >>> check_reviewer("Zoë")
    'Zoë'
    >>> check_reviewer("ann, bob")
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected --as with letters, digits, '.', '-' or '_' ...
    """
    composed = unicodedata.normalize("NFC", name)  # the same letters are the same name
    if NAME.fullmatch(composed) is None:
        expected = (
            f"{option} with letters, digits, '.', '-' or '_' (at most {LONGEST_NAME}, a letter or "
            "digit first)"
        )
        raise ParameterError(message(expected, repr(name)))
    return composed


def reviewers_of(columns: Iterable[str], source: str) -> list[str]:
    """Return the reviewers whose answers a sheet has; refuse names that differ in case only.

    Databases do not tell such columns apart, and the two are probably one reviewer.

    >>> reviewers_of(["case", "audited_label", "audit_opinion_ann", "audit_time_ann"], "s.csv")
    ['ann']
    """
    found = [name.removeprefix(ANSWERS) for name in columns if name.startswith(ANSWERS)]
    refuse_similar(found, source)
    return found


def refuse_similar(reviewers: Iterable[str], source: str) -> None:
    """Refuse reviewers whose names differ in upper and lower case only."""
    known: dict[str, str] = {}
    for name in reviewers:
        first = known.setdefault(name.casefold(), name)
        if first != name:
            got = f"{first!r} and {name!r}, which differ in upper and lower case only"
            hint = "use the same name in every session"
            raise InputError(message(f"one spelling of each reviewer in {source}", got, hint))


def is_reviewer_column(name: str) -> bool:
    """Whether a column of a sheet tells what a reviewer answered, or when."""
    return name.startswith((ANSWERS, TIMES))
