"""Systematic samples: every k-th of the sorted rows, from a random start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray, LabelArray
from lwcal.numerics.row_keys import row_keys


class Cells(NamedTuple):
    """How rows are sorted before every k-th of them is taken.

    Attributes
    ----------
    number : integer array of shape (n,)
        Cell of each row; rows of a cell stand together.
    keys : tuple of arrays
        What orders the rows of a cell, the most important last.
    rotated : bool
        Whether the order within a cell begins at a random row.
    """

    number: IndexArray | LabelArray
    keys: tuple[Any, ...]
    rotated: bool


class SystematicSample(NamedTuple):
    """Rows of a sample, in random order.

    Attributes
    ----------
    rows : int64 array
    strata : int64 array
        Part of the sorted rows that each was taken from. There are as many parts as rows in the
        sample, of equal size.
    """

    rows: IndexArray
    strata: IndexArray


def cells_of(scores: FloatArray, labels: IndexArray | LabelArray) -> Cells:
    """Cells of labels and scores.

    Of two classes, rows are sorted by label, then by score. Of more, by whether the label has the
    highest score, then by label, then by the score of the label. There, the order within a cell
    begins at a random row. Otherwise classes of equal size could all be taken at the same rank.

    Parameters
    ----------
    scores : float64 array of shape (n,) or (n, K)
    labels : integer array of shape (n,)
        Numbers of classes.
    """
    if scores.ndim == 1:
        return Cells(labels, (scores,), rotated=False)
    n, k = scores.shape
    if k == 2:
        return cells_of(scores[:, 1], labels)
    agrees = scores.argmax(axis=1) == labels
    # equal scores of the label are ordered by the other scores, so that row order plays no part
    keys = (row_keys(scores), scores[np.arange(n), labels])
    return Cells(labels + k * agrees, keys, rotated=True)


def systematic_sample(cells: Cells, size: int, random_state: int) -> SystematicSample:
    """Take every k-th of the sorted rows. Each is taken with the same probability.

    Examples
    --------
    >>> cells = Cells(np.repeat([0, 1], 10), (np.arange(20.0),), rotated=False)
    >>> found = systematic_sample(cells, 4, random_state=0)
    >>> sorted((found.rows // 5).tolist()), sorted(found.strata.tolist())
    ([0, 1, 2, 3], [0, 1, 2, 3])
    """
    n = len(cells.number)
    generator = np.random.default_rng(random_state)
    # ties in random order, because the order of rows may be informative
    order = np.lexsort((generator.random(n), *cells.keys, cells.number))
    if cells.rotated:
        order = _rotated(order, cells.number[order], generator)
    places = (generator.random() + np.arange(size)) * (n / size)
    # rounding can push the last place beyond the last row
    picked = order[np.minimum(places.astype(np.int64), n - 1)]
    strata = generator.permutation(size)
    return SystematicSample(picked[strata], strata)


def _rotated(
    order: IndexArray, cells: IndexArray | LabelArray, generator: np.random.Generator
) -> IndexArray:
    """Let the rows of each cell begin at a random one of them, and go on from the first."""
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    sizes = np.diff(starts, append=len(cells))
    first = np.repeat(starts, sizes)
    size = np.repeat(sizes, sizes)
    # of every cell that could occur, so that equal rows in any order draw the same numbers
    shift = (generator.random(cells.max() + 1)[cells] * size).astype(np.int64)
    return np.asarray(order[first + (np.arange(len(cells)) - first + shift) % size])
