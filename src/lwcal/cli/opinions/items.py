"""Rows of a long file that are about the same item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, IndexArray
from lwcal.errors import InputError, message
from lwcal.reviews.conflicts import Conflicts, Differing, Twice
from lwcal.reviews.name_keys import reviewer_key
from lwcal.rows import is_missing
from lwcal.rows.classes import class_key
from lwcal.rows.values import as_objects


class Items(NamedTuple):
    """Which rows belong together.

    Attributes
    ----------
    column : str
        Column that names the items.
    names : object array of shape (n,)
        The items, in the order in which they first occur.
    numbers : integer array of shape (m,)
        Number of the item of each row.
    first_rows : integer array of shape (n,)
        First row of each item.
    """

    column: str
    names: npt.NDArray[Any]
    numbers: IndexArray
    first_rows: IndexArray

    def refuse_differing(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Refuse columns whose values differ between rows of one item."""
        for name, values in columns.items():
            self._refuse(values != values[self.first_rows][self.numbers], values, name)

    def only_value(self, values: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        """The value of each item, where some rows have it; refuse items with two values.

        Values are labels: 1 and 1.0 are the same one.
        """
        found = as_objects([None] * len(self.names))
        given = np.flatnonzero(~is_missing(values))
        for row in reversed(given.tolist()):  # so that the first one stays
            found[self.numbers[row]] = values[row]
        of_item = found[self.numbers]
        differs = np.zeros(len(values), dtype=np.bool_)
        differs[given] = [class_key(values[k]) != class_key(of_item[k]) for k in given]
        self._refuse(differs, values, name, of_item)
        return found

    def refuse_two_of_one(self, reviewers: npt.NDArray[Any], labels: npt.NDArray[Any]) -> None:
        """Refuse a second label of a reviewer for the same item."""
        given = np.flatnonzero(~is_missing(labels))
        met: set[tuple[int, str]] = set()
        twice = []
        for row in given.tolist():
            key = int(self.numbers[row]), reviewer_key(reviewers[row])
            if key in met:
                twice.append(row)
            met.add(key)
        if twice:
            first = twice[0]
            item = self.names[self.numbers[first]]
            conflicts = Conflicts(self.column, len(self.names))
            conflicts.repeat(Twice(len(twice), reviewers[first], item, first))
            conflicts.refuse([])

    def _refuse(
        self,
        differs: BoolArray,
        values: npt.NDArray[Any],
        name: str,
        of_item: npt.NDArray[Any] | None = None,
    ) -> None:
        rows = np.flatnonzero(differs)
        if not len(rows):
            return
        first, item = rows[0], self.numbers[rows[0]]
        other = values[self.first_rows[item]] if of_item is None else of_item[first]
        items = len(np.unique(self.numbers[rows]))
        conflicts = Conflicts(self.column, len(self.names))
        conflicts.differ(
            name,
            Differing(items, self.names[item], _plain(other), _plain(values[first]), int(first)),
        )
        conflicts.refuse([name])


def group_items(values: npt.NDArray[Any], column: str) -> Items:
    """Find the rows of each item; refuse rows without one.

    >>> found = group_items(np.array(["b", "a", "b"], dtype=object), "id")
    >>> found.names.tolist(), found.numbers.tolist(), found.first_rows.tolist()
    (['b', 'a'], [0, 1, 0], [0, 1])
    """
    missing = np.flatnonzero(is_missing(values))
    if len(missing):
        got = f"{len(missing):,} of {len(values):,} without, the first in row {missing[0]}"
        raise InputError(message(f"an item in every row of column {column!r}", got))
    place: dict[Any, int] = {}
    numbers = np.array([place.setdefault(value, len(place)) for value in values], dtype=np.intp)
    _, first_rows = np.unique(numbers, return_index=True)
    return Items(column, as_objects(list(place)), numbers, first_rows)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
