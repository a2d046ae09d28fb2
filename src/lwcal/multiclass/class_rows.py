"""Rows of several classes: probabilities, labels and weights, in an order of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, KeyArray
from lwcal.errors import InputError
from lwcal.rows import ArrayLike, as_weights, check_same_length
from lwcal.rows.class_labels import as_class_labels
from lwcal.rows.probabilities import as_class_scores
from lwcal.rows.values import as_column

ONE_CLASS = "With one class there is nothing to calibrate; check the labels, or take more rows"


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows to fit to. Equal rows in any order make equal values of this type.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
        Probabilities; every row sums to 1.
    labels : integer array of shape (n,)
        Column of each label.
    weights : float64 array of shape (n,)
    classes : tuple
        Class of each column.
    """

    scores: FloatArray
    labels: IndexArray
    weights: FloatArray
    classes: tuple[Any, ...]

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
        found = as_class_scores(scores)
        n, k = found.values.shape
        column = as_column(y, "y")
        check_same_length(n, len(column), "y")
        codes, known = as_class_labels(column, k, classes=classes, names=found.names)
        weights = np.ones(n) if sample_weight is None else as_weights(sample_weight, n)
        kept = weights > 0.0
        codes, values, weights = codes[kept], found.values[kept], weights[kept]
        if (codes == codes[0]).all():
            raise InputError(f"y has one class, {known[codes[0]]!r}. {ONE_CLASS}.")
        order = np.lexsort((weights, _keys(values), codes))
        return cls(values[order], codes[order], weights[order], known)

    @property
    def n(self) -> float:
        """Total weight."""
        return float(self.weights.sum())

    @property
    def n_classes(self) -> int:
        """Number of columns."""
        return len(self.classes)


def _keys(scores: FloatArray) -> KeyArray:
    """A number for each row that only its values decide: their bits, mixed."""
    keys = np.zeros(len(scores), dtype=np.uint64)
    bits = np.ascontiguousarray(scores + 0.0).view(np.uint64)  # + 0.0 makes -0.0 a 0.0
    for column in bits.T:
        keys ^= column
        keys *= np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys
