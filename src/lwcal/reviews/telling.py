"""Reviewers whose labels judge a map best.

A label by somebody who guesses, or always says the same, tells nothing; with one in which no means
yes, all labels together may. Losses are corrected for the average noise of the labels, so such
labels only make them less certain.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.single_labels import shared_weights
from lwcal.reviews.summary import ReviewSummary


class Telling(NamedTuple):
    """The reviewers whose labels say most together.

    Attributes
    ----------
    names : tuple
        All reviewers of a summary. Beyond the named ones, they are the last group.
    chosen : bool array
        Whether each of them is one of those.
    """

    names: tuple[Any, ...]
    chosen: BoolArray

    @classmethod
    def of(cls, summary: ReviewSummary) -> Self:
        """Choose among the reviewers of a summary."""
        contrasts = np.array([one.contrast.value for one in summary.reviewers])
        labels = np.array([one.labels for one in summary.reviewers])
        names = tuple(one.name for one in summary.reviewers)
        return cls(names, most_telling(contrasts, labels))

    def opinions(self, rows: OpinionRows) -> OpinionRows:
        """All rows, with the opinions of the chosen reviewers."""
        return rows.only(self.chosen[self._places(rows)])

    def weights(self, rows: OpinionRows) -> FloatArray:
        """Weight of each reviewer in the single labels that these opinions are."""
        chosen = self.opinions(rows)
        places = self._places(rows)[chosen.reviewers]
        given = np.bincount(places, shared_weights(chosen), minlength=len(self.names))
        return np.asarray(given, dtype=np.float64)

    def _places(self, rows: OpinionRows) -> IndexArray:
        place = {name: number for number, name in enumerate(self.names)}
        return np.array([place.get(name, len(place) - 1) for name in rows.names], dtype=np.intp)


def most_telling(contrasts: FloatArray, labels: FloatArray) -> BoolArray:
    """Choose the reviewers by whose labels a corrected loss has the smallest standard error.

    That error falls with the root of the number of labels, and with their average contrast. Without
    a positive contrast, everybody is chosen.

    >>> most_telling(np.array([0.8, 0.7, 0.1, -0.9]), np.full(4, 100.0))
    array([ True,  True, False, False])
    """
    order = np.argsort(-contrasts, kind="stable")
    given = np.cumsum(labels[order])
    together = np.cumsum(contrasts[order] * labels[order]) / np.sqrt(np.maximum(given, 1.0))
    best = int(together.argmax())
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order[: best + 1] if together[best] > 0.0 else order] = True
    return chosen
