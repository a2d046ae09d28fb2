"""A small summary of the rows that a calibrator was fitted to, for later comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.errors import ArtifactError, message
from lwcal.table import ScoreTable

BINS = 50
"""Bins of equal weight: fine enough that labels hardly change with the score inside of one."""
MOST_BINS = 64
"""What is accepted on reading: a summary, not the data."""
DECISION = 0.5
"""Scores on either side of the decision never share a bin, so that d follows from the bins."""
FIELDS = ("edges", "scores", "negatives", "positives")
CONDENSED = 4096
"""Distinct scores from which a histogram is made: larger tables are pooled to about as many."""


def condensed(table: ScoreTable) -> ScoreTable:
    """Pool neighbouring scores of a large table, without a copy of its columns.

    A fit must not take much longer, or more memory, only because it may be monitored later.

    >>> rng = np.random.default_rng(0)
    >>> table = ScoreTable.from_arrays(rng.random(100_000), rng.integers(0, 2, 100_000))
    >>> len(condensed(table)) <= CONDENSED + 2, condensed(table).n, table.n
    (True, 100000, 100000)
    """
    if len(table) <= CONDENSED:
        return table
    decision = np.searchsorted(table.scores, DECISION, side="left")
    starts = np.append(np.arange(0, len(table), -(-len(table) // CONDENSED)), decision)
    starts = np.unique(starts[starts < len(table)])
    negatives = np.add.reduceat(table.negatives, starts)
    positives = np.add.reduceat(table.positives, starts)
    ends = np.append(starts[1:], len(table))
    pieces = [slice(*ends_of) for ends_of in zip(starts.tolist(), ends.tolist(), strict=True)]
    sums = np.array([_weighted_sum(table, piece) for piece in pieces])
    weight = negatives + positives
    kept = weight > 0
    means = sums[kept] / weight[kept]
    low, high = table.scores[starts][kept], table.scores[ends - 1][kept]
    return ScoreTable._trusted(np.clip(means, low, high), negatives[kept], positives[kept])


def _weighted_sum(table: ScoreTable, piece: slice) -> float:
    scores = table.scores[piece]
    return float(scores @ table.negatives[piece] + scores @ table.positives[piece])


@dataclass(frozen=True, eq=False)
class Reference:
    """Counts of both labels in bins of the score.

    Attributes
    ----------
    edges : float64 array
        Inner edges; a score on an edge belongs to the upper bin.
    scores : float64 array
        Mean score in each bin.
    negatives, positives : float64 arrays
        Weight of the rows in each bin by label.

    Examples
    --------
    >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1])
    >>> Reference.of(table).edges
    array([0.2, 0.5, 0.9])
    """

    edges: FloatArray
    scores: FloatArray
    negatives: FloatArray
    positives: FloatArray

    @classmethod
    def of(cls, table: ScoreTable) -> Reference:
        """Summarise a table; the same table always gives the same bins."""
        kept = table.negatives + table.positives > 0
        scores, negatives, positives = (
            column[kept] for column in (table.scores, table.negatives, table.positives)
        )
        weight = negatives + positives
        starts = _starts(scores, weight)
        ends = np.append(starts[1:], len(scores)) - 1
        means = np.add.reduceat(scores * weight, starts) / np.add.reduceat(weight, starts)
        return cls(
            _edges(scores, starts),
            # rounding must not carry a mean out of its bin
            np.clip(means, scores[starts], scores[ends]),
            np.add.reduceat(negatives, starts),
            np.add.reduceat(positives, starts),
        )

    def table(self) -> ScoreTable:
        """The bins as a table of their mean scores; n, base rate and d are those of the rows."""
        return ScoreTable._trusted(self.scores, self.negatives, self.positives)

    def counts(self, scores: FloatArray, weight: FloatArray) -> FloatArray:
        """Weight of other rows in each bin."""
        bins = np.searchsorted(self.edges, scores, side="right")
        return np.asarray(np.bincount(bins, weight, minlength=len(self.scores)), dtype=np.float64)

    def to_dict(self) -> dict[str, list[float]]:
        """Types that JSON knows."""
        return {name: _numbers(getattr(self, name)) for name in FIELDS}


def reference_from_dict(document: Any) -> Reference:
    """Rebuild a reference, refusing whatever could not have been written by ``to_dict``."""
    if not isinstance(document, dict) or not all(_is_numbers(document.get(f)) for f in FIELDS):
        expected = f"reference to be an object of lists of numbers: {', '.join(FIELDS)}"
        raise ArtifactError(message(expected, f"{type(document).__name__}"))
    found = Reference(*(np.array(document[name], dtype=np.float64) for name in FIELDS))
    _check_sizes(found)
    _check_bins(found)
    return found


def _starts(scores: FloatArray, weight: FloatArray) -> IndexArray:
    """Index of the first score of every bin."""
    below = np.cumsum(weight) - weight
    bins = np.floor(BINS * (below + weight / 2) / weight.sum() + 1e-9) * 2 + (scores >= DECISION)
    return np.flatnonzero(np.diff(bins, prepend=-1.0))


def _edges(scores: FloatArray, starts: IndexArray) -> FloatArray:
    edges = scores[starts[1:]]
    at_decision = (scores[starts[1:] - 1] < DECISION) & (edges >= DECISION)
    return np.where(at_decision, DECISION, edges)


def _numbers(values: FloatArray) -> list[float]:
    return [int(v) if v.is_integer() else v for v in values.tolist()]


def _is_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) and abs(v) < 1e300 for v in values
    )


def _check_sizes(found: Reference) -> None:
    sizes = [len(found.edges) + 1, *(len(getattr(found, name)) for name in FIELDS[1:])]
    if len(set(sizes)) != 1 or not 1 <= sizes[0] <= MOST_BINS:
        raise ArtifactError(
            message(f"a reference of 1 to {MOST_BINS} bins", f"lists for {sizes} bins")
        )


def _check_bins(found: Reference) -> None:
    places = np.empty(2 * len(found.scores) - 1)
    places[::2], places[1::2] = found.scores, found.edges
    # a bin's mean may lie on its lower edge, but not on its upper one
    rises = (np.diff(places) >= 0.0).all() and (found.scores[:-1] < found.edges).all()
    if not (rises and places[0] >= 0.0 and places[-1] <= 1.0):
        raise ArtifactError(message("the reference's bins to increase within [0, 1]", "others"))
    counts = np.stack([found.negatives, found.positives])
    if not ((counts >= 0.0).all() and (counts.sum(axis=0) > 0).all() and counts.any(axis=1).all()):
        raise ArtifactError(
            message("counts of both labels in the reference, and rows in every bin", "others")
        )
