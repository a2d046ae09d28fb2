"""Rows of a fit in cells of their scores, by label: what base rates are estimated from later.

A cell is the class that a row speaks for most, if all classes were equally frequent, and a band of
how clearly it does. Another base rate changes how many rows fall into a cell, but never into which
one a row falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.errors import ArtifactError, message
from lwcal.numerics.quantiles import weighted_quantiles

CELLS = 40
"""Cells of all classes together, unless two bands of each are more."""
LEAST_BANDS, MOST_BANDS = 2, 8
MOST_CLASSES = 50
"""Classes up to which cells are kept. Of more, a file would hold very many numbers."""
LEAST_RATE = 1e-9
"""Base rates below it are taken as this large."""


@dataclass(frozen=True, eq=False)
class ClassCells:
    """Weight of the rows of a fit in each cell, by label.

    Attributes
    ----------
    edges : float64 array of shape (K, bands - 1)
        Where the bands of each class begin.
    counts : float64 array of shape (K * bands, K)
        Weight of the rows of each label (column) in each cell. The bands of a class follow each
        other.

    Examples
    --------
    >>> p = np.array([[0.6, 0.2, 0.2], [0.9, 0.05, 0.05], [0.1, 0.1, 0.8]])
    >>> cells = ClassCells.of(p, np.array([0, 0, 2]), np.ones(3), (0.3, 0.3, 0.4))
    >>> cells.counts.shape, cells.counts.sum(axis=0)
    ((24, 3), array([2., 0., 1.]))
    >>> cells.weights_of(p[:1], np.ones(1), (0.3, 0.3, 0.4)).nonzero()
    (array([0]),)
    """

    edges: FloatArray
    counts: FloatArray

    @classmethod
    def of(
        cls,
        probabilities: FloatArray,
        labels: IndexArray,
        weights: FloatArray,
        base_rates: tuple[float, ...],
    ) -> ClassCells:
        """Count calibrated rows; the base rates are those of the probabilities."""
        k = len(base_rates)
        bands = int(np.clip(CELLS // k, LEAST_BANDS, MOST_BANDS))
        spoken_for, clarity = _evidence(probabilities, base_rates)
        places = tuple(band / bands for band in range(1, bands))
        edges = np.ones((k, bands - 1))
        for label in range(k):
            chosen = spoken_for == label
            if chosen.any():
                edges[label] = weighted_quantiles(clarity[chosen], weights[chosen], places)
        cell = _cells(edges, spoken_for, clarity)
        counts = np.bincount(cell * k + labels, weights, minlength=k * bands * k)
        return cls(edges, counts.reshape(k * bands, k).astype(np.float64))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.edges)

    def weights_of(
        self, probabilities: FloatArray, weights: FloatArray, base_rates: tuple[float, ...]
    ) -> FloatArray:
        """Weight of new calibrated rows in each cell."""
        cell = _cells(self.edges, *_evidence(probabilities, base_rates))
        return np.bincount(cell, weights, minlength=len(self.counts)).astype(np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Both tables as lists, for JSON."""
        whole = bool((self.counts % 1.0 == 0.0).all())
        counts = self.counts.astype(np.int64) if whole else self.counts
        return {"edges": self.edges.tolist(), "counts": counts.tolist()}


def _evidence(
    probabilities: FloatArray, base_rates: tuple[float, ...]
) -> tuple[IndexArray, FloatArray]:
    """The class that each row speaks for, and how clearly, at equal base rates."""
    likelihood = probabilities / np.maximum(np.array(base_rates), LEAST_RATE)
    spoken_for = likelihood.argmax(axis=1)
    highest = likelihood[np.arange(len(likelihood)), spoken_for]
    return spoken_for, np.asarray(highest / likelihood.sum(axis=1))


def _cells(edges: FloatArray, spoken_for: IndexArray, clarity: FloatArray) -> IndexArray:
    bands = edges.shape[1] + 1
    return np.asarray(spoken_for * bands + (clarity[:, None] > edges[spoken_for]).sum(axis=1))


def class_cells_from_dict(document: object, n_classes: int) -> ClassCells:
    """Rebuild cells. Anything that ``to_dict`` cannot have written is refused."""
    given = document if isinstance(document, dict) else {}
    edges, counts = (_table(given.get(name), name) for name in ("edges", "counts"))
    bands = edges.shape[1] + 1
    if len(edges) != n_classes or counts.shape != (n_classes * bands, n_classes):
        expected = f"cells of the reference for {n_classes:,} classes"
        got = f"edges of shape {edges.shape} and counts of shape {counts.shape}"
        raise ArtifactError(message(expected, got))
    ordered = (np.diff(edges, axis=1) >= 0.0).all() and (edges >= 0.0).all()
    if not (ordered and (edges <= 1.0).all() and (counts >= 0.0).all() and counts.any()):
        expected = "cells of the reference with edges from 0 to 1 in order, and some rows"
        raise ArtifactError(message(expected, "others"))
    return ClassCells(edges, counts)


def _table(given: object, name: str) -> FloatArray:
    expected = f"{name} of the cells of the reference to be rows of numbers"
    numbers = isinstance(given, list) and all(
        isinstance(row, list)
        and all(isinstance(one, int | float) and not isinstance(one, bool) for one in row)
        for row in given
    )
    if not numbers:
        raise ArtifactError(message(expected, type(given).__name__))
    try:
        table = np.array(given, dtype=np.float64)
    except (ValueError, OverflowError):
        raise ArtifactError(message(expected, "rows of different lengths")) from None
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ArtifactError(message(expected, "others"))
    return table
