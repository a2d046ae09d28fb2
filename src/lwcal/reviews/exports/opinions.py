"""The table of opinions that an export holds, and what was left out of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ITEM, REVIEWER, LABEL, TRUSTED, CREATED = OWN = (
    "item",
    "reviewer",
    "label",
    "trusted",
    "created",
)
"""Columns of the table of opinions."""
Texts = npt.NDArray[np.object_]
"""Texts, and None where there is none."""


class ExportedOpinions(NamedTuple):
    """Opinions from a file of an annotation tool; each row is the opinion of one reviewer.

    An item with a checked label and no opinion has a row too, without reviewer and label.

    Attributes
    ----------
    item, reviewer, label : array of str
        Who says what about which item, in the tool's own words.
    trusted : array of str
        The checked label of the item; None if it has none.
    created : array of str
        Time of the answer, as the tool writes it; None if it does not.
    kept : dict of str to array
        Data of the items, as asked for.
    left_out : dict of str to int
        Number of answers that are not among the opinions, by reason.
    n_answers : int
        All answers of the file. Each is an opinion, a checked label, or left out.
    n_trusted : int
        Answers that are checked labels.
    format : str
        Layout of the file.
    question : str or None
        The question that was answered, if the tool names it.
    notes : tuple of str
        What this layout does not tell.
    """

    item: Texts
    reviewer: Texts
    label: Texts
    trusted: Texts
    created: Texts
    kept: dict[str, Texts]
    left_out: dict[str, int]
    n_answers: int
    n_trusted: int
    format: str
    question: str | None
    notes: tuple[str, ...]

    @property
    def n_opinions(self) -> int:
        """Number of opinions."""
        return sum(label is not None for label in self.label)

    def columns(self) -> dict[str, Texts]:
        """Return the table of opinions by column; what the tool does not tell is not among them."""
        named = {ITEM: self.item, REVIEWER: self.reviewer, LABEL: self.label}
        told = {TRUSTED: self.trusted, CREATED: self.created}
        told = {name: column for name, column in told.items() if any(v is not None for v in column)}
        return {**named, **told, **self.kept}


def listed_counts(left_out: Mapping[str, int]) -> str:
    """List what was left out, by reason.

    >>> listed_counts({"draft": 12, "cancelled": 1}), listed_counts({})
    ('draft 12, cancelled 1', 'nothing')
    """
    return ", ".join(f"{reason} {count:,}" for reason, count in left_out.items()) or "nothing"
