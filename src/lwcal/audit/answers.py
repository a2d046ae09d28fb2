"""Read the answers that people write into a sheet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from lwcal.audit.cell_text import normalise
from lwcal.audit.sheet import SKIP
from lwcal.errors import InputError
from lwcal.rows.values import is_missing_value

COMMON_ANSWERS = (("0", "1"), ("no", "yes"), ("n", "y"), ("false", "true"))
"""Common words for the negative and the positive of two classes."""
MOST_NAMED = 10
"""Classes that a message lists."""


@dataclass(frozen=True)
class ClassNames:
    """The names of the classes in the source.

    Attributes
    ----------
    names : tuple of str
        The labels as the source writes them, by the number of the class. Of two classes, the
        negative one comes first.
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse names that could not be told from each other, or from no answer."""
        for name in self.names:
            if normalise(name) in ("", SKIP) or is_missing_value(name):
                raise InputError(
                    f"A class is called {name!r}, which means in a sheet that there is no answer. "
                    "Give it another name in the data."
                )
        (common, times), *_ = Counter(map(normalise, self.names)).most_common(1)
        if times > 1:
            same = [name for name in self.names if normalise(name) == common]
            raise InputError(
                f"The classes {same[0]!r} and {same[1]!r} are too similar: a spreadsheet may make "
                "them equal. Give one of them another name in the data."
            )

    @property
    def negative(self) -> str:
        """The negative of two classes."""
        return self.names[0]

    @property
    def positive(self) -> str:
        """The positive of two classes."""
        return self.names[1]

    def parse(self, text: str) -> int | None:
        """Return the number of the class, or None if the answer is empty or "skip".

        Raise ``KeyError`` if the text is not an answer.

        >>> names = ClassNames(("good", "bad"))
        >>> names.parse("Bad "), names.parse("no"), names.parse("1"), names.parse("skip")
        (1, 0, 1, None)
        >>> ClassNames(("cat", "dog", "owl")).parse("Owl")
        2
        >>> ClassNames(("-1", "1")).parse("0")
        Traceback (most recent call last):
        KeyError: '0'
        """
        answer = normalise(text)
        return None if answer in ("", SKIP) else self._meanings[answer]

    def name(self, label: int) -> str:
        """Return the name of a class."""
        return self.names[label]

    def accepted(self) -> str:
        """List all accepted answers, for a message.

        >>> ClassNames(("good", "bad")).accepted()
        'good/bad, 0/1, no/yes, n/y, false/true or empty'
        >>> ClassNames(("cat", "dog", "owl")).accepted()
        'one of the classes (cat, dog, owl), or leave the cell empty'
        """
        if len(self.names) == 2:
            pairs = dict.fromkeys((self.names, *self._unambiguous()))
            return f"{', '.join('/'.join(pair) for pair in pairs)} or empty"
        return f"one of the classes ({self.listed()}), or leave the cell empty"

    def listed(self) -> str:
        """Name the first classes.

        >>> ClassNames(tuple("abcdefghijklm")).listed()
        'a, b, c, d, e, f, g, h, i, j, ...'
        """
        return ", ".join([*self.names[:MOST_NAMED], *["..."] * (len(self.names) > MOST_NAMED)])

    def _unambiguous(self) -> list[tuple[str, str]]:
        """Return common answers that differ from all names: -1 and 1 rule out 0 and 1.

        More than two classes have none: nobody knows which of them is "yes".
        """
        if len(self.names) != 2:
            return []
        own = set(map(normalise, self.names))
        return [pair for pair in COMMON_ANSWERS if not own & set(pair)]

    @cached_property
    def _meanings(self) -> dict[str, int]:
        common = {word: label for pair in self._unambiguous() for label, word in enumerate(pair)}
        return common | {normalise(name): label for label, name in enumerate(self.names)}
