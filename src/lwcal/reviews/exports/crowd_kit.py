"""The long table of crowd-kit (task, worker, label), and of cleanlab (task, annotator, label)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import Answer, Asked, Found, Record, listed
from lwcal.rows.values import is_missing_value

ITEM, LABEL = "task", "label"
REVIEWERS = ("worker", "performer", "annotator")
"""The name in crowd-kit, its earlier name, and cleanlab's name."""


def fits(names: Collection[str]) -> bool:
    """Whether a record with these fields is an opinion.

    >>> fits(["task", "worker", "label"])
    True
    """
    return ITEM in names and LABEL in names and any(name in names for name in REVIEWERS)


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read the rows as they are."""
    named = dict.fromkeys(name for record in records for name in record.fields)
    found = [name for name in REVIEWERS if name in named]
    if len(found) > 1:
        expected = f"one column of reviewers in {asked.source}"
        raise InputError(message(expected, listed(found), "rename the others"))
    return Found([_answer(record, found[0]) for record in records])


def _answer(record: Record, reviewer: str) -> Answer:
    fields = record.fields
    label = fields.get(LABEL)
    choices = [] if is_missing_value(label) else [label]
    return Answer(fields.get(ITEM), fields.get(reviewer), choices, record.where, fields)
