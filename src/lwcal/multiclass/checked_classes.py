"""Rows of several classes whose true class somebody has checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.multiclass.class_rows import ClassRows, read_class_columns
from lwcal.noise.checked.selection import net_weights
from lwcal.noise.checked.table import CheckedTable
from lwcal.rows import ArrayLike, as_chances, check_same_length
from lwcal.rows.class_reducer import find_unknown
from lwcal.rows.classes import MISSING, Classes
from lwcal.rows.faults import InvalidRows
from lwcal.rows.values import as_column


class CheckedClasses(NamedTuple):
    """Checked rows.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
    labels, truths : integer arrays of shape (n,)
        Columns of the labels and of the true classes.
    weights : float64 array of shape (n,)
    """

    scores: FloatArray
    labels: IndexArray
    truths: IndexArray
    weights: FloatArray

    @classmethod
    def nothing(cls, n_classes: int) -> CheckedClasses:
        """No checked rows."""
        none = np.zeros(0, dtype=np.intp)
        return cls(np.zeros((0, n_classes)), none, none, np.zeros(0))

    @classmethod
    def of_codes(
        cls, scores: FloatArray, labels: IndexArray, truths: IndexArray, weights: FloatArray
    ) -> CheckedClasses:
        """Pool equal rows, in an order that only their values decide.

        >>> same = np.array([[0.5, 0.5], [0.5, 0.5]])
        >>> CheckedClasses.of_codes(same, np.ones(2, int), np.zeros(2, int), np.ones(2)).weights
        array([2.])
        """
        k = scores.shape[1]
        pooled = ClassRows.of_codes(scores, labels * k + truths, weights, ())
        said, true = np.divmod(pooled.labels, k)
        return cls(pooled.scores, said, true, pooled.weights)

    def weighted(self, weights: FloatArray) -> CheckedClasses:
        """The same rows with other weights; rows without any are left out."""
        kept = weights > 0.0
        return CheckedClasses(
            self.scores[kept], self.labels[kept], self.truths[kept], weights[kept]
        )

    def two_class_table(self) -> CheckedTable:
        """Rows of two classes, pooled by the scores of the second."""
        labels, truths = self.labels.astype(np.uint8), self.truths.astype(np.uint8)
        return CheckedTable.from_codes(self.scores[:, 1], labels, truths, self.weights)

    @property
    def n(self) -> float:
        """Number of checked rows, or their effective number."""
        return float(self.weights.sum())

    @property
    def wrong(self) -> float:
        """Number of checked rows whose label was wrong."""
        return float(self.weights[self.labels != self.truths].sum())

    @property
    def counts(self) -> FloatArray:
        """Number of rows by true class (row) and label (column)."""
        k = self.scores.shape[1]
        found = np.zeros((k, k))
        np.add.at(found, (self.truths, self.labels), self.weights)
        return found


class AuditedClasses(NamedTuple):
    """Rows of which some are checked.

    Attributes
    ----------
    unchecked : ClassRows
    checked : CheckedClasses
    everything : ClassRows
        All rows with their labels.
    """

    unchecked: ClassRows
    checked: CheckedClasses
    everything: ClassRows

    @classmethod
    def of_codes(
        cls,
        scores: FloatArray,
        labels: IndexArray,
        truths: IndexArray,
        weights: FloatArray,
        classes: tuple[Any, ...],
        of_checked: FloatArray | None = None,
    ) -> AuditedClasses:
        """Divide rows that have been read.

        Parameters
        ----------
        scores, labels, weights : arrays of all rows
        truths : integer array
            Column of the true class of each row; -1 where nobody checked.
        classes : tuple
        of_checked : float64 array, optional
            Weights of the checked rows, if they are others.
        """
        counted = weights > 0.0
        is_checked = (truths >= 0) & counted
        rest = ~is_checked & counted
        return cls(
            ClassRows.of_codes(scores[rest], labels[rest], weights[rest], classes),
            CheckedClasses.of_codes(
                scores[is_checked],
                labels[is_checked],
                truths[is_checked],
                weights[is_checked] if of_checked is None else of_checked,
            ),
            ClassRows.of_codes(
                scores[counted], labels[counted], weights[counted], classes
            ).of_two_labels(),
        )


class CheckedColumns(NamedTuple):
    """Columns that have been read, row by row.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
    labels, truths : integer arrays of shape (n,)
        Columns of the label and of the true class; -1 where nobody checked.
    weights : float64 array of shape (n,)
    chances : float64 array of shape (checked,), or None
        Probabilities with which the checked rows were checked, if they are known.
    classes : tuple
    """

    scores: FloatArray
    labels: IndexArray
    truths: IndexArray
    weights: FloatArray
    chances: FloatArray | None
    classes: tuple[Any, ...]

    @property
    def is_checked(self) -> BoolArray:
        """Whether each row is checked."""
        return np.asarray(self.truths >= 0)

    def divided(self) -> AuditedClasses:
        """Divide the rows, and give the checked ones the weights that their chances call for."""
        is_checked = self.is_checked
        of_checked = self.weights[is_checked]
        if self.chances is not None and is_checked.any():
            values = self.scores[is_checked]
            of_label = values[np.arange(len(values)), self.labels[is_checked]]
            highest = values.max(axis=1)
            features = [np.ones_like(highest), of_label, of_label**2, highest, highest**2]
            of_checked = of_checked * net_weights(np.stack(features, axis=1), self.chances)
        return AuditedClasses.of_codes(
            self.scores, self.labels, self.truths, self.weights, self.classes, of_checked
        )

    def without_checks_of(self, places: IndexArray) -> CheckedColumns:
        """The same rows, as if these had not been checked."""
        truths = self.truths.copy()
        truths[places] = -1
        kept = (truths >= 0)[self.is_checked]
        chances = None if self.chances is None else self.chances[kept]
        return self._replace(truths=truths, chances=chances)


def read_checked_columns(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    y_audited: ArrayLike | None = None,
    audit_probability: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    audited_name: str = "y_audited",
) -> CheckedColumns:
    """Read columns, some of whose rows are checked; messages call the checked labels by a name.

    Examples
    --------
    >>> found = read_checked_columns([[0.6, 0.2, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]],
    ...                              ["a", "b", "c"], y_audited=["a", None, "b"]).divided()
    >>> found.checked.n, found.checked.wrong, found.unchecked.n
    (2.0, 1.0, 1.0)
    """
    values, codes, weights, known = read_class_columns(scores, y, sample_weight, classes)
    truths, is_checked = as_true_classes(y_audited, len(codes), known, name=audited_name)
    is_checked &= weights > 0.0
    chances = None
    if audit_probability is not None and is_checked.any():
        chances = as_chances(audit_probability, is_checked)
    truths = np.where(is_checked, truths, -1)
    return CheckedColumns(values, codes, truths, weights, chances, known)


def as_true_classes(
    y_audited: ArrayLike | None, n: int, classes: tuple[Any, ...], *, name: str = "y_audited"
) -> tuple[IndexArray, BoolArray]:
    """Column of each true class, and which rows have one.

    >>> as_true_classes(["b", None], 2, ("a", "b"))
    (array([1, 0]), array([ True, False]))
    """
    if y_audited is None:
        return np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.bool_)
    column = as_column(y_audited, name)
    check_same_length(n, len(column), name, of="labels")
    met, invalid = Classes(), InvalidRows(rows=n)
    places = met.encode(column, first_row=0)
    truths, _ = find_unknown(met, places, classes, 0, name, invalid)
    invalid.refuse(drop_hint=None)
    return truths, np.asarray(places != MISSING)
