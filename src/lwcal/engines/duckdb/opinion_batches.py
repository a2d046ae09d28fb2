"""Batches of an open source with opinions: all labels first, then the rows, by item if need be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lwcal.engines.duckdb.session import quoted
from lwcal.engines.duckdb.source import Source
from lwcal.reviews.label_codes import LabelSurvey
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_reducer import OpinionReducer, OpinionReduction
from lwcal.rows.frames import columns_of
from lwcal.rows.scales import PROBABILITY

ITEM, ROW = "lwcal_item", "lwcal_row"
"""Columns with the number of the first row of an item, and of each row."""


def reduce_opinion_source(
    source: Source,
    names: OpinionColumns,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    name: str | None = None,
    **options: Any,
) -> OpinionReduction:
    """Count equal rows of scores and opinions, in two passes.

    Parameters
    ----------
    source : Source
    names : OpinionColumns
    pos_label : object
        The positive class if it was named.
    scale : str
        Scale of one column of scores.
    name : str, optional
        The labels, as messages call them.
    **options
        As for :class:`~lwcal.reviews.opinion_reducer.OpinionReducer`.
    """
    survey = LabelSurvey(names, name)
    of_survey = [*names.scores, *names.answers]
    for batch in source.batches(of_survey):
        for columns in columns_of(batch, of_survey):
            score = columns[0] if names.classes is None else None
            survey.add(columns[len(names.scores) :], score)
    codes = survey.codes(pos_label)
    reducer = OpinionReducer(names, codes, scale=survey.scale(scale), **options)
    if names.item is None:
        for batch in source.batches(names.used):
            for columns in columns_of(batch, names.used):
                reducer.add(columns)
        return reducer.finish()
    used = [*names.used, ITEM, ROW]
    for batch in _by_item(source, names.item).batches(used):
        for *answers, items, rows in columns_of(batch, used):
            reducer.add_answers(answers, items.to_numpy(), rows.to_numpy())
    return reducer.finish()


def _by_item(source: Source, name: str) -> Source:
    """Answers about the same item together: by its first row, with numbers of item and row.

    A window and a sort can use the disk, where lists of all answers would have to fit into memory.
    """
    numbered = f"SELECT *, row_number() OVER () - 1 AS {ROW} FROM ({source.sql})"
    first = f"min({ROW}) OVER (PARTITION BY {quoted(name)}) AS {ITEM}"
    sql = f"SELECT *, {first} FROM ({numbered}) ORDER BY {ITEM}, {ROW}"
    return replace(source, sql=sql, columns={**source.columns, ITEM: "BIGINT", ROW: "BIGINT"})
