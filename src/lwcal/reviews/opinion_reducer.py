"""Reduce batches of rows with opinions to counts, and check every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.reviews.conflicts import Conflicts, Differing, Twice
from lwcal.reviews.label_codes import LabelCodes
from lwcal.reviews.opinion_batch import Answers, Batch
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import OpinionCounter, OpinionCounts
from lwcal.reviews.opinion_faults import NO_ITEM, NO_REVIEWER
from lwcal.reviews.opinion_reduction import OpinionReduction, finished, most_distinct
from lwcal.reviews.opinion_rows import UNKNOWN, OpinionRows
from lwcal.reviews.reviewer_names import NOBODY, ReviewerNames
from lwcal.rows import is_missing
from lwcal.rows.checks import check_scores, check_weights
from lwcal.rows.classes import Classes
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import DROP_SHARE, InvalidRows, RowNumbers, check_drop_share
from lwcal.rows.frames import shown
from lwcal.rows.probabilities import SCORES, check_class_scores
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import Column, is_arrow

NO_CLASS = -2
"""In place of the class of a label that is none."""


class OpinionReducer:
    """Takes columns batch by batch.

    Parameters
    ----------
    names : OpinionColumns
    codes : LabelCodes
        What all labels mean.
    scale : str
        Scale of one column of scores.
    drop_invalid : bool
        Whether invalid rows are dropped instead of refused: rows of a wide table, answers of a
        long one.
    allow_drop_share : float
        Share of the rows that may be dropped.
    limit : int or None
        Distinct rows beyond which a sample of them is kept.
    """

    def __init__(
        self,
        names: OpinionColumns,
        codes: LabelCodes,
        *,
        scale: str = PROBABILITY,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
        limit: int | None = LIMIT,
    ) -> None:
        check_drop_share(allow_drop_share)
        self._names, self._codes, self._scale = names, codes, scale
        self._drop, self._allowed = drop_invalid, allow_drop_share
        self._met = Classes()
        self._reviewers = ReviewerNames(names.known_reviewers)
        self._invalid = InvalidRows()
        self._conflicts = Conflicts(names.item or "")
        self._counter = OpinionCounter(most_distinct(names, limit))
        self._waiting: Answers | None = None
        self._named = np.zeros(0, dtype=np.intp)
        """Reviewers of opinions that count; others were met beside labels that do not."""

    def add(self, columns: Sequence[Column]) -> None:
        """Count a batch of a wide table: its columns, in the order of ``names.used``.

        >>> names = OpinionColumns(("p",), None, ("ann", "bob"), ())
        >>> codes = LabelCodes(("no", "yes"), {"no": 0, "yes": 1}, NO_REVIEWER)
        >>> reducer = OpinionReducer(names, codes)
        >>> said = [np.array(["no", "yes"]), np.array(["no", None])]
        >>> reducer.add([np.array([0.2, 0.9]), *said])
        >>> reducer.finish().counts
        2 rows with opinions of 2 reviewers, 2 of them distinct
        """
        first_row = self._invalid.rows
        batch = self._checked(dict(zip(self._names.used, columns, strict=True)), first_row)
        kept = batch.kept()
        rows, places = np.nonzero(kept.labels >= 0)
        reviewers = kept.reviewers[rows, places]
        if self._names.reviewers:
            numbers = np.arange(len(batch.weights))[~batch.bad] + first_row
            self._find_twice(rows, reviewers, numbers[rows], None)
        self._count(kept, rows, reviewers, kept.labels[rows, places])

    def add_answers(self, columns: Sequence[Column], items: IndexArray, rows: IndexArray) -> None:
        """Count a batch of a long table.

        Parameters
        ----------
        columns : sequence of arrays
            In the order of ``names.used``.
        items : integer array
            A number for each item. Answers about the same item follow each other, in this batch
            and the next.
        rows : integer array
            Numbers of the rows in their source.
        """
        named = dict(zip(self._names.used, columns, strict=True))
        batch = self._checked(named, rows)
        values = _objects(named[str(self._names.item)])
        arrived = Answers(batch, items, rows, values).kept()
        waiting = self._waiting
        together = arrived if waiting is None else Answers.joined([waiting, arrived])
        if not len(together.items):
            return
        # the last item may go on in the next batch
        is_last = together.items == together.items[-1]
        self._waiting = together.part(np.flatnonzero(is_last))
        self._count_items(together.part(np.flatnonzero(~is_last)))

    def finish(self) -> OpinionReduction:
        """Return the counts of all rows, or refuse them."""
        if self._waiting is not None:
            self._count_items(self._waiting)
            self._waiting = None
        names, invalid = self._names, self._invalid
        return finished(
            names,
            invalid,
            self._conflicts,
            self._counted,
            drop_invalid=self._drop,
            allow_drop_share=self._allowed,
        )

    def _counted(self) -> OpinionCounts:
        found = self._counter.found(self._codes.classes, self._reviewers.names)
        counts = replace(found, scale=self._scale, has_classes=self._names.classes is not None)
        return counts.with_sorted_names(self._named) if self._names.reviewers else counts

    def _checked(self, columns: dict[str, Column], first_row: RowNumbers) -> Batch:
        """Read the columns of a batch, and find the rows that cannot be used."""
        names, invalid = self._names, self._invalid
        n = len(columns[names.scores[0]])
        invalid.rows += n
        bad = np.zeros(n, dtype=np.bool_)
        if names.item is not None:
            values = _objects(columns[names.item])
            missing = np.asarray(is_missing(values))
            invalid.find(missing, values, first_row, shown(names.item), NO_ITEM)
            bad |= missing
        scores, wrong = self._scores([columns[name] for name in names.scores], first_row, bad)
        bad = bad if wrong is None else bad | wrong
        codes = {name: self._labels(name, columns[name], first_row, bad) for name in names.answers}
        labels = np.stack([codes[name] for name in names.labels], axis=1)
        truths = np.full(n, UNKNOWN) if names.trusted is None else codes[names.trusted]
        who = np.broadcast_to(np.arange(labels.shape[1]), labels.shape)
        if names.reviewers:
            found = [self._reviewers.encode(columns[name]) for name in names.reviewers]
            who = np.stack(found, axis=1)
            for place, name in enumerate(names.reviewers):
                nobody = (who[:, place] == NOBODY) & (labels[:, place] >= 0) & ~bad
                nothing = np.full(n, None, dtype=object)
                invalid.find(nobody, nothing, first_row, shown(name), NO_REVIEWER)
                bad |= nobody
        weights = np.ones(n)
        if names.weight is not None:
            column = columns[names.weight]
            weights, now = check_weights(column, first_row, shown(names.weight), invalid, bad)
            bad = bad if now is None else now
        return Batch(scores, labels, who, truths, weights, bad)

    def _scores(
        self, columns: list[Column], first_row: RowNumbers, bad: BoolArray
    ) -> tuple[FloatArray, BoolArray | None]:
        names, invalid = self._names, self._invalid
        if names.classes is None:
            name = shown(names.scores[0])
            positive, wrong = check_scores(columns[0], first_row, name, invalid, self._scale, bad)
            return np.stack([1.0 - positive, positive], axis=1), wrong
        of_columns = [shown(name) for name in names.scores]
        return check_class_scores(columns, first_row, of_columns, SCORES, invalid, bad)

    def _labels(
        self, name: str, column: Column, first_row: RowNumbers, bad: BoolArray
    ) -> IndexArray:
        """Class of each label; rows with a label that is no class become bad."""
        met = self._met
        places = met.encode(column, first_row)
        # the last one stands for a missing label
        code_of = [self._codes.code_of.get(key, NO_CLASS) for key in met.keys]
        found = np.array([*code_of, UNKNOWN], dtype=np.intp)[places]
        wrong = (found == NO_CLASS) & ~bad
        if wrong.any():
            labels = np.full(len(found), None, dtype=object)
            for row in np.flatnonzero(wrong).tolist():
                labels[row] = met.shown(int(places[row]))
            self._invalid.find(wrong, labels, first_row, shown(name), self._codes.unknown)
            bad |= wrong
        return np.asarray(found)

    def _count(
        self, kept: Batch, rows: IndexArray, reviewers: IndexArray, labels: IndexArray
    ) -> None:
        found = OpinionRows(kept.scores, kept.weights, kept.truths, rows, reviewers, labels, (), ())
        self._named = np.union1d(self._named, reviewers)
        self._counter.add(found, self._reviewers.keys)

    def _count_items(self, answers: Answers) -> None:
        """Count complete items: their rows must have the same values."""
        if not len(answers.items):
            return
        batch, names = answers.batch, self._names
        starts = np.flatnonzero(np.diff(answers.items, prepend=answers.items[0] - 1))
        sizes = np.diff(starts, append=len(answers.items))
        number = np.repeat(np.arange(len(starts)), sizes)
        self._conflicts.items += len(starts)
        first = starts[number]
        offset = batch.scores.shape[1] - len(names.scores)  # one column has two classes
        for place, name in enumerate(names.scores):
            column = batch.scores[:, place + offset]
            self._find_differing(name, answers, column != column[first], column, column[first])
        if names.weight is not None:
            weights = batch.weights
            self._find_differing(
                names.weight, answers, weights != weights[first], weights, weights[first]
            )
        truths = self._only_truths(answers, number, len(starts))
        given = np.flatnonzero(batch.labels[:, 0] >= 0)
        rows, reviewers = number[given], batch.reviewers[given, 0]
        self._find_twice(rows, reviewers, answers.rows[given], answers.values[given])
        of_items = batch.part(starts)._replace(truths=truths)
        self._count(of_items, rows, reviewers, batch.labels[given, 0])

    def _only_truths(self, answers: Answers, number: IndexArray, items: int) -> IndexArray:
        """True class of each item, where some of its rows have it."""
        truths = answers.batch.truths
        found = np.full(items, UNKNOWN, dtype=np.intp)
        given = np.flatnonzero(truths != UNKNOWN)
        found[number[given[::-1]]] = truths[given[::-1]]  # so that the first one stays
        if self._names.trusted is not None:
            of_item, classes = found[number], np.array([*self._codes.classes, None], dtype=object)
            differs = (truths != UNKNOWN) & (truths != of_item)
            self._find_differing(
                self._names.trusted, answers, differs, classes[truths], classes[of_item]
            )
        return found

    def _find_differing(
        self,
        name: str,
        answers: Answers,
        differs: BoolArray,
        values: npt.NDArray[Any],
        of_item: npt.NDArray[Any],
    ) -> None:
        places = np.flatnonzero(differs)
        if not len(places):
            return
        first = places[np.argmin(answers.rows[places])]
        one, other = (column[first : first + 1].tolist()[0] for column in (of_item, values))
        items = len(np.unique(answers.items[places]))
        row = int(answers.rows[first])
        self._conflicts.differ(name, Differing(items, answers.values[first], one, other, row))

    def _find_twice(
        self,
        rows: IndexArray,
        reviewers: IndexArray,
        numbers: IndexArray,
        values: npt.NDArray[Any] | None,
    ) -> None:
        """Find second labels of a reviewer: by row or item, with the numbers of the rows."""
        order = np.lexsort((numbers, reviewers, rows))
        same = (np.diff(rows[order]) == 0) & (np.diff(reviewers[order]) == 0)
        places = order[1:][same]
        if len(places):
            first = places[np.argmin(numbers[places])]
            who = self._reviewers.names[reviewers[first]]
            item = None if values is None else values[first]
            self._conflicts.repeat(Twice(len(places), who, item, int(numbers[first])))


def _objects(column: Column) -> npt.NDArray[Any]:
    """Values as they were read."""
    values = column.to_numpy(zero_copy_only=False) if is_arrow(column) else column
    return np.asarray(values)
