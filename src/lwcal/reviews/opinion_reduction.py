"""The end of a reduction of opinions, which is the same on every engine."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np

from lwcal.errors import InputError
from lwcal.reviews.conflicts import Conflicts
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import OpinionCounts
from lwcal.reviews.opinion_faults import refuse_answers
from lwcal.reviews.opinions import refuse_one_hot_columns
from lwcal.rows.class_counts import most_rows
from lwcal.rows.faults import InvalidRows
from lwcal.rows.frames import shown
from lwcal.rows.probabilities import SCORES
from lwcal.rows.reducer import check_not_empty
from lwcal.rows.values import no_rows

logger = logging.getLogger(__name__)


class OpinionReduction(NamedTuple):
    """Counts of equal rows, and the dropped rows."""

    counts: OpinionCounts
    dropped: InvalidRows


def most_distinct(names: OpinionColumns, limit: int | None) -> int | None:
    """Distinct rows of each kind that are kept: fewer if each holds many numbers.

    >>> most_distinct(OpinionColumns(("p",), None, ("ann", "bob"), ()), 2**20)
    1048576
    """
    return most_rows(max(len(names.scores), 2) + 3 * len(names.labels), limit)


def finished(
    names: OpinionColumns,
    invalid: InvalidRows,
    conflicts: Conflicts,
    counted: Any,
    *,
    drop_invalid: bool,
    allow_drop_share: float,
) -> OpinionReduction:
    """Refuse what cannot be used, in the same order on every engine, or return the counts.

    Parameters
    ----------
    names : OpinionColumns
    invalid : InvalidRows
    conflicts : Conflicts
    counted : function
        Returns the counts.
    drop_invalid, allow_drop_share
        As for :class:`~lwcal.reviews.opinion_reducer.OpinionReducer`.
    """
    is_one = names.classes is None
    if not invalid.rows:
        raise InputError(no_rows(shown(names.scores[0]) if is_one else SCORES))
    if is_one:
        invalid.refuse_mixture(shown(names.scores[0]))
    if not drop_invalid:
        refuse_answers(invalid, scalable=is_one)
    invalid.check_drop_share(allow_drop_share, scalable=is_one)
    of_item = (names.weight, names.trusted)
    conflicts.refuse([*names.scores, *(name for name in of_item if name is not None)])
    counts: OpinionCounts = counted()
    check_not_empty(len(counts.rows.weights), invalid)
    if names.item is None:
        _refuse_one_hot(counts, len(names.labels))
    logger.info("read %s rows: %s", f"{invalid.rows:,}", counts)
    return OpinionReduction(counts, invalid)


def _refuse_one_hot(counts: OpinionCounts, width: int) -> None:
    """Refuse columns of which exactly one is 1 in every row, if 0 and 1 are all there is."""
    rows = counts.rows
    is_number = [type(label) in (int, float, bool) and label in (0, 1) for label in rows.classes]
    if not np.array(is_number)[rows.labels].all() or (rows.opinions != width).any():
        return
    ones = np.array([label == 1 for label in rows.classes], dtype=np.intp)
    positives = np.bincount(rows.rows, ones[rows.labels], minlength=len(rows.weights))
    if counts.tally.unlabelled == 0 and (positives == 1.0).all():
        refuse_one_hot_columns(counts.tally.rows, width)
