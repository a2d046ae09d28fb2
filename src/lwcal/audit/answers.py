"""What people write for a label, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from lwcal.audit.cells import spell
from lwcal.audit.sheet import SKIP

PAIRS = (("0", "1"), ("no", "yes"), ("n", "y"), ("false", "true"))
"""Words for the negative and the positive class that everybody understands."""


@dataclass(frozen=True)
class Words:
    """The two classes as the source spells them.

    Attributes
    ----------
    negative, positive : str
        The labels themselves.
    """

    negative: str
    positive: str

    def meaning(self, text: str) -> int | None:
        """Read an answer: 0 or 1; None when it was left open.

        Raises ``KeyError`` when it is no answer.

        >>> words = Words("good", "bad")
        >>> words.meaning("Bad "), words.meaning("no"), words.meaning("1"), words.meaning("skip")
        (1, 0, 1, None)
        >>> Words("-1", "1").meaning("0")
        Traceback (most recent call last):
        KeyError: '0'
        """
        spelled = spell(text)
        return None if spelled in ("", SKIP) else self._known()[spelled]

    def word(self, label: int) -> str:
        """Spell a class as the source does."""
        return self.positive if label == 1 else self.negative

    def accepted(self) -> str:
        """All answers, for a message.

        >>> Words("good", "bad").accepted()
        'good/bad, 0/1, no/yes, n/y, false/true, or nothing'
        """
        pairs = dict.fromkeys(((self.negative, self.positive), *self._pairs()))
        return f"{', '.join('/'.join(pair) for pair in pairs)}, or nothing"

    def _pairs(self) -> list[tuple[str, str]]:
        """Pairs that cannot be mistaken: 0 is no answer where the labels are -1 and 1."""
        own = {spell(self.negative), spell(self.positive)}
        return [pair for pair in PAIRS if not own & set(pair)]

    def _known(self) -> dict[str, int]:
        known = {word: code for pair in self._pairs() for code, word in enumerate(pair)}
        return {**known, spell(self.negative): 0, spell(self.positive): 1}
