"""Read the answers that people write into a sheet."""

from __future__ import annotations

from dataclasses import dataclass

from lwcal.audit.cell_text import normalise
from lwcal.audit.sheet import SKIP

COMMON_ANSWERS = (("0", "1"), ("no", "yes"), ("n", "y"), ("false", "true"))
"""Common words for the negative and the positive class."""


@dataclass(frozen=True)
class ClassNames:
    """The names of the two classes in the source.

    Attributes
    ----------
    negative, positive : str
        The labels as the source writes them.
    """

    negative: str
    positive: str

    def parse(self, text: str) -> int | None:
        """Return 0 or 1, or None if the answer is empty or "skip".

        Raise ``KeyError`` if the text is not an answer.

        >>> names = ClassNames("good", "bad")
        >>> names.parse("Bad "), names.parse("no"), names.parse("1"), names.parse("skip")
        (1, 0, 1, None)
        >>> ClassNames("-1", "1").parse("0")
        Traceback (most recent call last):
        KeyError: '0'
        """
        answer = normalise(text)
        return None if answer in ("", SKIP) else self._meanings()[answer]

    def name(self, label: int) -> str:
        """Return the name of a class."""
        return self.positive if label == 1 else self.negative

    def accepted(self) -> str:
        """List all accepted answers, for a message.

        >>> ClassNames("good", "bad").accepted()
        'good/bad, 0/1, no/yes, n/y, false/true or empty'
        """
        pairs = dict.fromkeys(((self.negative, self.positive), *self._unambiguous()))
        return f"{', '.join('/'.join(pair) for pair in pairs)} or empty"

    def _unambiguous(self) -> list[tuple[str, str]]:
        """Return common answers that differ from both names: -1 and 1 rule out 0 and 1."""
        own = {normalise(self.negative), normalise(self.positive)}
        return [pair for pair in COMMON_ANSWERS if not own & set(pair)]

    def _meanings(self) -> dict[str, int]:
        common = {word: label for pair in self._unambiguous() for label, word in enumerate(pair)}
        return {**common, normalise(self.negative): 0, normalise(self.positive): 1}
