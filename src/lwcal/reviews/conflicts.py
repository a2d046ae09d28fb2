"""Answers about one item that contradict each other where they must not, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lwcal.errors import InputError, message
from lwcal.reviews.name_keys import TWO_ANSWERS


@dataclass
class Conflicts:
    """Items of a long table whose rows do not fit together.

    Attributes
    ----------
    column : str
        Column that names the items; "" in a wide table.
    items : int
        Number of all items.
    differing : dict of str to Differing
        Columns that must have one value for each item, and have several.
    twice : Twice or None
        Further labels of a reviewer for the same item.
    """

    column: str
    items: int = 0
    differing: dict[str, Differing] = field(default_factory=dict)
    twice: Twice | None = None

    def differ(self, name: str, found: Differing) -> None:
        """Count items with several values in a column."""
        known = self.differing.setdefault(name, found)
        if known is not found:
            known.merge(found)

    def repeat(self, found: Twice) -> None:
        """Count labels of reviewers who had given one before."""
        if self.twice is None:
            self.twice = found
        else:
            self.twice.merge(found)

    def refuse(self, names: list[str]) -> None:
        """Raise an error if there is a conflict; columns are looked at in this order."""
        for name in names:
            if name in self.differing:
                found = self.differing[name]
                expected = f"one value in column {name!r} for each item of column {self.column!r}"
                got = f"several for {found.items:,} of {self.items:,} items, {found.example}"
                raise InputError(message(expected, got))
        if self.twice is not None:
            got = f"{self.twice.count:,} more, {self.twice.example}"
            raise InputError(message("one label of each reviewer for an item", got, TWO_ANSWERS))


@dataclass
class Differing:
    """Items with several values in one column.

    Attributes
    ----------
    items : int
    item, one, other : object
        The first of them, with two of its values.
    row : int or None
        Row of the second value; None on a cluster, where rows have no numbers.
    """

    items: int
    item: Any
    one: Any
    other: Any
    row: int | None = None

    @property
    def example(self) -> str:
        """Show the first.

        >>> Differing(1, "a", 0.5, 0.7, 3).example, Differing(1, "a", 0.5, 0.7).example
        ("the first 'a' (0.5, and 0.7 in row 3)", "such as 'a' (0.5, and 0.7)")
        """
        if self.row is None:
            return f"such as {self.item!r} ({self.one!r}, and {self.other!r})"
        return f"the first {self.item!r} ({self.one!r}, and {self.other!r} in row {self.row})"

    def merge(self, more: Differing) -> None:
        """Count more items; the first of all is shown."""
        self.items += more.items
        if self.row is not None and more.row is not None and more.row < self.row:
            self.item, self.one, self.other, self.row = more.item, more.one, more.other, more.row


@dataclass
class Twice:
    """Labels of reviewers who had labelled the item before.

    Attributes
    ----------
    count : int
    reviewer, item : object
        Of the first. The item of a wide table is the row itself, and None here.
    row : int or None
        None on a cluster, where rows have no numbers.
    """

    count: int
    reviewer: Any
    item: Any
    row: int | None = None

    @property
    def example(self) -> str:
        """Show the first.

        >>> Twice(1, "ann", "a", 3).example, Twice(1, "ann", "a").example
        ("the first of 'ann' on 'a' in row 3", "such as of 'ann' on 'a'")
        """
        if self.item is None:
            is_known = self.row is not None
            where = f" on item {self.row}" if is_known else ""
            return f"{'the first' if is_known else 'such as'} of {self.reviewer!r}{where}"
        if self.row is None:
            return f"such as of {self.reviewer!r} on {self.item!r}"
        return f"the first of {self.reviewer!r} on {self.item!r} in row {self.row}"

    def merge(self, more: Twice) -> None:
        """Count more labels; the first of all is shown."""
        self.count += more.count
        if self.row is not None and more.row is not None and more.row < self.row:
            self.reviewer, self.item, self.row = more.reviewer, more.item, more.row
