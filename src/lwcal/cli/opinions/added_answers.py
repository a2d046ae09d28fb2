"""Add answers to rows: as columns of a wide file, or as rows of a long one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from lwcal.cli.opinions.sheet_rows import BY, SheetRows
from lwcal.errors import InputError
from lwcal.reviews.name_keys import reviewer_key
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.rows.values import is_missing_value


class AddedAnswer(NamedTuple):
    """A further opinion.

    Attributes
    ----------
    position : int
        Row or item.
    label : int
        Number of the class.
    by : object
        The reviewer; None if nobody knows who it was.
    sheet : int
        Number of the sheet.
    location : str
        Where it stands, for messages.
    """

    position: int
    label: int
    by: Any
    sheet: int
    location: str


def add_answers(rows: SheetRows, answers: list[AddedAnswer]) -> tuple[Any, OpinionColumns]:
    """Return all rows with the answers, and the names of the columns of opinions."""
    names = rows.read.names
    if names.item is not None or names.reviewers:
        _refuse(
            [one for one in answers if one.by is None],
            "nobody says who answered",
            f"Fill column {BY!r}, or name who it was with --by.",
        )
    _refuse_second(rows, answers)
    if names.item is not None:
        return _as_rows(rows, answers), names
    if names.reviewers:
        return _in_free_places(rows, answers)
    return _as_columns(rows, answers)


def _refuse_second(rows: SheetRows, answers: Iterable[AddedAnswer]) -> None:
    """Refuse two answers of one reviewer about a row."""
    opinions = rows.read.opinions
    known = {
        (row, reviewer_key(opinions.names[reviewer]))
        for row, reviewer in zip(opinions.rows.tolist(), opinions.reviewers.tolist(), strict=True)
    }
    wrong = []
    for one in answers:
        key = one.position, reviewer_key(one.by)
        if one.by is not None and key in known:
            wrong.append(one)
        known.add(key)
    _refuse(
        wrong,
        "the reviewer has labelled the row before",
        "A second opinion must come from somebody else. Delete these answers, or plan a sheet "
        "with --for.",
    )


def _refuse(wrong: list[AddedAnswer], problem: str, remedy: str) -> None:
    if wrong:
        first = wrong[0]
        who = "" if first.by is None else f" ({first.by})"
        raise InputError(
            f"{problem[0].upper()}{problem[1:]} for {len(wrong):,} answers, first in "
            f"{first.location}{who}. {remedy}"
        )


def _as_rows(rows: SheetRows, answers: list[AddedAnswer]) -> Any:
    """The rows of a long file, and one for each answer; what is about other opinions is empty."""
    text, names = rows.read.text, rows.read.names
    positions = [one.position for one in answers]
    added = {}
    for field in text.schema:
        if field.name == names.labels[0]:
            column = _typed([rows.values[one.label] for one in answers], field)
        elif field.name == names.reviewers[0]:
            column = _typed([one.by for one in answers], field)
        elif field.name in rows.cases.column_names:
            column = rows.cases.column(field.name).take(positions).combine_chunks()
        else:
            column = pa.nulls(len(answers), field.type)
        added[field.name] = column
    more = pa.table(added, schema=text.schema.remove_metadata())
    return pa.concat_tables([text.replace_schema_metadata(), more])


def _as_columns(rows: SheetRows, answers: list[AddedAnswer]) -> tuple[Any, OpinionColumns]:
    """Each reviewer has a column: an existing one is filled, others are added."""
    names, text = rows.read.names, rows.read.text
    labels = list(names.labels)
    new: dict[Any, str] = {}
    changed: dict[str, dict[int, Any]] = {}
    for one in answers:
        key = ("sheet", one.sheet) if one.by is None else ("name", reviewer_key(one.by))
        if one.by in names.labels:
            column = str(one.by)
        elif key in new:
            column = new[key]
        else:
            taken = [*text.column_names, *labels]
            column = _next_name(labels[0], taken) if one.by is None else str(one.by)
            if column in taken:
                raise InputError(
                    f"{rows.source.name} has a column {column!r}, which is no column of labels. "
                    "Name the reviewer in another way with --by."
                )
            new[key] = column
            labels.append(column)
        changed.setdefault(column, {})[one.position] = rows.values[one.label]
    kind = text.schema.field(names.labels[0])
    for column, cells in changed.items():
        text = _with_cells(text, column, cells, kind)
    return text, names._replace(labels=tuple(labels))


def _in_free_places(rows: SheetRows, answers: list[AddedAnswer]) -> tuple[Any, OpinionColumns]:
    """Columns of labels with columns of reviewers: answers go to the first pair that is empty."""
    names, text = rows.read.names, rows.read.text
    labels, reviewers = list(names.labels), list(names.reviewers)
    said = {name: text.column(name).to_pylist() for name in labels}
    changed: dict[str, dict[int, Any]] = {}

    def is_free(column: str, position: int) -> bool:
        taken = position in changed.get(column, {})
        return not taken and (column not in said or is_missing_value(said[column][position]))

    for one in answers:
        free = [k for k, column in enumerate(labels) if is_free(column, one.position)]
        if not free:
            taken = [*text.column_names, *labels, *reviewers]
            labels.append(_next_name(names.labels[0], taken))
            reviewers.append(_next_name(names.reviewers[0], taken))
        place = free[0] if free else len(labels) - 1
        changed.setdefault(labels[place], {})[one.position] = rows.values[one.label]
        changed.setdefault(reviewers[place], {})[one.position] = one.by
    for column, cells in changed.items():
        first = names.labels[0] if column in labels else names.reviewers[0]
        text = _with_cells(text, column, cells, text.schema.field(first))
    return text, names._replace(labels=tuple(labels), reviewers=tuple(reviewers))


def _with_cells(table: Any, column: str, cells: dict[int, Any], like: Any) -> Any:
    """Fill cells of a column; a new one has the type of another."""
    if column in table.column_names:
        place = table.column_names.index(column)
        field, values = table.schema.field(column), table.column(column).to_pylist()
    else:
        place, field, values = None, like.with_name(column), [None] * table.num_rows
    for position, value in cells.items():
        values[position] = value
    filled = _typed(values, field)
    if place is None:
        return table.append_column(field.with_nullable(True), filled)
    return table.set_column(place, field.with_nullable(True), filled)


def _typed(values: Sequence[Any], field: Any) -> Any:
    """An array of the type of a column."""
    try:
        return pa.array(values, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _converted(values, field)


def _converted(values: Sequence[Any], field: Any) -> Any:
    """The same of names that a sheet has as text, such as 10 for a number."""
    try:
        return pa.array([None if v is None else str(v) for v in values]).cast(field.type)
    except pa.ArrowException:
        raise InputError(
            f"Column {field.name!r} has the type {field.type}, which cannot hold "
            f"{_first_text(values)!r}. Name the reviewer in that type with --by, or convert the "
            "column to text first."
        ) from None


def _first_text(values: Sequence[Any]) -> Any:
    return next((value for value in values if isinstance(value, str)), None)


def _next_name(begin: str, taken: Sequence[str]) -> str:
    """The first free name: label_2, label_3, ...

    >>> _next_name("label", ["label", "label_2"])
    'label_3'
    """
    numbers: Callable[[int], str] = f"{begin}_{{}}".format
    number = 2
    while numbers(number) in taken:
        number += 1
    return numbers(number)
