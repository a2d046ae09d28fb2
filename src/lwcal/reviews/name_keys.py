"""Which names are the same reviewer or item: names are text, and text that differs differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lwcal.arrays import KeyArray
from lwcal.numerics.row_keys import text_keys
from lwcal.rows.classes import class_key

TWO_ANSWERS = (
    "if two people share the name, give each a name of their own; if one person has changed the "
    "label, keep the last one"
)
"""What to do about two labels of one reviewer for an item."""


def item_key(value: Any) -> str:
    """Text of an item. The numbers 7 and 7.0 are the same one; the texts 7, 07 and 7.0 are not.

    >>> [item_key(value) for value in (7, 7.0, "7", "07", "7.0", " 7", 0.5, True)]
    ['7', '7', '7', '07', '7.0', ' 7', '0.5', 'True']
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def reviewer_key(value: Any) -> str:
    """Text of a reviewer's name, without the blanks around it.

    >>> [reviewer_key(value) for value in (" Ann ", "ann", "007", 7.0)]
    ['Ann', 'ann', '007', '7']
    """
    return item_key(value).strip()


def reviewer_keys(names: Iterable[Any]) -> KeyArray:
    """Keys of reviewers, which draw a sample of rows."""
    return text_keys(map(reviewer_key, names))


def written(spellings: Iterable[Any]) -> Any:
    """A reviewer's name as it is written, whichever spelling was met first.

    >>> written([" Ann ", "Ann"]), written([7.0, 7])
    ('Ann', 7)
    """
    plain = [value.strip() if isinstance(value, str) else value for value in spellings]
    return min(plain, key=lambda value: (str(value), type(value).__name__))


def in_order_of_names(names: Iterable[Any]) -> list[Any]:
    """Names in sorted order: numbers by size, anything else as text.

    >>> in_order_of_names([10, 2]), in_order_of_names(["b", 10, "a"])
    ([2, 10], [10, 'a', 'b'])
    """
    listed = list(names)
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=str)


def common_names(names: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Reviewers of several parts: as they are if all parts have the same, else sorted.

    >>> common_names([("b", "a"), ("b", "a")]), common_names([("b", "a"), ("c",)])
    (('b', 'a'), ('a', 'b', 'c'))
    """
    keys = {tuple(map(reviewer_key, some)) for some in names}
    spellings: dict[str, list[Any]] = {}
    for name in (name for some in names for name in some):
        spellings.setdefault(reviewer_key(name), []).append(name)
    spelled = {key: written(values) for key, values in spellings.items()}
    if len(keys) == 1:
        return tuple(spelled[key] for key in next(iter(keys)))
    return tuple(in_order_of_names(list(spelled.values())))


def alike(names: Sequence[Any]) -> list[str]:
    """Notes on reviewers whose names differ only in case or in how a number is written.

    >>> alike(["Ann", "Bob", "ann", "7", "007"])
    ["reviewers 'Ann' and 'ann' are counted as two", "reviewers '7' and '007' are counted as two"]
    """
    together: dict[str, list[Any]] = {}
    for name in names:
        together.setdefault(class_key(name), []).append(name)
    counted = {2: "two", 3: "three"}
    return [
        f"reviewers {', '.join(map(repr, some[:-1]))} and {some[-1]!r} are counted as "
        f"{counted.get(len(some), len(some))}"
        for some in together.values()
        if len(some) > 1
    ]
