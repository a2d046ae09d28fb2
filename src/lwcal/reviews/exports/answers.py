"""What every module about a tool makes of its records: one `Answer` for each answer it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import inf
from typing import Any, NamedTuple

from lwcal.errors import InputError, message

ANOTHER_QUESTION = "another question"
CANCELLED = "cancelled"
DISCARDED = "discarded"
DRAFT = "draft"
EMPTY = "empty"
IGNORED = "ignored"
PREDICTION = "prediction"
REGION = "about a region"
REJECTED = "rejected"
REPLACED = "replaced"
SEVERAL = "several choices"
SHOWN_NAMES = 20
"""Names that a message lists."""


class Record(NamedTuple):
    """One object or row of an export.

    Attributes
    ----------
    fields : dict
        Its content by name.
    where : str
        Where it stands, for messages.
    file : str
        Name of its file without the ending, if the export has several files.
    """

    fields: dict[str, Any]
    where: str
    file: str = ""


class Answer(NamedTuple):
    """One answer of an export, whether it is an opinion or not.

    Attributes
    ----------
    item, reviewer : object
        As the tool names them; None if it does not.
    choices : list
        What was chosen.
    where : str
        Where it stands, for messages.
    fields : mapping
        Data of the item.
    reason : str
        Why this is not an opinion; empty if it is.
    trusted : bool
        Whether this is a checked label.
    created : object
        Time of the answer, as the tool writes it.
    order : tuple
        The last answer of a reviewer to an item has the highest.
    """

    item: Any
    reviewer: Any
    choices: list[Any]
    where: str
    fields: Mapping[str, Any]
    reason: str = ""
    trusted: bool = False
    created: Any = None
    order: tuple[Any, ...] = ()


class Asked(NamedTuple):
    """What the caller wants to know of an export.

    Attributes
    ----------
    source : str
        The export, as messages call it.
    question : str, optional
        The question whose answers are read.
    reviewers : sequence of str
        Columns of the reviewers, as names or patterns.
    """

    source: str
    question: str | None = None
    reviewers: Sequence[str] = ()

    def one_question(self, names: Iterable[str]) -> str | None:
        """Choose the question that was asked for, or the only one; None if there is none.

        >>> Asked("export.json").one_question(["mood"])
        'mood'
        >>> Asked("export.json").one_question(["mood", "topic"])
        Traceback (most recent call last):
        lwcal.errors.InputError: expected one question in export.json, got 2: 'mood', 'topic'; ...
        """
        found = list(dict.fromkeys(names))
        if self.question is not None:
            if self.question not in found:
                expected = f"a question {self.question!r} in {self.source}"
                raise InputError(message(expected, listed(found)))
            return self.question
        if len(found) > 1:
            hint = "choose one with --question (question=)"
            got = f"{len(found):,}: {listed(found)}"
            raise InputError(message(f"one question in {self.source}", got, hint))
        return found[0] if found else None


class Found(NamedTuple):
    """All answers of an export.

    Attributes
    ----------
    answers : list of Answer
    question : str, optional
        The question that they answer, if the tool names it.
    notes : tuple of str
        What the reader should know about the export.
    """

    answers: list[Answer]
    question: str | None = None
    notes: tuple[str, ...] = ()


def listed(names: Iterable[str]) -> str:
    """List names for a message.

    >>> listed(["mood", "topic"]), listed([])
    ("'mood', 'topic'", 'none')
    """
    found = list(names)
    others = len(found) - SHOWN_NAMES
    shown = ", ".join(map(repr, found[:SHOWN_NAMES])) or "none"
    return f"{shown} and {others:,} others" if others > 0 else shown


def as_list(value: Any, where: str) -> list[Any]:
    """Return a list of the export, empty if it is not there; refuse anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(message(f"a list in {where}", type(value).__name__))
    return value


def as_object(value: Any, where: str) -> dict[str, Any]:
    """Return an object of the export, empty if it is not there; refuse anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(message(f"an object in {where}", type(value).__name__))
    return value


def as_flag(value: Any, where: str) -> bool:
    """Return true or false, false if it is not there; refuse anything else."""
    if value is not None and not isinstance(value, bool):
        raise InputError(message(f"true or false in {where}", repr(value)))
    return bool(value)


def moment(value: Any) -> float:
    """Seconds since 1970 of a time, in ISO format or as a number; other values come first.

    >>> moment("2021-03-09T22:16:08Z") < moment("2021-03-09T22:16:08.5Z")
    True
    >>> moment(None)
    -inf
    """
    if isinstance(value, (int, float)) and value == value:
        return value
    try:
        time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return -inf
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def number(value: Any) -> float:
    """The number of an answer; what is none comes first.

    >>> number("1001"), number(7), number("a")
    (1001, 7, -inf)
    """
    try:
        return int(str(value))
    except ValueError:
        return -inf
