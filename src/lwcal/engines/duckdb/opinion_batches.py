"""Batches of rows with opinions: all labels first, then the rows, by item if need be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from lwcal.reviews.label_codes import LabelSurvey
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_reducer import OpinionReducer
from lwcal.reviews.opinion_reduction import OpinionReduction
from lwcal.rows.frames import columns_of
from lwcal.rows.scales import PROBABILITY

ITEM, ROW = "lwcal_item", "lwcal_row"
"""Columns with the number of the first row of an item, and of each row."""

Batches: TypeAlias = Callable[[Sequence[str]], Iterable[Any]]
"""Returns batches of some columns."""


def reduce_opinion_batches(
    batches: Batches,
    by_item: Batches,
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
    batches : function
    by_item : function
        Batches of the same rows, those of an item together, which also have the columns ITEM and
        ROW. It is called if the names have an item.
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
    for batch in batches(of_survey):
        for columns in columns_of(batch, of_survey):
            score = columns[0] if names.classes is None else None
            survey.add(columns[len(names.scores) :], score)
    codes = survey.codes(pos_label)
    reducer = OpinionReducer(names, codes, scale=survey.scale(scale), **options)
    if names.item is None:
        for batch in batches(names.used):
            for columns in columns_of(batch, names.used):
                reducer.add(columns)
        return reducer.finish()
    used = [*names.used, ITEM, ROW]
    for batch in by_item(used):
        for *answers, items, rows in columns_of(batch, used):
            reducer.add_answers(answers, items.to_numpy(), rows.to_numpy())
    return reducer.finish()
