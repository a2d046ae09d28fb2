"""How the page offers the classes: as buttons with keys, or as a list that is searched."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise

TWO = ("no", "yes")
"""What the browser calls the negative and the positive of two classes."""
SKIPPED = "skip"
"""What it calls a row that is not answered."""
YES = ("1", "true", "y", "t")
"""Names of the positive class that mean no more than yes: the buttons then say so."""
KEYS = ("y", "n", "1", "0")
"""Keys that answer with one of two classes, unless they would be misleading."""
DIGITS = "1234567890"
"""Keys of more classes, in the order of the buttons."""
TAKEN = ("s", "u")
"""Keys that skip and undo."""
MOST_BUTTONS = len(DIGITS)
"""More classes are searched in a list."""


class Choice(NamedTuple):
    """A class, and what the browser calls the answer that names it."""

    answer: str
    name: str


class Button(NamedTuple):
    """A button for a class: the answer, its name, what it means, and its key."""

    answer: str
    name: str
    meaning: str
    key: str


def answers_of(names: ClassNames) -> dict[str, int | None]:
    """Return the number of the class that each answer of the browser stands for.

    >>> answers_of(ClassNames(("good", "bad")))
    {'no': 0, 'yes': 1, 'skip': None}
    >>> answers_of(ClassNames(("cat", "dog", "owl")))
    {'class-0': 0, 'class-1': 1, 'class-2': 2, 'skip': None}
    """
    return {**{_answer(names, code): code for code in range(len(names.names))}, SKIPPED: None}


def key_answers(names: ClassNames) -> dict[str, str]:
    """Return the answer that each key gives; none for classes that are searched in a list."""
    return {key: _answer(names, code) for key, code in _keys(names).items()}


def buttons(names: ClassNames) -> list[Button]:
    """Return a button for each class, by name; none for classes that are searched in a list.

    >>> [(button.name, button.key) for button in buttons(ClassNames(("cat", "dog", "ant")))]
    [('ant', '1'), ('cat', '2'), ('dog', '3')]
    """
    keys = _keys(names)
    if not keys:
        return []
    is_yes = len(names.names) == 2 and normalise(names.positive) in YES
    return [
        Button(
            _answer(names, code),
            names.name(code),
            TWO[code] if is_yes else "",
            next(key for key, meant in keys.items() if meant == code),
        )
        for code in button_order(names)
    ]


def listed_classes(names: ClassNames) -> list[Choice]:
    """Return the classes that are searched in a list; none if they have buttons."""
    if len(names.names) <= MOST_BUTTONS:
        return []
    return [Choice(_answer(names, code), names.name(code)) for code in button_order(names)]


def button_order(names: ClassNames) -> list[int]:
    """Return the classes in the order of their buttons: by name, whichever is positive.

    Numbers are ordered by their size.

    >>> button_order(ClassNames(("good", "bad"))), button_order(ClassNames(("bad", "good")))
    ([1, 0], [0, 1])
    >>> button_order(ClassNames(("10", "9", "-1")))
    [2, 1, 0]
    """
    spelled = [normalise(name) for name in names.names]
    try:
        sizes = [float(name) for name in spelled]
    except ValueError:
        sizes = [0.0] * len(spelled)
    return sorted(range(len(spelled)), key=lambda code: (sizes[code], spelled[code]))


def _answer(names: ClassNames, code: int) -> str:
    return TWO[code] if len(names.names) == 2 else f"class-{code}"


def _keys(names: ClassNames) -> dict[str, int]:
    """Return the class that each key stands for; a name of one character is a key too."""
    if len(names.names) > MOST_BUTTONS:
        return {}
    return _keys_of_two(names) if len(names.names) == 2 else _keys_of_more(names)


def _keys_of_two(names: ClassNames) -> dict[str, int]:
    """Return keys for yes and no. One with which the name of the other class begins is left out."""
    spelled = [normalise(name) for name in names.names]
    found = {}
    for key in (*KEYS, *(name for name in spelled if len(name) == 1 and name not in TAKEN)):
        with suppress(KeyError):  # ambiguous: 0 is no key for the classes -1 and 1
            label = names.parse(key)
            if label is not None and not spelled[1 - label].startswith(key):
                found[key] = label
    return found


def _keys_of_more(names: ClassNames) -> dict[str, int]:
    """Return names of one character, and digits for the other classes, in their order."""
    spelled = [normalise(name) for name in names.names]
    own = {name: code for code, name in enumerate(spelled) if len(name) == 1 and name not in TAKEN}
    others = [code for code in button_order(names) if code not in own.values()]
    free = [digit for digit in DIGITS if digit not in own]
    return {**own, **dict(zip(free, others, strict=False))}
