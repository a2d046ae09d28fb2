"""Rows of several classes: probabilities, labels and weights, in an order of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.numerics.row_keys import row_keys, sample_keys, starts_of_equal
from lwcal.rows import ArrayLike, as_weights, check_same_length
from lwcal.rows.class_counts import ClassCounts
from lwcal.rows.class_labels import as_class_labels
from lwcal.rows.probabilities import as_class_scores, is_matrix, summing_to_one
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column
from lwcal.table import ScoreTable

ONE_CLASS = "With one class there is nothing to calibrate; check the labels, or take more rows"


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Distinct rows with their weight. The same rows in any order make the same value.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
        Probabilities; every row sums to 1.
    labels : integer array of shape (n,)
        Column of each label.
    weights : float64 array of shape (n,)
        Weight of each distinct row.
    classes : tuple
        Class of each column.
    sampled_from : float or None
        Weight of all rows, if these are a sample of them: an engine met too many distinct ones.
    """

    scores: FloatArray
    labels: IndexArray
    weights: FloatArray
    classes: tuple[Any, ...]
    sampled_from: float | None = None

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        classes: Sequence[Any] | None = None,
    ) -> ClassRows:
        """Check the columns, and bring the rows into an order that only their values decide.

        >>> rows = ClassRows.from_arrays([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]], ["c", "a"],
        ...                              classes=["a", "b", "c"])
        >>> rows.n, rows.classes, rows.labels
        (2.0, ('a', 'b', 'c'), array([0, 2]))
        """
        values, codes, weights, known = read_class_columns(scores, y, sample_weight, classes)
        kept = weights > 0.0
        return cls.of_codes(values[kept], codes[kept], weights[kept], known).of_two_labels()

    @classmethod
    def of_counts(cls, counts: ClassCounts, classes: Sequence[Any]) -> ClassRows:
        """Rows that an engine has checked and counted."""
        scores = summing_to_one(counts.scores.copy())
        rows = cls.of_codes(scores, counts.labels, counts.weights, tuple(classes)).of_two_labels()
        return replace(rows, sampled_from=counts.total) if counts.is_sample else rows

    @classmethod
    def of_codes(
        cls, scores: FloatArray, labels: IndexArray, weights: FloatArray, classes: tuple[Any, ...]
    ) -> ClassRows:
        """Pool equal rows, in an order that only their values decide."""
        order = np.lexsort((weights, row_keys(scores), labels))
        scores, labels = scores[order], labels[order]
        starts = starts_of_equal(scores, labels)
        pooled = np.add.reduceat(weights[order], starts) if len(starts) else weights
        return cls(scores[starts], labels[starts], pooled, classes)

    def of_two_labels(self) -> ClassRows:
        """The rows, if they have more than one label."""
        if (self.labels == self.labels[0]).all():
            raise InputError(f"y has one class, {self.classes[self.labels[0]]!r}. {ONE_CLASS}.")
        return self

    def sample(self, most: int) -> ClassRows:
        """A uniform sample of the distinct scores, or all rows if there are few enough.

        The values of a row decide whether it is drawn, so rows in any order, and in any number of
        parts, give the same sample.

        >>> rows = ClassRows.from_arrays(np.random.default_rng(0).dirichlet([1, 1, 1], 900),
        ...                              np.repeat([0, 1, 2], 300))
        >>> rows.sample(100).n, rows.sample(1000) is rows
        (100.0, True)
        """
        if len(self.labels) <= most:
            return self
        keys = sample_keys(self.scores, self.labels)
        return self.part(keys <= np.partition(keys, most - 1)[most - 1])

    def part(self, which: IndexArray | BoolArray) -> ClassRows:
        """Some of the rows, in their order."""
        return replace(
            self, scores=self.scores[which], labels=self.labels[which], weights=self.weights[which]
        )

    def two_class_table(self) -> ScoreTable:
        """Rows of two classes, pooled by the scores of the second."""
        return ScoreTable.from_arrays(self.scores[:, 1], self.labels, self.weights)

    @property
    def n(self) -> float:
        """Total weight."""
        return float(self.weights.sum())

    @property
    def n_classes(self) -> int:
        """Number of columns."""
        return len(self.classes)


def read_class_columns(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    classes: Sequence[Any] | None,
) -> tuple[FloatArray, IndexArray, FloatArray, tuple[Any, ...]]:
    """Check columns; return probabilities, places of the labels, weights, and the classes."""
    found = as_class_scores(scores)
    n, k = found.values.shape
    column = as_column(y, "y")
    check_same_length(n, len(column), "y")
    codes, known = as_class_labels(column, k, classes=classes, names=found.names)
    weights = np.ones(n) if sample_weight is None else as_weights(sample_weight, n)
    return found.values, codes, weights, known


def refuse_classes(classes: Sequence[Any] | None) -> None:
    """Refuse classes of columns beside one column of scores."""
    if classes is not None:
        hint = "with one column of scores, pos_label names the positive class"
        raise ParameterError(message("a column of scores for each class", "one", hint))


def refuse_one_column(n_classes: int, scores: ArrayLike | ScoreTable) -> None:
    """Refuse scores of one class, or a table of two, for a calibrator of more."""
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        got = "a ScoreTable of two" if isinstance(scores, ScoreTable) else "scores of one class"
        raise InputError(
            f"The calibrator has {n_classes:,} classes, got {got}. Pass the probabilities of all "
            "classes, of shape (n, K)."
        )


def refuse_pos_label(pos_label: Any) -> None:
    """Refuse a positive class beside scores of all classes."""
    if pos_label is not None:
        hint = "columns of scores of all classes need no positive one"
        raise ParameterError(message("no pos_label", repr(pos_label), hint))


def refuse_scale(scale: str | None) -> None:
    """Refuse another scale than probabilities for scores of all classes."""
    if scale not in (None, PROBABILITY):
        raise ParameterError(message("probabilities of all classes", f"scale={scale!r}"))


def required(y: ArrayLike | None) -> ArrayLike:
    """Refuse scores without labels."""
    if y is None:
        raise InputError(message("y, the labels of the rows", "none"))
    return y
