"""Rows for a sheet of second opinions: one for each row of a wide file, or item of a long one."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lwcal.arrays import IndexArray
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import to_text
from lwcal.audit.source import AuditSource
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.rows import ReadOpinions, read_opinion_rows
from lwcal.cli.request import as_arguments
from lwcal.engines.class_columns import ANY
from lwcal.errors import InputError, message
from lwcal.reviews.name_keys import reviewer_key
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.reading import read_reviews
from lwcal.rows.classes import class_key
from lwcal.rows.values import is_missing_value

BY = "opinion_by"
"""Column of a sheet: who answered."""
NOT_BY = "opinion_not_by"
"""Column of a sheet: who labelled the row before, and must not be asked."""


class SheetRows(NamedTuple):
    """Rows that reviewers are asked about.

    Attributes
    ----------
    request : OpinionsRequest
    read : ReadOpinions
        All rows of the file.
    cases : pyarrow.Table
        What the file says about each row or item, as written.
    source : AuditSource
        Scores, classes and ids, against which sheets are checked.
    values : list
        The classes as the file writes them, by number.
    """

    request: OpinionsRequest
    read: ReadOpinions
    cases: Any
    source: AuditSource
    values: list[Any]

    @property
    def names_reviewers(self) -> bool:
        """Whether the file says who gave the labels: in columns of names, or of labels."""
        return bool(self.read.names.reviewers) or len(self.read.names.labels) > 1

    def reviewer_of(self, name: str) -> Any:
        """A reviewer as the file writes them; the name itself if they are new.

        A name that is only alike is refused: the same person must not count as two.
        Where each column of labels is a reviewer, the name may be that of the column, or what the
        asterisk of --label stands for.
        """
        known = {reviewer_key(one): one for one in self.read.opinions.names}
        pattern = self.request.rows.label or ""
        is_column = not self.read.names.reviewers and ANY in pattern
        full = pattern.replace(ANY, name) if is_column and not _fits(name, pattern) else name
        found = known.get(reviewer_key(name), known.get(reviewer_key(full)))
        if found is not None:
            return found
        for one in known.values():
            if class_key(one) in (class_key(name), class_key(full)):
                expected = f"a reviewer as {self.source.name} writes them ({one!r})"
                hint = "use that name; somebody else needs a name that differs by more"
                raise InputError(message(expected, repr(name), hint))
        return full

    def command(self, name: str, *files: str, out: str) -> str:
        """Write a command about the same opinions."""
        arguments = as_arguments(self.request.given())
        return shlex.join(["lwcal", *name.split(), *files, "--out", out, *arguments])

    def cells(self, rows: Any, name: str) -> list[str]:
        """Some cells of a column, as text."""
        return [to_text(value) for value in self.cases.column(name).take(rows).to_pylist()]


def read_sheet_rows(request: OpinionsRequest) -> SheetRows:
    """Read all rows of a file, and what sheets about them are checked against."""
    read = read_opinion_rows(request)
    names = read.names
    coded = read_reviews(
        read.scores, read.opinions, classes=names.classes, pos_label=read.named
    ).rows
    values = _class_values(read, coded.classes)
    cases = read.text if read.items is None else _of_items(read)
    source = AuditSource(
        name=request.rows.name,
        scores=read.scores,
        # labels play no part: those of other sheets may be merged before this one
        labels=np.zeros(read.n, dtype=np.intp),
        class_names=ClassNames(tuple(map(to_text, values))),
        score_columns=names.scores,
        label=names.labels[0],
        id=names.item or names.id,
        ids=_ids(read, cases),
        also_told=(
            *names.labels[1:],
            *names.reviewers,
            *([names.trusted] if names.trusted else []),
        ),
    )
    return SheetRows(request, read, cases, source, values)


def first_labels(rows: SheetRows) -> IndexArray:
    """Number of the class of the first label of each row; -1 without any."""
    place = {class_key(value): number for number, value in enumerate(rows.values)}
    found = np.full(rows.read.n, -1, dtype=np.intp)
    opinions = rows.read.opinions
    pairs = list(zip(opinions.rows.tolist(), opinions.labels.tolist(), strict=True))
    for row, label in reversed(pairs):
        found[row] = place[class_key(label)]
    return found


def _class_values(read: ReadOpinions, classes: tuple[Any, ...]) -> list[Any]:
    """The classes as the file writes them; refuse one of two that nobody has used."""
    written: dict[str, Any] = {}
    for name in read.names.answers:
        for value in read.text.column(name).unique().to_pylist():
            if not is_missing_value(value):
                written.setdefault(class_key(value), value)
    if read.names.classes is None and len(written) < 2:
        only = next(iter(written.values()))
        raise InputError(message("labels of two classes", f"one, {only!r}"))
    return [written.get(class_key(label), to_text(label)) for label in classes]


def _of_items(read: ReadOpinions) -> Any:
    """Columns that have one value for each item; others are about the opinions."""
    assert read.items is not None
    numbers, first = read.items.numbers, read.items.first_rows
    kept = {}
    for name in read.text.column_names:
        column = read.text.column(name).combine_chunks()
        values = column.to_pylist()
        same = all(
            values[row] == values[begin] for row, begin in enumerate(first[numbers].tolist())
        )
        if same or name in read.names.used:
            kept[name] = column.take(pa.array(first))
    return pa.table(kept)


def _ids(read: ReadOpinions, cases: Any) -> list[Any] | None:
    name: str | None = read.names.item or read.names.id
    return None if name is None else cases.column(name).to_pylist()


def _fits(name: str, pattern: str) -> bool:
    """Whether a name is one that a pattern with one asterisk matches."""
    begin, star, end = pattern.partition(ANY)
    return bool(star) and name.startswith(begin) and name.endswith(end) and name != begin + end


def option_values(names: OpinionColumns) -> dict[str, str | None]:
    """Options that name these columns of opinions one by one."""
    return {
        "--item": names.item,
        "--label": ",".join(names.labels),
        "--reviewer": ",".join(names.reviewers) or None,
    }
