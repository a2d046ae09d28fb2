"""Rows with opinions in memory: scores, who said what, and checked labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray
from lwcal.cli.columns import class_name, named_class, read_scores
from lwcal.cli.console import note
from lwcal.cli.opinions.columns import OpinionsRequest, find_opinion_columns
from lwcal.cli.opinions.facts import opinion_facts
from lwcal.cli.opinions.items import Items, group_items
from lwcal.cli.opinions.labels import check_labels
from lwcal.engines.duckdb.source import Source
from lwcal.reviews.name_keys import alike
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinions import Opinions, as_opinions
from lwcal.reviews.opinions import opinions as collect_opinions
from lwcal.rows import as_weights, is_missing
from lwcal.rows.faults import InvalidRows
from lwcal.rows.frames import shown
from lwcal.rows.probabilities import SCORES, check_class_scores, summing_to_one
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column, as_objects


class ReadOpinions(NamedTuple):
    """Rows with opinions, checked.

    A row here is what has one score: a row of a wide file, or an item of a long one.

    Attributes
    ----------
    names : OpinionColumns
    text : pyarrow.Table
        All columns of the file as written.
    scores : float64 array of shape (n,) or (n, K)
        Probabilities.
    opinions : Opinions
    truths : object array of shape (n,) or None
        Checked labels; None where there is none.
    weights : float64 array or None
    items : Items or None
        Which rows of a long file belong together.
    scale : str
        Scale of the scores in the file.
    named : object
        The positive class if it was named, in the type of the labels.
    positive : str or None
        The positive class as people read it; None if there is a column of scores for each class.
    """

    names: OpinionColumns
    text: Any
    scores: FloatArray
    opinions: Opinions
    truths: npt.NDArray[Any] | None
    weights: FloatArray | None
    items: Items | None
    scale: str
    named: Any
    positive: str | None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.scores)

    def facts(self) -> dict[str, Any]:
        """How the rows were read, for programs."""
        nothing, checked = self.opinions.counts == 0, 0
        if self.truths is not None:
            is_checked = ~is_missing(self.truths)
            nothing, checked = nothing & ~is_checked, int(is_checked.sum())
        return opinion_facts(
            self.names,
            n=self.n,
            unlabelled=int(nothing.sum()),
            checked=checked,
            positive=self.positive,
            scale=self.scale,
        )


def read_opinion_rows(request: OpinionsRequest) -> ReadOpinions:
    """Read and check all rows with opinions, and all their columns as written."""
    request.check()
    with request.rows.opened() as source:
        assert isinstance(source, Source)  # commands that need single rows do not offer Spark
        names = find_opinion_columns(request, source)
        computed = [*names.scores, *names.answers, *([names.weight] if names.weight else [])]
        table = source.select(names.used).typed(computed).read()
        text = source.read()
    found = _checked(request, names, table, source.name)
    request.rows.announce(", ".join(names.scores), ", ".join(names.labels))
    for line in alike(found.opinions.names):
        note(line)
    return found._replace(text=text)


def _checked(
    request: OpinionsRequest, names: OpinionColumns, table: Any, source: str
) -> ReadOpinions:
    scores, scale = _scores(request, names, table, source)
    columns = {name: as_column(table.column(name), shown(name)) for name in names.answers}
    named = _named(request, names, table)
    positive = check_labels(columns, scores, names.classes, named, table.num_rows)
    weights = None
    if names.weight is not None:
        column = table.column(names.weight).to_numpy()
        weights = as_weights(column, table.num_rows, name=shown(names.weight))
    truths = _objects(table, names.trusted)
    items = None
    if names.item is None:
        opinions = _wide(table, names)
    else:
        items = group_items(_objects(table, names.item), names.item)
        items.refuse_differing({name: _column_of(scores, k) for k, name in enumerate(names.scores)})
        if weights is not None:
            items.refuse_differing({str(names.weight): weights})
            weights = weights[items.first_rows]
        if truths is not None:
            truths = items.only_value(truths, str(names.trusted))
        opinions = _long(table, names, items)
        scores = scores[items.first_rows]
    shown_class = None if positive is None else class_name(positive, table, names.labels[0])
    return ReadOpinions(
        names, table, scores, opinions, truths, weights, items, scale, named, shown_class
    )


def _named(request: OpinionsRequest, names: OpinionColumns, table: Any) -> Any:
    """The positive class if it was named: as text, if any column of labels is text."""
    columns = [table.column(name).to_numpy() for name in names.labels]
    text = [column for column in columns if column.dtype.kind in "OUS"]
    return named_class(request.rows.pos_label, None, (text or columns)[0])


def _scores(
    request: OpinionsRequest, names: OpinionColumns, table: Any, source: str
) -> tuple[FloatArray, str]:
    if names.classes is None:
        return read_scores(table, names.scores[0], source, request.rows.scale())
    invalid = InvalidRows(rows=table.num_rows)
    columns = [as_column(table.column(name), shown(name)) for name in names.scores]
    of_columns = [shown(name) for name in names.scores]
    values, _ = check_class_scores(columns, 0, of_columns, SCORES, invalid)
    invalid.refuse(drop_hint=None, scalable=False)
    return summing_to_one(values), PROBABILITY


def _wide(table: Any, names: OpinionColumns) -> Opinions:
    if not names.reviewers:
        return as_opinions(table.select(names.labels))
    who = [_objects(table, name) for name in names.reviewers]
    return as_opinions(table.select(names.labels), reviewers=np.stack(who, axis=1))


def _long(table: Any, names: OpinionColumns, items: Items) -> Opinions:
    reviewers, labels = (_objects(table, name) for name in (names.reviewers[0], names.labels[0]))
    items.refuse_two_of_one(reviewers, labels)
    return collect_opinions(items.numbers, reviewers, labels, items=np.arange(len(items.names)))


def _objects(table: Any, name: str | None) -> Any:
    return None if name is None else as_objects(table.column(name).to_pylist())


def _column_of(scores: FloatArray, place: int) -> FloatArray:
    return scores if scores.ndim == 1 else scores[:, place]
