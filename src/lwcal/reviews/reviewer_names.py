"""Reviewers in the order in which they are met."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import IndexArray, KeyArray
from lwcal.reviews.name_keys import reviewer_key, reviewer_keys, written
from lwcal.rows.values import Column, is_arrow, is_missing_value

NOBODY = -1
"""In place of a reviewer that is not named."""


class ReviewerNames:
    """Numbers of reviewers. Names that differ are different reviewers, but for blanks around them.

    Parameters
    ----------
    names : sequence
        Reviewers that are known before, with the first numbers.

    Examples
    --------
    >>> met = ReviewerNames()
    >>> met.encode(np.array(["Bob", None, "bob", " Bob "], dtype=object))
    array([ 0, -1,  1,  0])
    >>> met.names
    ('Bob', 'bob')
    """

    def __init__(self, names: tuple[Any, ...] = ()) -> None:
        self._places: dict[Any, int] = {}
        self._keys: dict[str, int] = {}
        self._spellings: list[list[Any]] = []
        self._hashes = np.zeros(0, dtype=np.uint64)
        for name in names:
            self.place(name)

    def encode(self, column: Column) -> IndexArray:
        """Number of the reviewer in each row."""
        if is_arrow(column):
            coded = column if hasattr(column, "dictionary") else column.dictionary_encode()
            places = np.array([*map(self.place, coded.dictionary.to_pylist()), NOBODY], np.intp)
            codes = coded.indices.fill_null(len(coded.dictionary))
            return np.asarray(places[codes.to_numpy(zero_copy_only=False)])
        return np.array([self.place(value) for value in column.tolist()], dtype=np.intp)

    def place(self, name: Any) -> int:
        """Number of a reviewer; a new one gets the next."""
        found = self._places.get(name)
        if found is None:
            found = NOBODY if is_missing_value(name) else self._place_of_key(name)
            self._places[name] = found
        return found

    def _place_of_key(self, name: Any) -> int:
        place = self._keys.setdefault(reviewer_key(name), len(self._keys))
        if place == len(self._spellings):
            self._spellings.append([])
        self._spellings[place].append(name)
        return place

    @property
    def names(self) -> tuple[Any, ...]:
        """Reviewers by their number."""
        return tuple(written(spellings) for spellings in self._spellings)

    @property
    def keys(self) -> KeyArray:
        """Key of each reviewer, by number."""
        if len(self._hashes) < len(self._keys):
            new = list(self._keys)[len(self._hashes) :]
            self._hashes = np.concatenate([self._hashes, reviewer_keys(new)])
        return self._hashes
