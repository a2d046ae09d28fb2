"""Numbers that only the values of a row decide: to order rows, pool equal ones, or sample them.

Spark sends these functions to its workers by value. They use each other and numpy, and nothing
else.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # workers do not have this package
    from collections.abc import Iterable

    from lwcal.arrays import FloatArray, IndexArray, KeyArray

ODD = 0x9E3779B97F4A7C15
"""Odd bits of the golden ratio, by which hashes spread numbers."""


def row_keys(scores: FloatArray) -> KeyArray:
    """A number for each row: the bits of its values, mixed.

    >>> len(np.unique(row_keys(np.array([[0.5, -0.0], [0.5, 0.0], [0.0, 0.5]]))))
    2
    """
    keys = np.zeros(len(scores), dtype=np.uint64)
    bits = np.ascontiguousarray(scores + 0.0).view(np.uint64)  # + 0.0 makes -0.0 a 0.0
    for column in bits.T:
        keys ^= column
        keys *= np.uint64(ODD)
        keys ^= keys >> np.uint64(29)
    return keys


def sample_keys(scores: FloatArray, labels: Any) -> KeyArray:
    """A random-looking number for each row and label; rows with the lowest are a uniform sample.

    The last steps are those of SplitMix64, after which every bit depends on all others.

    >>> rng = np.random.default_rng(0)
    >>> keys = sample_keys(rng.random((1000, 2)).round(1), np.arange(1000))
    >>> round(float(np.mean(keys < 2**63)), 1)
    0.5
    """
    keys = row_keys(scores)
    keys += (labels.astype(np.uint64) + np.uint64(1)) * np.uint64(ODD)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys ^= keys >> np.uint64(shift)
        keys *= np.uint64(factor)
    keys ^= keys >> np.uint64(31)
    return keys


def starts_of_equal(scores: FloatArray, labels: Any) -> IndexArray:
    """Places at which a row differs from the one before it.

    >>> starts_of_equal(np.array([[0.2, 0.8], [0.2, 0.8], [0.2, 0.8]]), np.array([0, 0, 1]))
    array([0, 2])
    """
    differs = np.ones(len(scores), dtype=np.bool_)
    differs[1:] = (labels[1:] != labels[:-1]) | (scores[1:] != scores[:-1]).any(axis=1)
    return np.flatnonzero(differs)


def text_keys(texts: Iterable[str]) -> KeyArray:
    """A number for each text, the same on every machine.

    >>> text_keys(["ann", "bob", "ann"]) == text_keys(["ann"])[0]
    array([ True, False,  True])
    """
    found = [
        int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts
    ]
    return np.array(found, dtype=np.uint64)


def pattern_keys(
    rows: IndexArray, reviewers: KeyArray, labels: IndexArray, truths: IndexArray
) -> KeyArray:
    """A number for each row that only its opinions and its true class decide.

    Parameters
    ----------
    rows : integer array of shape (m,)
        Row of each opinion.
    reviewers : uint64 array of shape (m,)
        Key of the reviewer; see :func:`text_keys`.
    labels : integer array of shape (m,)
        Number of the class.
    truths : integer array of shape (n,)
        Number of the true class of each row, or -1.

    Examples
    --------
    >>> who = text_keys(["ann", "bob", "bob", "ann"])
    >>> found = pattern_keys(
    ...     np.array([0, 0, 1, 1]), who, np.array([0, 1, 1, 0]), np.array([-1, -1])
    ... )
    >>> bool(found[0] == found[1])
    True
    """
    keys = (truths + 1).astype(np.uint64) * np.uint64(ODD)
    said = reviewers ^ ((labels + 1).astype(np.uint64) * np.uint64(ODD))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        said ^= said >> np.uint64(shift)
        said *= np.uint64(factor)
    np.add.at(keys, rows, said)  # whole numbers, so the order does not matter
    return keys
