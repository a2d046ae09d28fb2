"""The layouts that are understood, in the order in which a file is compared with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from lwcal.errors import InputError, ParameterError, message
from lwcal.parameters import OneOf, check_parameter
from lwcal.reviews.exports import (
    argilla,
    cleanlab,
    crowd_kit,
    doccano,
    label_studio,
    label_studio_rows,
    prodigy,
)
from lwcal.reviews.exports.answers import Asked, Found, Record, listed


class Layout(NamedTuple):
    """How a tool lays out its answers.

    Attributes
    ----------
    title : str
        The layout, as people call it.
    fits : callable
        Whether a record with these fields has this layout.
    read : callable
        Make answers of the records.
    has_questions : bool
        Whether an export can have several questions.
    """

    title: str
    fits: Callable[[Collection[str]], bool]
    read: Callable[[Sequence[Record], Asked], Found]
    has_questions: bool = False


FORMATS = {
    "label-studio": Layout("Label Studio JSON", label_studio.fits, label_studio.read, True),
    "label-studio-rows": Layout(
        "Label Studio CSV or JSON_MIN", label_studio_rows.fits, label_studio_rows.read, True
    ),
    "prodigy": Layout("Prodigy JSON lines", prodigy.fits, prodigy.read, True),
    "argilla": Layout("Argilla records", argilla.fits, argilla.read, True),
    "crowd-kit": Layout("a table of task, worker and label", crowd_kit.fits, crowd_kit.read),
    "doccano": Layout("doccano JSON lines", doccano.fits, doccano.read),
    "cleanlab": Layout("a table with a column for each reviewer", cleanlab.fits, cleanlab.read),
}
WIDE = "cleanlab"
"""The layout that is recognised by the option that names its columns."""


def find_format(records: Sequence[Record], asked: Asked, name: str | None = None) -> str:
    """Name the layout of an export; refuse records that fit none, and options that it lacks."""
    if name is not None:
        check_parameter("--format (format=)", name, OneOf(tuple(FORMATS)))
    found = name or (WIDE if asked.reviewers else _detected(records, asked.source))
    layout = FORMATS[found]
    if asked.question is not None and not layout.has_questions:
        expected = f"no --question (question=) for {layout.title}, which has one question"
        raise ParameterError(message(expected, repr(asked.question)))
    if asked.reviewers and found != WIDE:
        expected = f"no --reviewers (reviewers=) for {layout.title}, which names them itself"
        raise ParameterError(message(expected, listed(asked.reviewers)))
    if found != WIDE:
        _refuse_others(records, layout)
    return found


def _detected(records: Sequence[Record], source: str) -> str:
    names = records[0].fields
    for found, layout in FORMATS.items():
        if layout.fits(names):
            return found
    titles = ", ".join(layout.title for layout in FORMATS.values())
    hint = "for a column for each reviewer, name them with --reviewers (reviewers=)"
    got = f"records with the fields {listed(names)}"
    raise InputError(message(f"{source} to be one of: {titles}", got, hint))


def _refuse_others(records: Sequence[Record], layout: Layout) -> None:
    """Refuse records of another layout: their answers would be lost."""
    others = [record for record in records if not layout.fits(record.fields)]
    if others:
        got = f"{len(others):,} of {len(records):,} that are not, the first in {others[0].where}"
        got += f" with the fields {listed(others[0].fields)}"
        raise InputError(message(f"all records to be {layout.title}", got))
