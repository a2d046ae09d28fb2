"""Argilla's records: flat, as ``to_datasets`` and ``flatten=True`` write them, or nested."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import (
    DISCARDED,
    DRAFT,
    Answer,
    Asked,
    Found,
    Record,
    as_list,
    as_object,
    listed,
)

FLAT = ".responses"
"""Ending of the column of a question's answers; the next two follow it."""
USERS, STATUS = ".users", ".status"
SERVER = "_server_id"
"""Field that every record has."""
REASONS = {None: "", "submitted": "", "draft": DRAFT, "discarded": DISCARDED}
NO_STATUS = (
    "This layout does not tell drafts and discarded answers from submitted ones (to_json and "
    "nested records drop the status); export with to_datasets or to_list(flatten=True) instead."
)


def fits(names: Collection[str]) -> bool:
    """Whether a record with these fields is one of Argilla, answered or not.

    >>> fits({"id", "text", "mood.responses"}), fits({"id", "fields", "responses"})
    (True, True)
    """
    is_nested = "fields" in names and "responses" in names
    return is_nested or SERVER in names or any(name.endswith(FLAT) for name in names)


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read the answers to one question."""
    question = asked.one_question(name for record in records for name in _questions(record))
    found = [
        (answer, status)
        for record in records
        for answer, status in _answers(record, question or "")
    ]
    notes = (NO_STATUS,) if any(status is None for _, status in found) else ()
    return Found([answer for answer, _ in found], question, notes)


def _is_nested(record: Record) -> bool:
    """Whether the answers are in an object; a flat record may have a text of this name."""
    fields = record.fields
    return "responses" in fields and ("fields" in fields or isinstance(fields["responses"], dict))


def _questions(record: Record) -> list[str]:
    flat = [name.removesuffix(FLAT) for name in record.fields if name.endswith(FLAT)]
    if not _is_nested(record):
        return flat
    if flat:
        got = f"'responses' and {listed(name + FLAT for name in flat)} in {record.where}"
        raise InputError(message("flat or nested answers", got))
    return list(as_object(record.fields["responses"], f"responses of {record.where}"))


def _answers(record: Record, question: str) -> Iterator[tuple[Answer, Any]]:
    """Yield the answers of a record, each with its status."""
    about = _about(record)
    given = _nested(record, question) if _is_nested(record) else _flat(record, question)
    for value, user, status in given:
        if not (status is None or isinstance(status, str)) or status not in REASONS:
            known = ", ".join(name for name in REASONS if name)
            raise InputError(message(f"a status among {known} in {record.where}", repr(status)))
        choices = value if isinstance(value, list) else [value]
        # the client writes the text None where it does not know the user
        reviewer = None if user == "None" else user
        answer = Answer(record.fields.get("id"), reviewer, choices, record.where, about)
        yield answer._replace(reason=REASONS[status]), status


def _about(record: Record) -> dict[str, Any]:
    parts = [record.fields.get(name) for name in ("metadata", "fields")]
    inner = [part for part in parts if isinstance(part, dict)] if _is_nested(record) else []
    return {key: value for part in (*inner, record.fields) for key, value in part.items()}


def _nested(record: Record, question: str) -> Iterator[tuple[Any, Any, Any]]:
    where = f"responses of {record.where}"
    for entry in as_list(as_object(record.fields["responses"], where).get(question), where):
        response = as_object(entry, where)
        yield response.get("value"), response.get("user_id"), response.get("status")


def _flat(record: Record, question: str) -> Iterator[tuple[Any, Any, Any]]:
    name = question + FLAT
    values = as_list(record.fields.get(name), f"{name} of {record.where}")
    columns = [values]
    for ending in (USERS, STATUS):
        column = as_list(record.fields.get(name + ending), f"{name}{ending} of {record.where}")
        columns.append(column or [None] * len(values))
        if len(columns[-1]) != len(values):
            expected = f"{len(values):,} values of {name}{ending} in {record.where}"
            raise InputError(message(expected, f"{len(column):,}"))
    yield from zip(*columns, strict=True)
