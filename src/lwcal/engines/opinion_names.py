"""Name the columns of opinions, as users hand them over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lwcal.engines.class_columns import class_columns, is_one_column, refuse_scale
from lwcal.errors import ParameterError, message
from lwcal.reviews.opinion_columns import OpinionColumns

Counted = Iterable[tuple[Any, int]]
"""Labels with their numbers."""


def opinion_names(
    columns: Mapping[str, str],
    scores: str | Sequence[str],
    labels: str | Sequence[str],
    *,
    reviewers: str | Sequence[str] | None,
    item: str | None,
    trusted: str | None,
    weight: str | None,
    classes: Sequence[Any] | None,
    scale: str,
    pos_label: Any,
    label_counts: Callable[[str], Counted],
) -> OpinionColumns:
    """Find the columns of a call; refuse those that do not fit together.

    Parameters
    ----------
    columns : mapping
        All columns of the source with their types.
    scores, labels, reviewers, item, trusted, weight, classes, scale, pos_label
        As for ``reduce_opinions``.
    label_counts : function
        Returns the labels of a column with their numbers; used if names do not tell the classes.
    """
    others = [name for name in (item, trusted, weight) if name is not None]
    named = _several(labels, columns, others)
    who = () if reviewers is None else _several(reviewers, columns, [*others, *named])
    if item is not None and (len(named) != 1 or len(who) != 1):
        got = f"{len(named)} and {len(who)}"
        raise ParameterError(message("one column of labels and one of reviewers with item", got))
    if who and len(who) != len(named):
        expected = f"a column of reviewers for each of the {len(named)} columns of labels"
        raise ParameterError(message(expected, f"{len(who)}"))
    if is_one_column(scores, columns):
        if classes is not None:
            raise ParameterError(message("a column of scores for each class", "one"))
        found = OpinionColumns((str(scores),), None, named, who, item, trusted, weight)
        return found.checked()
    refuse_scale(scale)
    if pos_label is not None:
        raise ParameterError("pos_label needs one column of scores; several have all classes.")
    matched = class_columns(scores, columns, others=[*others, *named, *who])
    if classes is None:
        several = len(matched.readings) > 1
        counts = [pair for name in named for pair in label_counts(name)] if several else []
        classes = matched.classes(counts)
    if len(classes) != len(matched.names):
        expected = f"a class for each of the {len(matched.names):,} columns"
        raise ParameterError(message(expected, f"{len(classes):,} classes"))
    return OpinionColumns(
        matched.names, tuple(classes), named, who, item, trusted, weight
    ).checked()


def _several(
    names: str | Sequence[str], columns: Mapping[str, str], others: Sequence[str]
) -> tuple[str, ...]:
    if is_one_column(names, columns):
        return (str(names),)
    if not isinstance(names, str) and len(names) == 1:
        return (names[0],)
    return class_columns(names, columns, others=others).names
