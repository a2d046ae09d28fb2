"""Reduce batches of rows of several classes to counts, and check every row."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.checks import check_weights
from lwcal.rows.class_counts import ClassCounter, ClassCounts, most_rows
from lwcal.rows.classes import Classes, CodeArray, class_key, find_missing
from lwcal.rows.column_classes import listed_classes, one_class_twice
from lwcal.rows.counts import LIMIT
from lwcal.rows.fault_kinds import Kind
from lwcal.rows.faults import DROP_SHARE, InvalidRows, RowNumbers, check_drop_share
from lwcal.rows.frames import Frame, columns_of, shown
from lwcal.rows.probabilities import SCORES, check_class_scores
from lwcal.rows.reducer import check_not_empty
from lwcal.rows.values import Column, no_rows

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
        same = one_class_twice(names.classes, names.scores)
        if same is not None:
            raise ParameterError(message("a different class for each column of scores", same))
        return names

    @property
    def used(self) -> list[str]:
        """All columns."""
        return [*self.scores, self.label, *([] if self.weight is None else [self.weight])]


def unknown_label(classes: Sequence[Any]) -> Kind:
    """A label that is none of the classes."""
    return Kind(
        f"not among the classes of the score columns ({listed_classes(classes)})",
        "Every label must be the class of a column of scores.",
        "like labels of other classes",
    )


def find_unknown(
    met: Classes,
    places: CodeArray,
    classes: Sequence[Any],
    first_row: RowNumbers,
    name: str,
    invalid: InvalidRows,
    bad: BoolArray | None = None,
) -> tuple[IndexArray, BoolArray | None]:
    """Columns of labels, and which rows are invalid: those before, and unknown labels.

    Parameters
    ----------
    met : Classes
        The labels that were met, these among them.
    places : integer array
        Their places. A missing label is not unknown; its column is 0.
    classes : sequence
        Class of each column.
    first_row : int or int array
        Numbers of the rows in their source.
    name : str
        The labels, as messages call them.
    invalid : InvalidRows
        Counts what is found; a row counts once.
    bad : bool array, optional
        Rows that are invalid already.
    """
    place_of = {class_key(label): k for k, label in enumerate(classes)}
    # the last one stands for a missing label
    column_of = np.array([*(place_of.get(key, -1) for key in met.keys), 0], dtype=np.intp)
    columns = column_of[places]
    unknown = columns < 0
    if not unknown.any():
        return columns, bad
    new = unknown if bad is None else unknown & ~bad
    labels = np.array([met.shown(k) for k in places.tolist()], dtype=object)
    invalid.find(new, labels, first_row, name, unknown_label(classes))
    return columns, unknown if bad is None else unknown | bad


class CheckedBatch(NamedTuple):
    """Rows of several classes, checked.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
        As they came.
    labels : integer array of shape (n,)
        Column of each label.
    weights : float64 array of shape (n,) or None
    bad : bool array of shape (n,) or None
        Which rows are invalid; None if there are none.
    """

    scores: FloatArray
    labels: IndexArray
    weights: FloatArray | None
    bad: BoolArray | None

    def valid(self) -> CheckedBatch:
        """The rows that are not invalid."""
        if self.bad is None:
            return self
        kept = ~self.bad
        weights = None if self.weights is None else self.weights[kept]
        return CheckedBatch(self.scores[kept], self.labels[kept], weights, None)


class ClassChecks:
    """Checks columns batch by batch.

    Parameters
    ----------
    names : ClassNames

    Attributes
    ----------
    invalid : InvalidRows
        All rows that cannot be used.
    """

    def __init__(self, names: ClassNames) -> None:
        self.invalid = InvalidRows()
        self._names = names
        self._met = Classes()

    def check(self, columns: Sequence[Column]) -> CheckedBatch:
        """Check the scores of every class, the labels, and the weights if there are any.

        >>> checks = ClassChecks(ClassNames(("p_a", "p_b"), ("a", "b"), "y"))
        >>> checks.check([np.array([0.2]), np.array([0.8]), np.array(["b"])]).labels
        array([1])
        """
        names, invalid = self._names, self.invalid
        n_classes = len(names.classes)
        first_row = invalid.rows
        invalid.rows += len(columns[0])
        of_columns = [shown(name) for name in names.scores]
        scores, bad = check_class_scores(
            columns[:n_classes], first_row, of_columns, SCORES, invalid
        )
        label = shown(names.label)
        places = self._met.encode(columns[n_classes], first_row)
        bad = find_missing(places, first_row, label, invalid, bad)
        labels, bad = find_unknown(self._met, places, names.classes, first_row, label, invalid, bad)
        weights = None
        if names.weight is not None:
            column = columns[n_classes + 1]
            weights, bad = check_weights(column, first_row, shown(names.weight), invalid, bad)
        return CheckedBatch(scores, labels, weights, bad)


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
        self._checks = ClassChecks(names)
        self._drop = drop_invalid
        self._allowed = allow_drop_share
        self._counter = ClassCounter(most_rows(len(names.classes), limit))

    def add(self, columns: Sequence[Column]) -> None:
        """Count a batch: the scores of every class, the labels, and the weights if there are any.

        >>> names = ClassNames(("p_a", "p_b"), ("a", "b"), "y")
        >>> reducer = ClassReducer(names)
        >>> reducer.add([np.array([0.2, 0.2]), np.array([0.8, 0.8]), np.array(["b", "b"])])
        >>> reducer.finish().counts.weights
        array([2.])
        """
        found = self._checks.check(columns).valid()
        self._counter.add(found.scores, found.labels, found.weights)

    def finish(self) -> ClassReduction:
        """Return the counts of all rows, or refuse them."""
        invalid = self._checks.invalid
        if not invalid.rows:
            raise InputError(no_rows(SCORES))
        if not self._drop:
            invalid.refuse(scalable=False)
        invalid.check_drop_share(self._allowed, scalable=False)
        counts = self._counter.counts()
        check_not_empty(len(counts.labels), invalid)
        logger.info("read %s rows, %s kept distinct", f"{invalid.rows:,}", len(counts.labels))
        return ClassReduction(counts, invalid)
