"""The histogram of the rows of a fit, kept so that drift can be noticed later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray, IndexArray
from lwcal.errors import ArtifactError, message
from lwcal.rows.fault_kinds import HEAVIEST

if TYPE_CHECKING:
    from lwcal.table import ScoreTable  # a saved reference is read without tables

BINS = 50
"""Bins of equal weight. The share of positive labels hardly changes within one of them."""
MOST_BINS = 64
"""The largest number of bins that a file may hold: a reference is a summary, not the data."""
DECISION = 0.5
"""No bin crosses this score, so the bins give the exact disagreement at this threshold."""
STEADY = 20.0
"""Rows on each side of a bin by which it is judged for how many its labels count."""
FIELDS = ("edges", "scores", "negatives", "positives")
KEPT = 1 << 17
"""A table with more distinct scores is condensed before a calibrator keeps it."""
CONDENSED = 4096
"""Number of pieces of a condensed table, or one more."""


def condensed(table: ScoreTable, *, kept: int = KEPT, pieces: int = CONDENSED) -> ScoreTable:
    """Pool neighbouring scores of a table with more than ``kept`` of them to so many pieces.

    A fitted calibrator keeps the result until somebody asks for its reference. A fit does not
    pay for a histogram that nobody needs.

    Examples
    --------
    >>> from lwcal import ScoreTable
    >>> rng = np.random.default_rng(0)
    >>> table = ScoreTable.from_arrays(rng.random(200_000), rng.integers(0, 2, 200_000))
    >>> len(condensed(table)) <= CONDENSED + 2, condensed(table).n, table.n
    (True, 200000, 200000)
    """
    if len(table) <= kept:
        return table
    starts = _piece_starts(table.scores, -(-len(table) // pieces))
    ends = np.append(starts[1:], len(table)) - 1
    negatives, positives, sums = kernels.block_sums(*table.columns, starts)
    weight = negatives + positives
    kept = weight > 0
    low, high = table.scores[starts][kept], table.scores[ends][kept]
    # rounding must not move a mean out of its piece
    means = np.clip(sums[kept] / weight[kept], low, high)
    counts = negatives[kept], positives[kept]
    return table.unchecked(means, *counts, scale=table.scale)


def _piece_starts(scores: FloatArray, size: int) -> IndexArray:
    """Cut the scores into pieces of one size, and once more at the decision."""
    starts = np.arange(0, len(scores), size)
    decision = int(np.searchsorted(scores, DECISION, side="left"))
    if decision % size == 0 or decision == len(scores):
        return starts
    return np.insert(starts, decision // size + 1, decision)


@dataclass(frozen=True, eq=False)
class Reference:
    """Counts of both labels in bins of the score.

    Attributes
    ----------
    edges : float64 array
        Inner edges of the bins. A score on an edge belongs to the upper bin.
    scores : float64 array
        Mean score in each bin.
    negatives, positives : float64 arrays
        Weight of the rows in each bin, by label.
    seen : tuple of float, optional
        Weight of the negative and of the positive rows of the fit, if they stand for others: those
        before sampling, as often as they were. None: they are these rows.

    Examples
    --------
    >>> from lwcal import ScoreTable
    >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1])
    >>> Reference.of(table).edges
    array([0.2, 0.5, 0.9])
    """

    edges: FloatArray
    scores: FloatArray
    negatives: FloatArray
    positives: FloatArray
    seen: tuple[float, float] | None = None

    @classmethod
    def of(cls, table: ScoreTable, *, bins: int = BINS) -> Reference:
        """Summarise a table. Equal tables give equal bins."""
        kept = table.negatives + table.positives > 0
        scores, negatives, positives = (
            column[kept] for column in (table.scores, table.negatives, table.positives)
        )
        weight = negatives + positives
        starts = _starts(scores, weight, bins)
        ends = np.append(starts[1:], len(scores)) - 1
        means = np.add.reduceat(scores * weight, starts) / np.add.reduceat(weight, starts)
        return cls(
            _edges(scores, starts),
            # rounding must not move a mean out of its bin
            np.clip(means, scores[starts], scores[ends]),
            np.add.reduceat(negatives, starts),
            np.add.reduceat(positives, starts),
        )

    def is_of(self, table: ScoreTable) -> bool:
        """Whether these are the bins of this table: then it probably holds the rows of the fit.

        >>> from lwcal import ScoreTable
        >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1])
        >>> Reference.of(table).is_of(table), Reference.of(table).is_of(table + table)
        (True, False)
        """
        other = Reference.of(condensed(table))
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in FIELDS)

    def table(self) -> ScoreTable:
        """Return the bins as a table of mean scores.

        Its n, base rate and disagreement at one half equal those of the rows.
        """
        from lwcal.table import ScoreTable

        return ScoreTable.unchecked(self.scores, self.negatives, self.positives)

    def informative_labels(self) -> tuple[FloatArray, FloatArray]:
        """Counts of labels that are positive as often, and as uncertain as the rows that were seen.

        Where each negative stands for fifty, chance in the few positives matters as before, and
        scaling all rows to the number that was seen would leave a fiftieth of them.

        >>> a, b = np.array([1200.0]), np.array([24.0])
        >>> found = Reference(np.array([]), np.array([0.1]), a, b, seen=(1200.0, 600.0))
        >>> negatives, positives = found.informative_labels()
        >>> (positives / negatives).round(3), (1 / negatives + 1 / positives).round(6)
        (array([0.02]), array([0.0025]))
        >>> round(1 / 1200 + 1 / 600, 6)
        0.0025
        """
        if self.seen is None:
            return self.negatives, self.positives
        negative, positive = self._stand_for()
        weight = self.negatives + self.positives
        rows = self.negatives / negative + self.positives / positive
        # of few rows, the labels of a bin alone would say how much they count for
        bins = int(STEADY * len(rows) / rows.sum())
        weight, rows = _sums_around(weight, bins), _sums_around(rows, bins)
        more = weight / (negative * positive * rows)
        return more * self.negatives, more * self.positives

    def informative_rows(self) -> FloatArray:
        """Weight of the rows in each bin; its sum is as many rows as tell as much of the scores."""
        weight = self.negatives + self.positives
        if self.seen is None:
            return weight
        negative, positive = self._stand_for()
        squares = float((negative * self.negatives + positive * self.positives).sum())
        return np.asarray(weight * weight.sum() / squares)

    def _stand_for(self) -> tuple[float, float]:
        """For how many rows one of each label stands."""
        assert self.seen is not None
        return (
            float(self.negatives.sum()) / self.seen[0],
            float(self.positives.sum()) / self.seen[1],
        )

    def counts(self, scores: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weight of other rows in each bin."""
        bins = np.searchsorted(self.edges, scores, side="right")
        return np.asarray(np.bincount(bins, weight, minlength=len(self.scores)), dtype=np.float64)

    def to_dict(self) -> dict[str, list[float]]:
        """Return the columns as lists, for JSON."""
        columns = {name: _numbers(getattr(self, name)) for name in FIELDS}
        return columns if self.seen is None else {**columns, "seen": list(self.seen)}


def reference_from_dict(document: object, *, both_labels: bool = True) -> Reference:
    """Rebuild a reference. Anything that ``to_dict`` cannot have written is refused.

    Parameters
    ----------
    document : object
    both_labels : bool, default True
        Whether rows of one label are refused: a calibrator of two classes is not fitted to them.
    """
    if not isinstance(document, dict):
        got = type(document).__name__
        raise ArtifactError(message("the reference to be a JSON object", got))
    for name in FIELDS:
        if not _is_numbers(document.get(name)):
            got = type(document.get(name)).__name__
            raise ArtifactError(message(f"a list of numbers as {name} of the reference", got))
    seen = document.get("seen")
    if seen is not None and not (_is_numbers(seen) and len(seen) == 2 and min(seen) > 0.0):
        raise ArtifactError(message("two positive numbers as seen of the reference", repr(seen)))
    columns = {name: np.array(document[name], dtype=np.float64) for name in FIELDS}
    found = Reference(**columns, seen=None if seen is None else (seen[0], seen[1]))
    _check_sizes(found)
    _check_bins(found, both_labels)
    return found


def _sums_around(values: FloatArray, bins: int) -> FloatArray:
    """Sum of each value and of so many on each side.

    >>> _sums_around(np.array([1.0, 2.0, 3.0]), 1)
    array([3., 6., 5.])
    """
    sums = np.append(0.0, np.cumsum(values))
    places = np.arange(len(values))
    ends = np.minimum(places + bins + 1, len(values))
    return np.asarray(sums[ends] - sums[np.maximum(places - bins, 0)])


def _starts(scores: FloatArray, weight: FloatArray, bins: int) -> IndexArray:
    """Index of the first score of every bin."""
    below = np.cumsum(weight) - weight
    place = np.floor(bins * (below + weight / 2) / weight.sum() + 1e-9) * 2 + (scores >= DECISION)
    return np.flatnonzero(np.diff(place, prepend=-1.0))


def _edges(scores: FloatArray, starts: IndexArray) -> FloatArray:
    edges = scores[starts[1:]]
    at_decision = (scores[starts[1:] - 1] < DECISION) & (edges >= DECISION)
    return np.where(at_decision, DECISION, edges)


def _numbers(values: FloatArray) -> list[float]:
    return [int(v) if v.is_integer() else v for v in values.tolist()]


def _is_numbers(values: object) -> TypeGuard[list[float]]:
    return isinstance(values, list) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) and abs(v) <= HEAVIEST
        for v in values
    )


def _check_sizes(found: Reference) -> None:
    sizes = [len(found.edges) + 1, *(len(getattr(found, name)) for name in FIELDS[1:])]
    if len(set(sizes)) != 1 or not 1 <= sizes[0] <= MOST_BINS:
        raise ArtifactError(
            message(
                f"a reference of 1 to {MOST_BINS} bins",
                f"lists for {', '.join(map(str, sizes))} bins",
            )
        )


def _check_bins(found: Reference, both_labels: bool) -> None:
    places = np.empty(2 * len(found.scores) - 1)
    places[::2], places[1::2] = found.scores, found.edges
    # a bin includes its lower edge but not its upper one, and so does its mean
    rises = (np.diff(places) >= 0.0).all() and (found.scores[:-1] < found.edges).all()
    if not (rises and places[0] >= 0.0 and places[-1] <= 1.0):
        expected = "mean scores and edges of the reference to increase within [0, 1]"
        raise ArtifactError(message(expected, "another order or range"))
    counts = np.stack([found.negatives, found.positives])
    filled = (counts >= 0.0).all() and (counts.sum(axis=0) > 0).all()
    if not filled or (both_labels and not counts.any(axis=1).all()):
        raise ArtifactError(
            message(
                "counts of both labels in the reference, and rows in every bin",
                "a negative count, an empty bin or a single label",
            )
        )
