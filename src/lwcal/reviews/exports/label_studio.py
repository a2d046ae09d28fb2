"""Label Studio's JSON: tasks with their annotations, drafts and predictions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import (
    CANCELLED,
    DRAFT,
    PREDICTION,
    REGION,
    Answer,
    Asked,
    Found,
    Record,
    as_flag,
    as_list,
    as_object,
    listed,
    moment,
    number,
)

ANNOTATIONS = ("annotations", "completions")
"""Annotations, and their name in early versions."""
CHOICES = "choices"


class Annotation(NamedTuple):
    """One annotation, draft or prediction.

    Attributes
    ----------
    task : Record
    content : dict
    where : str
        Where it stands, for messages.
    reason : str
        Why it is not an opinion; empty if it is.
    """

    task: Record
    content: dict[str, Any]
    where: str
    reason: str = ""

    def results(self) -> list[dict[str, Any]]:
        """What was marked; each result names its question and its type."""
        entries = as_list(self.content.get("result"), f"the result of {self.where}")
        return [as_object(entry, f"the result of {self.where}") for entry in entries]


def fits(names: Collection[str]) -> bool:
    """Whether a record with these fields is a task.

    >>> fits({"id", "data", "annotations"}), fits({"id", "text", "annotations"})
    (True, False)
    """
    return "data" in names and any(name in names for name in ANNOTATIONS)


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read the choices of every annotation."""
    annotations = [found for record in records for found in _annotations(record)]
    usable = [result for one in annotations if not one.reason for result in one.results()]
    names = [str(result.get("from_name")) for result in usable if _is_choice(result)]
    if usable and not names:
        kinds = dict.fromkeys(str(result.get("type")) for result in usable)
        expected = f"answers of the type {CHOICES!r} in {asked.source}"
        raise InputError(message(expected, f"only {listed(kinds)}"))
    question = asked.one_question(names)
    return Found([_answer(one, question) for one in annotations], question)


def _annotations(task: Record) -> Iterator[Annotation]:
    names = [name for name in ANNOTATIONS if task.fields.get(name) is not None]
    if len(names) > 1:
        raise InputError(message(f"one list of annotations in {task.where}", listed(names)))
    for name, reason in (*((name, "") for name in names), ("drafts", DRAFT)):
        for place, content in _objects(task, name):
            yield Annotation(task, content, place, reason or _cancelled(content, place))
    for place, content in _objects(task, "predictions"):
        yield Annotation(task, content, place, PREDICTION)


def _objects(task: Record, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    entries = as_list(task.fields.get(name), f"{name} of {task.where}")
    for place, content in enumerate(entries):
        where = f"{task.where}, {name} {place}"
        yield where, as_object(content, where)


def _cancelled(content: dict[str, Any], where: str) -> str:
    # the second is the name in early versions
    flags = [as_flag(content.get(name), where) for name in ("was_cancelled", "skipped")]
    return CANCELLED if any(flags) else ""


def _answer(one: Annotation, question: str | None) -> Answer:
    content, task = one.content, one.task
    data = as_object(task.fields.get("data"), f"data of {task.where}")
    about = {"id": task.fields.get("id"), **data}
    shared = (task.fields.get("id"), _reviewer(content.get("completed_by")))
    if one.reason:
        return Answer(*shared, [], one.where, about, one.reason)
    asked = [r for r in one.results() if _is_choice(r) and str(r.get("from_name")) == question]
    values = [as_object(result.get("value"), f"the value of {one.where}") for result in asked]
    created = content.get("created_at")
    return Answer(
        *shared,
        [choice for value in values for choice in as_list(value.get(CHOICES), one.where)],
        one.where,
        about,
        # the choice about a part of the item has the place of that part beside it
        REGION if any(set(value) - {CHOICES} for value in values) else "",
        as_flag(content.get("ground_truth"), one.where),
        created,
        (moment(content.get("updated_at") or created), number(content.get("id"))),
    )


def _is_choice(result: dict[str, Any]) -> bool:
    return result.get("type") == CHOICES


def _reviewer(completed_by: Any) -> Any:
    """Id of a reviewer; where the export has their profile, the email as in its CSV."""
    if isinstance(completed_by, dict):
        return completed_by.get("email") or completed_by.get("id")
    return completed_by
