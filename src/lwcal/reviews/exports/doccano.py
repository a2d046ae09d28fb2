"""doccano's JSON lines about the classes of texts and images.

A project in which everybody labels every text is exported as one file for each member, with the
labels in ``label``. Earlier versions list the labels in ``annotations``, each with its user;
the first versions wrote a line for each user (``labels`` and ``username``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import Answer, Asked, Found, Record, as_list, as_object

DATA = ("text", "filename", "data")
LABELS = ("label", "labels", "cats")
OLD = "annotations"
REVIEWERS = ("username", "user", "annotator")
SHARED = "all"
"""Name of the file of a project whose members share their labels."""


def fits(names: Collection[str]) -> bool:
    """Whether a record with these fields is a labelled text.

    >>> fits({"id", "text", "label"}), fits({"id", "text", "annotations", "meta"})
    (True, True)
    """
    return any(name in names for name in DATA) and any(name in names for name in (*LABELS, OLD))


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read the labels of every reviewer."""
    return Found([answer for record in records for answer in _answers(record)])


def _answers(record: Record) -> Iterator[Answer]:
    fields = record.fields
    if OLD in fields:
        yield from _old_answers(record)
        return
    if record.file == SHARED:
        hint = "who chose which label is not in it; export a project that is not collaborative"
        raise InputError(message("a file for each reviewer", f"{SHARED!r} ({record.where})", hint))
    name = next(name for name in LABELS if name in fields)
    if isinstance(fields[name], str):  # CSV joins several labels into one text
        hint = (
            "export JSONL from doccano, or name the columns of a table of opinions task, worker "
            "and label"
        )
        raise InputError(message(f"a list as {name} of {record.where}", "text", hint))
    choices = as_list(fields[name], f"{name} of {record.where}")
    _refuse_spans(choices, record.where)
    named = (fields[name] for name in REVIEWERS if fields.get(name) is not None)
    reviewer = next(named, record.file or None)
    yield Answer(fields.get("id", fields.get("doc_id")), reviewer, choices, record.where, fields)


def _old_answers(record: Record) -> Iterator[Answer]:
    """Yield one answer for each user, with all labels that they gave."""
    where = f"{OLD} of {record.where}"
    entries = [as_object(entry, where) for entry in as_list(record.fields[OLD], where)]
    choices: dict[str, list[Any]] = {}
    users: dict[str, Any] = {}
    for entry in entries:
        _refuse_spans([entry], record.where)
        user = entry.get("user")
        users[repr(user)] = user
        choices.setdefault(repr(user), []).append(entry.get("label"))
    for key, user in users.items():
        yield Answer(record.fields.get("id"), user, choices[key], record.where, record.fields)


def _refuse_spans(labels: list[Any], where: str) -> None:
    for label in labels:
        if isinstance(label, list) or (isinstance(label, dict) and "start_offset" in label):
            raise InputError(message("labels of whole texts or images", f"spans in {where}"))
