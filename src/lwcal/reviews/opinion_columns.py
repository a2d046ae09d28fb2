"""Columns of a table of opinions: wide, with a column for each, or long, with a row for each."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.errors import ParameterError, message
from lwcal.reviews.name_keys import reviewer_key


class OpinionColumns(NamedTuple):
    """Columns of a source of opinions.

    Attributes
    ----------
    scores : tuple of str
        One column, or one for each class.
    classes : tuple or None
        The class of each column of scores, if there are several.
    labels : tuple of str
        One column, or one for each opinion of a row.
    reviewers : tuple of str
        Columns that say who gave each label; none if each column of labels is a reviewer.
    item, trusted, weight, id : str or None
    """

    scores: tuple[str, ...]
    classes: tuple[Any, ...] | None
    labels: tuple[str, ...]
    reviewers: tuple[str, ...]
    item: str | None = None
    trusted: str | None = None
    weight: str | None = None
    id: str | None = None

    @property
    def answers(self) -> tuple[str, ...]:
        """Columns that hold classes."""
        return (*self.labels, *_given(self.trusted))

    @property
    def used(self) -> list[str]:
        """All columns."""
        others = _given(self.item, self.weight, self.id)
        return [*self.scores, *self.answers, *self.reviewers, *others]

    @property
    def known_reviewers(self) -> tuple[str, ...]:
        """The reviewers, if each column of labels is one; otherwise none."""
        return () if self.reviewers else self.labels

    def checked(self) -> OpinionColumns:
        """Refuse one column in two roles, and reviewers who cannot be told apart.

        >>> OpinionColumns(("p",), None, ("p",), ()).checked()
        Traceback (most recent call last):
        lwcal.errors.ParameterError: expected a different column in each role, got 'p' twice.
        """
        twice = [name for name in self.used if self.used.count(name) > 1]
        if twice:
            raise ParameterError(message("a different column in each role", f"{twice[0]!r} twice"))
        keys = [reviewer_key(name) for name in self.known_reviewers]
        if len(set(keys)) < len(keys):
            got = f"the columns {', '.join(map(repr, self.known_reviewers))}"
            raise ParameterError(message("reviewers that differ by more than blanks", got))
        return self


def _given(*names: str | None) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)
