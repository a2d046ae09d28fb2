"""Reduce batches of rows of several classes to counts, and check every row."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.checks import check_weights
from lwcal.rows.class_counts import ClassCounter, ClassCounts, most_rows
from lwcal.rows.classes import Classes, CodeArray, class_key, find_missing
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import DROP_SHARE, InvalidRows, Kind, RowNumbers, check_drop_share
from lwcal.rows.frames import Frame, columns_of, shown
from lwcal.rows.probabilities import check_class_scores
from lwcal.rows.reducer import check_not_empty
from lwcal.rows.values import Column, no_rows

SCORES = "the score columns"
"""All columns of scores, as messages call them."""
SHOWN_CLASSES = 5
logger = logging.getLogger(__name__)


class ClassNames(NamedTuple):
    """Columns of a source of several classes, and the class of each column of scores."""

    scores: tuple[str, ...]
    classes: tuple[Any, ...]
    label: str
    weight: str | None = None

    @classmethod
    def checked(
        cls, scores: Sequence[str], classes: Sequence[Any], label: str, weight: str | None = None
    ) -> ClassNames:
        """Refuse one column in two roles, and other than one class for each column of scores."""
        names = cls(tuple(scores), tuple(classes), label, weight)
        if len(names.classes) != len(names.scores):
            expected = f"a class for each of the {len(names.scores):,} columns"
            raise ParameterError(message(expected, f"{len(names.classes):,} classes"))
        twice = [name for name in names.used if names.used.count(name) > 1]
        if twice:
            raise ParameterError(message("a different column in each role", f"{twice[0]!r} twice"))
        if len({class_key(label) for label in names.classes}) < len(names.classes):
            got = listed_classes(names.classes)
            raise ParameterError(message("a different class for each column of scores", got))
        return names

    @property
    def used(self) -> list[str]:
        """All columns."""
        return [*self.scores, self.label, *([] if self.weight is None else [self.weight])]


def listed_classes(classes: Sequence[Any]) -> str:
    """Show classes in a message.

    >>> listed_classes(["a", 2])
    "'a', 2"
    """
    more = ", ..." if len(classes) > SHOWN_CLASSES else ""
    return ", ".join(map(repr, classes[:SHOWN_CLASSES])) + more


def unknown_label(classes: Sequence[Any]) -> Kind:
    """A label that is none of the classes."""
    return Kind(
        f"not among the classes of the score columns ({listed_classes(classes)})",
        "Every label must be the class of a column of scores.",
        "like labels of other classes",
    )


class ClassReduction(NamedTuple):
    """Counts of equal rows, and the dropped rows."""

    counts: ClassCounts
    dropped: InvalidRows


def reduce_class_batches(
    batches: Iterable[Frame], names: ClassNames, **options: Any
) -> ClassReduction:
    """Reduce frames to counts; the options are those of :class:`ClassReducer`."""
    reducer = ClassReducer(names, **options)
    for batch in batches:
        for columns in columns_of(batch, names.used):
            reducer.add(columns)
    return reducer.finish()


class ClassReducer:
    """Takes columns batch by batch.

    Parameters
    ----------
    names : ClassNames
    drop_invalid : bool
        Whether invalid rows are dropped instead of refused.
    allow_drop_share : float
        Share of the rows that may be dropped.
    limit : int or None
        Distinct rows beyond which a sample of them is kept.
    """

    def __init__(
        self,
        names: ClassNames,
        *,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
        limit: int | None = LIMIT,
    ) -> None:
        check_drop_share(allow_drop_share)
        self._names = names
        self._drop = drop_invalid
        self._allowed = allow_drop_share
        self._invalid = InvalidRows()
        self._labels = Classes()
        self._column_of = {class_key(label): k for k, label in enumerate(names.classes)}
        self._counter = ClassCounter(most_rows(len(names.classes), limit))

    def add(self, columns: Sequence[Column]) -> None:
        """Count a batch: the scores of every class, the labels, and the weights if there are any.

        >>> names = ClassNames(("p_a", "p_b"), ("a", "b"), "y")
        >>> reducer = ClassReducer(names)
        >>> reducer.add([np.array([0.2, 0.2]), np.array([0.8, 0.8]), np.array(["b", "b"])])
        >>> reducer.finish().counts.weights
        array([2.])
        """
        names, invalid = self._names, self._invalid
        n_classes = len(names.classes)
        first_row = invalid.rows
        invalid.rows += len(columns[0])
        of_columns = [shown(name) for name in names.scores]
        scores, bad = check_class_scores(
            columns[:n_classes], first_row, of_columns, SCORES, invalid
        )
        places = self._labels.encode(columns[n_classes], first_row)
        bad = find_missing(places, first_row, shown(names.label), invalid, bad)
        labels, bad = self._columns(places, first_row, bad)
        weights = None
        if names.weight is not None:
            column = columns[n_classes + 1]
            weights, bad = check_weights(column, first_row, shown(names.weight), invalid, bad)
        if bad is not None:
            scores, labels = scores[~bad], labels[~bad]
            weights = None if weights is None else weights[~bad]
        self._counter.add(scores, labels, weights)

    def _columns(
        self, places: CodeArray, first_row: RowNumbers, bad: BoolArray | None
    ) -> tuple[Any, BoolArray | None]:
        """Columns of the labels, and which rows are invalid: those before, and unknown labels."""
        column_of = np.array([*(self._column_of.get(key, -1) for key in self._labels.keys), 0])
        columns = column_of[places]  # the last one stands for a missing label
        unknown = columns < 0
        if not unknown.any():
            return columns, bad
        new = unknown if bad is None else unknown & ~bad
        labels = np.array([self._labels.shown(k) for k in places.tolist()], dtype=object)
        kind = unknown_label(self._names.classes)
        self._invalid.find(new, labels, first_row, shown(self._names.label), kind)
        return columns, unknown if bad is None else unknown | bad

    def finish(self) -> ClassReduction:
        """Return the counts of all rows, or refuse them."""
        invalid = self._invalid
        if not invalid.rows:
            raise InputError(no_rows(SCORES))
        if not self._drop:
            invalid.refuse(scalable=False)
        invalid.check_drop_share(self._allowed, scalable=False)
        counts = self._counter.counts()
        check_not_empty(len(counts.labels), invalid)
        logger.info("read %s rows, %s kept distinct", f"{invalid.rows:,}", len(counts.labels))
        return ClassReduction(counts, invalid)
