"""What the labels of opinions mean, from all labels of a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.errors import InputError, message
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import lowest_spelling
from lwcal.rows.class_reducer import unknown_label
from lwcal.rows.classes import MISSING, Classes, class_key
from lwcal.rows.fault_kinds import Kind, other_class
from lwcal.rows.frames import shown
from lwcal.rows.scales import AUTO, SeenScores, check_scale
from lwcal.rows.values import Column, as_score_numbers, is_arrow

SEVERAL = "labels"
"""Several columns of labels, as messages call them."""


class LabelCodes(NamedTuple):
    """Classes, and which labels belong to each.

    Attributes
    ----------
    classes : tuple
        Class of each code. Of two classes, the one that nobody named is None.
    code_of : dict of str to int
        Codes by the key of a label.
    unknown : Kind
        What is wrong with other labels.
    """

    classes: tuple[Any, ...]
    code_of: dict[str, int]
    unknown: Kind


class LabelSurvey:
    """Labels of all answers, met batch by batch or counted elsewhere.

    Parameters
    ----------
    names : OpinionColumns
    name : str, optional
        The labels, as messages call them; by default their column.

    Examples
    --------
    >>> survey = LabelSurvey(OpinionColumns(("p",), None, ("ann", "bob"), ()))
    >>> survey.add([np.array(["no", "yes"]), np.array(["yes", None])], np.array([0.1, 0.9]))
    >>> survey.codes().classes
    ('no', 'yes')
    """

    def __init__(self, names: OpinionColumns, name: str | None = None) -> None:
        self._names = names
        only = shown(names.answers[0]) if len(names.answers) == 1 else SEVERAL
        self._name = name or only
        self._met = Classes()
        self._rows = 0
        self._totals: dict[int, list[float]] = {}
        self._seen = SeenScores()
        self.is_truth_value = True
        """Whether all labels are truth values; a class then is one too."""

    def add(self, columns: Sequence[Column], scores: Column | None = None) -> None:
        """Meet a batch: the columns of labels, and scores by which a class may be suggested."""
        self._rows += len(columns[0])
        values = None
        if scores is not None:
            numbers = as_score_numbers(scores)
            self._seen.look_at(numbers)
            values = numbers.values
        for column in columns:
            self.is_truth_value &= _is_boolean(column)
            places = self._met.encode(column, first_row=0)
            if values is None:
                continue
            for place in np.unique(places[places != MISSING]).tolist():
                given = values[(places == place) & np.isfinite(values)]
                self._add_scores(place, float(given.sum()), len(given))

    def count(self, rows: int, labels: Sequence[tuple[Any, int, float | None]]) -> None:
        """Add labels that were counted elsewhere, each with its number and its mean score."""
        self._rows = rows
        self.is_truth_value &= all(isinstance(value, bool) for value, _, _ in labels)
        for value, number, mean in labels:
            place = self._met.add(value, number)
            if place != MISSING and mean is not None:
                self._add_scores(place, mean * number, number)

    def _add_scores(self, place: int, total: float, number: int) -> None:
        found = self._totals.setdefault(place, [0.0, 0.0])
        found[0] += total
        found[1] += number

    def _mean_score(self, place: int) -> float | None:
        total, number = self._totals.get(place, (0.0, 0.0))
        return total / number if number else None

    def scale(self, scale: str) -> str:
        """The scale itself, or the one that all scores tell."""
        check_scale(scale)
        return self._seen.scale(shown(self._names.scores[0])) if scale == AUTO else scale

    def codes(self, pos_label: Any = None) -> LabelCodes:
        """Say which labels belong to each class; refuse to guess.

        Parameters
        ----------
        pos_label : object
            The positive class of two, if it was named.
        """
        met, classes = self._met, self._names.classes
        if not met.counts.any():
            listed = " and ".join(map(shown, self._names.answers))
            raise InputError(message(f"labels in {listed}", f"{self._rows:,} rows without any"))
        if classes is not None:
            keys = {class_key(label): code for code, label in enumerate(classes)}
            return LabelCodes(tuple(classes), keys, unknown_label(classes))
        meaning = met.meaning(pos_label, name=self._name, mean_score=self._mean_score)
        spelled = {place: self._spelled(place) for place in meaning.codes}
        pair = " or ".join(repr(spelled[place]) for place in sorted(spelled))
        found: list[Any] = [None, None]
        for place, code in meaning.codes.items():
            found[code] = spelled[place]
        keys = {met.keys[place]: code for place, code in meaning.codes.items()}
        return LabelCodes(tuple(found), keys, other_class(pair))

    def _spelled(self, place: int) -> Any:
        """A spelling of a class, whichever was met first; whole numbers have no dot."""
        if self.is_truth_value:
            return bool(place)
        spellings = self._met.spellings(place)
        return lowest_spelling(int(value) if _is_whole(value) else value for value in spellings)


def _is_boolean(column: Column) -> bool:
    return str(column.type if is_arrow(column) else column.dtype) == "bool"


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()
