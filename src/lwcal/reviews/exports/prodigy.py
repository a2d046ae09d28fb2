"""Prodigy's JSON lines, as ``prodigy db-out`` writes them: one line for each answer.

A task either offers options (``accept`` lists the chosen ones), or asks whether one label fits
(``answer`` is accept or reject). The second kind is a question for each label, with the two
classes accept and reject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import (
    ANOTHER_QUESTION,
    EMPTY,
    IGNORED,
    REJECTED,
    Answer,
    Asked,
    Found,
    Record,
    as_list,
    moment,
)

ITEM, TASK = "_input_hash", "_task_hash"
CHOICE, UNNAMED = "choice", "accept or reject"
"""Names of the questions that no label names."""
VIEWS = ("text", "html", "image", "audio", "video", "classification", "choice", "blocks")
"""Interfaces whose answers are about a whole item."""
UNNAMED_SESSION = re.compile(r"(.*-)?\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")
"""Id of a session without a name: the time at which the server was started."""


def fits(names: Collection[str]) -> bool:
    """Whether a record with these fields is an annotated task.

    >>> fits({"text", "label", "answer", "_input_hash", "_task_hash"})
    True
    """
    return ITEM in names and TASK in names


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read what was accepted and rejected."""
    questions = [_question(record) for record in records]
    question = asked.one_question(questions)
    answers = [
        _answer(record, own, question) for record, own in zip(records, questions, strict=True)
    ]
    return Found(answers, question)


def _question(record: Record) -> str:
    fields = record.fields
    view = fields.get("_view_id")
    offers_options = bool(fields.get("options")) or "accept" in fields
    is_partial = bool(fields.get("spans") or fields.get("relations")) and not offers_options
    if (view is not None and view not in VIEWS) or is_partial or "versions" in fields:
        got = f"{record.where} of the interface {view!r}"
        hint = "answers about spans, relations or other answers are not supported"
        raise InputError(message("answers about whole items", got, hint))
    if offers_options:
        return CHOICE
    label = fields.get("label")
    return UNNAMED if label is None else str(label)


def _answer(record: Record, own: str, question: str | None) -> Answer:
    fields = record.fields
    given = fields.get("answer")
    reason = ANOTHER_QUESTION if own != question else _reason(given, own, record.where)
    choices = [given]
    if own == CHOICE:
        choices = as_list(fields.get("accept"), f"accept of {record.where}")
    meta = fields.get("meta")
    time = fields.get("_timestamp")
    return Answer(
        fields.get(ITEM),
        _reviewer(fields),
        choices,
        record.where,
        {**(meta if isinstance(meta, dict) else {}), **fields},
        reason,
        created=time,
        order=(moment(time),),
    )


def _reason(given: Any, own: str, where: str) -> str:
    reasons = {"accept": "", "reject": REJECTED if own == CHOICE else "", "ignore": IGNORED}
    if given is None:
        return EMPTY
    if not isinstance(given, str) or given not in reasons:
        raise InputError(message(f"the answer accept, reject or ignore in {where}", repr(given)))
    return reasons[given]


def _reviewer(fields: dict[str, Any]) -> Any:
    for name in ("_annotator_id", "_session_id"):
        found = fields.get(name)
        if found is not None and not UNNAMED_SESSION.fullmatch(str(found)):
            return found
    return None
