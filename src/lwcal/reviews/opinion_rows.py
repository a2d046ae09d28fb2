"""Rows with the opinions of several reviewers, checked, and pooled where they are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray, IndexArray, KeyArray
from lwcal.noise.logit_counts import BINS_PER_LOGIT, EXACT_SCORES, soft_logit, softness
from lwcal.numerics.row_keys import row_keys, sample_keys

MOST_RATES = 1000
"""Reviewers times classes at most. Reviewers with fewer labels than the others form one group."""
OTHERS = "others"
"""Name of that group."""
UNKNOWN = -1
"""In place of the true class of a row that nobody checked."""


@dataclass(frozen=True, eq=False)
class OpinionRows:
    """Scores, and who said what about them.

    Attributes
    ----------
    scores : float64 array of shape (n, K)
        Probabilities; every row sums to 1.
    weights : float64 array of shape (n,)
    truths : integer array of shape (n,)
        Column of the true class of checked rows; -1 for others.
    rows, reviewers, labels : integer arrays of shape (m,)
        Of each opinion: its row, the number of the reviewer, and the column of the label. They
        are sorted by row.
    classes : tuple
        Class of each column.
    names : tuple
        The reviewers.
    """

    scores: FloatArray
    weights: FloatArray
    truths: IndexArray
    rows: IndexArray
    reviewers: IndexArray
    labels: IndexArray
    classes: tuple[Any, ...]
    names: tuple[Any, ...]

    @property
    def n(self) -> float:
        """Total weight."""
        return float(self.weights.sum())

    @property
    def n_classes(self) -> int:
        """Number of columns of the scores."""
        return int(self.scores.shape[1])

    @property
    def opinions(self) -> IndexArray:
        """Number of opinions of each row."""
        return np.bincount(self.rows, minlength=len(self.weights))

    @property
    def several(self) -> float:
        """Weight of the rows with several opinions."""
        return float(self.weights[self.opinions > 1].sum())

    @property
    def labels_given(self) -> FloatArray:
        """Weight of the labels of each reviewer."""
        given = np.bincount(self.reviewers, self.weights[self.rows], minlength=len(self.names))
        return np.asarray(given, dtype=np.float64)

    @property
    def is_checked(self) -> BoolArray:
        """Whether the true class of each row is known."""
        return np.asarray(self.truths != UNKNOWN)

    @property
    def is_outside_evidence(self) -> BoolArray:
        """Rows that show noise without any curve: with several opinions, or a known truth."""
        counts = self.opinions
        return np.asarray((counts > 1) | (self.is_checked & (counts > 0)))

    @property
    def tells(self) -> BoolArray:
        """Rows that are sampled apart from others: with several opinions, or a known truth."""
        return np.asarray((self.opinions > 1) | self.is_checked)

    @property
    def contradicted(self) -> BoolArray:
        """Whether two opinions on each row differ."""
        lowest = np.full(len(self.weights), self.n_classes)
        highest = np.full(len(self.weights), -1)
        np.minimum.at(lowest, self.rows, self.labels)
        np.maximum.at(highest, self.rows, self.labels)
        return np.asarray(lowest < highest)

    def part(self, which: IndexArray | BoolArray) -> OpinionRows:
        """Some of the rows, in their order."""
        kept = np.flatnonzero(which) if np.asarray(which).dtype == np.bool_ else np.asarray(which)
        place = np.full(len(self.weights), -1, dtype=np.intp)
        place[kept] = np.arange(len(kept))
        of_kept = np.flatnonzero(place[self.rows] >= 0)
        rows = place[self.rows[of_kept]]
        if (np.diff(kept) < 0).any():
            order = np.argsort(rows, kind="stable")
            of_kept, rows = of_kept[order], rows[order]
        return replace(
            self,
            scores=self.scores[kept],
            weights=self.weights[kept],
            truths=self.truths[kept],
            rows=rows,
            reviewers=self.reviewers[of_kept],
            labels=self.labels[of_kept],
        )

    def only(self, reviewers: BoolArray) -> OpinionRows:
        """All rows, with the opinions of some reviewers."""
        kept = reviewers[self.reviewers]
        return replace(
            self,
            rows=self.rows[kept],
            reviewers=self.reviewers[kept],
            labels=self.labels[kept],
        )

    def anonymous(self) -> OpinionRows:
        """The same opinions, of reviewers who cannot be told apart."""
        order = np.lexsort((self.labels, self.rows))
        nobody = np.zeros(len(self.rows), dtype=np.intp)
        labels = self.labels[order]
        return replace(self, reviewers=nobody, labels=labels, names=("any",)).pooled()

    def grouped(self, most: int) -> OpinionRows:
        """The same opinions, with names for the busiest reviewers only.

        All others are one group, the last. Nothing changes if there are few enough reviewers.
        """
        if len(self.names) <= most:
            return self
        busiest = np.argsort(-np.bincount(self.reviewers, minlength=len(self.names)), kind="stable")
        place = np.full(len(self.names), most - 1, dtype=np.intp)
        place[busiest[: most - 1]] = np.arange(most - 1)
        names = (*(self.names[number] for number in busiest[: most - 1]), OTHERS)
        return replace(self, reviewers=place[self.reviewers], names=names)

    def distinct(self) -> OpinionRows:
        """Equal rows as one, in an order that their values decide; none is without weight.

        So rows that an engine has counted are the same as those that it has read.
        """
        kept = np.flatnonzero(self.weights > 0.0)
        patterns, keys = self._patterns()[kept], row_keys(self.scores)[kept]
        order = np.lexsort((self.weights[kept], patterns, self.truths[kept], keys))
        ordered = self.part(kept[order])
        columns = (patterns[order], ordered.truths, *ordered.scores.T)
        starts = starts_of_others(columns, len(order))
        weights = np.add.reduceat(ordered.weights, starts) if len(starts) else ordered.weights
        return replace(ordered.part(starts), weights=weights)

    def pooled(self) -> OpinionRows:
        """Rows with the same opinions and scores as one, in an order that their values decide.

        Many scores of two classes are pooled on a grid of log-odds that is finer than a smooth
        model can see, as in :func:`lwcal.noise.logit_counts.pool_by_logit`. Rows without weight
        are left out.
        """
        keys = self.weights, self._patterns(), self.truths, row_keys(self.scores)
        order = np.lexsort(keys)
        return self.part(order[self.weights[order] > 0.0])._pooled()

    def _pooled(self) -> OpinionRows:
        """As :meth:`pooled`, of rows in their order, so that sums have the same bits."""
        places, scores = self._places()
        patterns = self._patterns()
        order = np.lexsort((patterns, self.truths, places))
        columns = (places[order], self.truths[order], patterns[order])
        starts = starts_of_others(columns, len(order))
        weights = np.add.reduceat(self.weights[order], starts)
        first = self.part(order[starts])
        return replace(first, scores=scores[places[order[starts]]], weights=weights)

    def sample(self, most: int) -> OpinionRows:
        """At most so many rows that are outside evidence, and as many others.

        The values of a row decide whether it is drawn.
        """
        if len(self.weights) <= most:
            return self
        keys = sample_keys(self.scores, self._patterns())
        kept = np.zeros(len(keys), dtype=np.bool_)
        for group in (self.is_outside_evidence, ~self.is_outside_evidence):
            of_group = np.flatnonzero(group)
            if len(of_group) > most:
                limit = np.partition(keys[of_group], most - 1)[most - 1]
                of_group = of_group[keys[of_group] <= limit]
            kept[of_group] = True
        return self.part(kept)

    def _patterns(self) -> KeyArray:
        """A number for each row that only its opinions decide."""
        keys = np.zeros(len(self.weights), dtype=np.uint64)
        said = row_keys(np.stack([self.reviewers, self.labels], axis=1).astype(np.float64) + 1.0)
        np.add.at(keys, self.rows, said)  # whole numbers, so the order does not matter
        return keys

    def _places(self) -> tuple[IndexArray, FloatArray]:
        """Number of the scores of each row, and scores by number."""
        if self.n_classes > 2:
            distinct, places = np.unique(self.scores, axis=0, return_inverse=True)
            return places.ravel(), distinct
        positive = self.scores[:, 1]
        distinct, places = np.unique(positive, return_inverse=True)
        if len(distinct) > EXACT_SCORES:
            z = soft_logit(positive, min(softness(self.n), 0.5))
            _, places = np.unique(np.floor(z * BINS_PER_LOGIT), return_inverse=True)
            total = np.bincount(places, self.weights)
            distinct = np.bincount(places, self.weights * positive) / total
        return places, np.stack([1.0 - distinct, distinct], axis=1)


def stacked(parts: Sequence[OpinionRows]) -> OpinionRows:
    """Rows of several parts; classes and names are those of the first."""
    sizes = [len(part.weights) for part in parts]
    begins = np.cumsum([0, *sizes[:-1]])
    rows = [part.rows + begin for part, begin in zip(parts, begins.tolist(), strict=True)]

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return replace(
        parts[0],
        scores=joined("scores"),
        weights=joined("weights"),
        truths=joined("truths"),
        rows=np.concatenate(rows),
        reviewers=joined("reviewers"),
        labels=joined("labels"),
    )


def starts_of_others(columns: Sequence[npt.NDArray[Any]], n: int) -> IndexArray:
    """Places at which any of the columns differs from the place before."""
    differs = np.ones(n, dtype=np.bool_)
    differs[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(differs)
