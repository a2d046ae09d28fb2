"""Label Studio's CSV, TSV and JSON_MIN: one row for each annotation.

The rows hold no cancelled answers, no drafts and no predictions. They do not tell which column is
a question, nor which annotation is a checked label.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import (
    Answer,
    Asked,
    Found,
    Record,
    as_list,
    listed,
    moment,
    number,
)

REVIEWER, ANNOTATION = OWN = ("annotator", "annotation_id")
TOOLS = (*OWN, "id", "created_at", "updated_at", "lead_time", "agreement", "history")
"""Columns that the tool adds to those of the data and of the questions."""
UNCHECKED = (
    "This layout does not tell checked labels (ground truth) from other answers; export JSON to "
    "keep them apart."
)


def fits(names: Collection[str]) -> bool:
    """Whether a record with these fields is an annotation.

    >>> fits(["id", "text", "mood", "annotator", "annotation_id"])
    True
    """
    return all(name in names for name in OWN)


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read the column of one question."""
    names = dict.fromkeys(name for record in records for name in record.fields if name not in TOOLS)
    if asked.question is None:
        differing = [name for name in names if _differs(records, name)]
        hint = "name the column of the answers with --question (question=)"
        if differing:
            hint += f"; reviewers differ in {listed(differing)}"
        raise InputError(
            message(f"a question for {asked.source}", f"columns {listed(names)}", hint)
        )
    question = asked.one_question(names)
    answers = [_answer(record, asked.question) for record in records]
    return Found(answers, question, (UNCHECKED,))


def _differs(records: Sequence[Record], name: str) -> bool:
    """Whether answers to one item differ in a column; data of an item never does."""
    seen: dict[str, str] = {}
    for record in records:
        value = repr(record.fields.get(name))
        if seen.setdefault(repr(record.fields.get("id")), value) != value:
            return True
    return False


def _answer(record: Record, question: str) -> Answer:
    fields = record.fields
    created = fields.get("created_at")
    return Answer(
        fields.get("id"),
        fields.get(REVIEWER),
        _choices(fields.get(question), record.where),
        record.where,
        fields,
        created=created,
        order=(moment(fields.get("updated_at") or created), number(fields.get(ANNOTATION))),
    )


def _choices(cell: Any, where: str) -> list[Any]:
    """Choices in a cell: one is written as it is, several as ``{"choices": [...]}``.

    >>> _choices('{"choices": ["a", "b"]}', "row 1"), _choices('["a", "b"]', "row 1")
    (['a', 'b'], ['a', 'b'])
    >>> _choices("[0, 1]", "row 1"), _choices("[a]", "row 1")
    (['[0, 1]'], ['[a]'])
    """
    if isinstance(cell, str) and cell.startswith(("{", "[")):
        cell = _unpacked(cell)
    if isinstance(cell, dict) and "choices" in cell:
        return as_list(cell["choices"], where)
    if isinstance(cell, list):
        return [choice for part in cell for choice in _choices(part, where)]
    return [cell]


def _unpacked(cell: str) -> Any:
    """Read the JSON of a cell, unless it is the name of a choice that begins with a bracket."""
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    parts = found if isinstance(found, list) else [found]
    is_written = len(parts) > 1 or any(isinstance(part, dict) for part in parts)
    return found if is_written and all(isinstance(part, (str, dict)) for part in parts) else cell
