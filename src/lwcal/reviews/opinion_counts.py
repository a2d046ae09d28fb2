"""Count equal rows of scores and opinions, in bounded memory; counts of parts can be merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import IndexArray, KeyArray
from lwcal.errors import InputError, message
from lwcal.numerics.row_keys import pattern_keys, sample_keys
from lwcal.reviews.name_keys import common_names, reviewer_key, reviewer_keys
from lwcal.reviews.opinion_rows import OpinionRows, stacked, starts_of_others
from lwcal.reviews.reading import Reviewable
from lwcal.rows.classes import class_key
from lwcal.rows.counts import CHUNK
from lwcal.rows.probabilities import summing_to_one

Highest = np.uint64 | None
"""Highest key of the rows that were kept; None if all of them were."""


class OpinionTally(NamedTuple):
    """Numbers of rows, also of those that are not kept.

    Attributes
    ----------
    rows : int
    unlabelled : int
        Rows without any opinion and without a checked label, which are used for nothing.
    checked : int
        Rows with a checked label.
    single : int
        Rows with exactly one opinion.
    """

    rows: int = 0
    unlabelled: int = 0
    checked: int = 0
    single: int = 0

    @classmethod
    def of(cls, rows: OpinionRows) -> OpinionTally:
        """Count rows."""
        given, checked = rows.opinions, rows.is_checked
        numbers = (given == 0) & ~checked, checked, given == 1
        return cls(len(given), *(int(np.count_nonzero(which)) for which in numbers))

    def plus(self, other: OpinionTally) -> OpinionTally:
        """Numbers of both."""
        return OpinionTally(*(one + two for one, two in zip(self, other, strict=True)))


@dataclass(frozen=True, eq=False)
class OpinionCounts:
    r"""Distinct rows of scores, opinions and true class, each with its weight.

    :func:`lwcal.engines.duckdb.reduce_opinions` and :func:`lwcal.engines.spark.reduce_opinions`
    make it. :meth:`lwcal.Reviewed.fit_opinions` and :func:`lwcal.diagnose` take it. The same rows
    in any order, and in any number of parts, make the same value.

    Attributes
    ----------
    rows : OpinionRows
        Scores as they came. A class that nobody has named is None.
    scale : str
        Scale of the scores before they became probabilities.
    has_classes : bool
        Whether the scores have a column for each class.
    tally : OpinionTally
    total : float
        Weight of all rows with an opinion or a checked label.
    limit : int or None
        Distinct rows that are kept: so many that show errors without any curve, because they have
        several opinions or a checked label, and as many others.
    highest : pair of uint64 or None
        Highest key of a row that was kept, of both kinds of rows.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("p,ann,bob\n0.2,no,no\n0.9,yes,no\n")
    ...     _ = Path(folder, "b.csv").write_text("p,ann,bob\n0.9,yes,no\n0.5,yes,\n")
    ...     a, b = (
    ...         lwcal.engines.duckdb.reduce_opinions(f"{folder}/{name}.csv", "p", ["ann", "bob"])
    ...         for name in "ab"
    ...     )
    >>> a.merge(b)
    4 rows with opinions of 2 reviewers, 3 of them distinct
    """

    rows: OpinionRows
    scale: str
    has_classes: bool
    tally: OpinionTally
    total: float
    limit: int | None
    highest: tuple[Highest, Highest] = (None, None)

    def merge(self, *others: OpinionCounts) -> OpinionCounts:
        """Count the rows of all parts together. Neither order nor grouping of the parts matters.

        Parts must have the same classes and the same scale. Their reviewers may differ.
        """
        parts = [self, *others]
        for name in ("scale", "has_classes"):
            given = sorted({str(getattr(part, name)) for part in parts})
            if len(given) > 1:
                what = "counts on one scale" if name == "scale" else "scores in the same columns"
                raise InputError(message(what, " and ".join(given)))
        limits = [part.limit for part in parts if part.limit is not None]
        classes = _common_classes([part.rows.classes for part in parts])
        names = common_names([part.rows.names for part in parts])
        counter = OpinionCounter(min(limits, default=None))
        tally = OpinionTally()
        for part in parts:
            tally = tally.plus(part.tally)
            counter.take(_renamed(part.rows, names), part.total, part.highest)
        found = counter.found(classes, names)
        return replace(found, scale=self.scale, has_classes=self.has_classes, tally=tally)

    def with_sorted_names(self, numbers: IndexArray) -> OpinionCounts:
        """The same counts with reviewers in sorted order: those of these numbers, and no others."""
        met = tuple(self.rows.names[number] for number in numbers.tolist())
        return replace(self, rows=_renamed(self.rows, common_names([met, ()])))

    @property
    def is_sample(self) -> bool:
        """Whether there were more distinct rows than are kept."""
        return any(key is not None for key in self.highest)

    @property
    def is_one_label(self) -> bool:
        """Whether each row has one label, and nobody says who gave it."""
        return len(self.rows.names) == 1 and self.tally.single == self.tally.rows

    def reviewable(self) -> Reviewable:
        """The rows as a fit takes them: their scores sum to 1."""
        classes = tuple(
            code if label is None else label for code, label in enumerate(self.rows.classes)
        )
        scores = summing_to_one(self.rows.scores.copy()) if self.has_classes else self.rows.scores
        rows = replace(self.rows, scores=scores, classes=classes)
        sampled_from = self.total if self.is_sample else None
        return Reviewable(rows, self.scale, self.has_classes, sampled_from)

    def __repr__(self) -> str:
        return (
            f"{self.tally.rows:,} rows with opinions of {len(self.rows.names):,} reviewers, "
            f"{len(self.rows.weights):,} of them distinct"
        )


class OpinionCounter:
    """Counts equal rows. If there are too many distinct ones, it keeps a sample of them.

    Rows that show errors without any curve, and others, are kept apart: the first tell most, and
    are usually few. Of each kind, the sample is the rows with the lowest keys, which only their
    values decide. So it is the same for rows in any order, and complete: all rows that equal one
    of the sample are counted.

    Parameters
    ----------
    limit : int or None
        Distinct rows of each kind that are kept; None: all.
    chunk : int
        Rows that are pooled at once, at least.
    """

    def __init__(self, limit: int | None, *, chunk: int = CHUNK) -> None:
        self._limit = limit
        self._chunk = chunk
        self._pools = _Pool(limit, chunk), _Pool(limit, chunk)
        self._total = 0.0
        self.tally = OpinionTally()

    def add(self, rows: OpinionRows, reviewer_keys: KeyArray) -> None:
        """Count rows.

        Parameters
        ----------
        rows : OpinionRows
            Their reviewers are numbers that stay the same from batch to batch.
        reviewer_keys : uint64 array
            Key of the reviewer of each number; see :func:`lwcal.numerics.row_keys.text_keys`.
        """
        self.tally = self.tally.plus(OpinionTally.of(rows))
        used = (rows.weights > 0.0) & ((rows.opinions > 0) | rows.is_checked)
        kept = rows if used.all() else rows.part(used)
        self._take(_Keyed.of(kept, reviewer_keys), float(kept.weights.sum()), (None, None))

    def take(self, rows: OpinionRows, total: float, highest: tuple[Highest, Highest]) -> None:
        """Count rows that were counted before; see :class:`OpinionCounts`."""
        self._take(_Keyed.of(rows, reviewer_keys(rows.names)), total, highest)

    def _take(self, keyed: _Keyed, total: float, highest: tuple[Highest, Highest]) -> None:
        self._total += total
        tells = keyed.rows.tells
        for pool, of_pool, bound in zip(self._pools, (tells, ~tells), highest, strict=True):
            pool.add(keyed.part(np.flatnonzero(of_pool)), bound)

    def found(self, classes: Sequence[Any], names: Sequence[Any]) -> OpinionCounts:
        """Distinct rows so far, with the names of reviewers by their numbers."""
        parts = [pool.pooled() for pool in self._pools]
        together = stacked([part.rows for part in parts])
        rows = replace(together, classes=tuple(classes), names=tuple(names))
        highest = self._pools[0].highest, self._pools[1].highest
        # the kind of scores is the caller's to say
        return OpinionCounts(rows, "", False, self.tally, self._total, self._limit, highest)


class _Keyed(NamedTuple):
    """Rows with the keys that draw a sample, and with a number for each pattern of opinions."""

    keys: KeyArray
    patterns: KeyArray
    rows: OpinionRows

    @classmethod
    def of(cls, rows: OpinionRows, reviewer_keys: KeyArray) -> _Keyed:
        patterns = pattern_keys(rows.rows, reviewer_keys[rows.reviewers], rows.labels, rows.truths)
        return cls(sample_keys(rows.scores, patterns), patterns, rows)

    def part(self, places: Any) -> _Keyed:
        return _Keyed(self.keys[places], self.patterns[places], self.rows.part(places))

    @classmethod
    def joined(cls, parts: Sequence[_Keyed]) -> _Keyed:
        return cls(
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.patterns for part in parts]),
            stacked([part.rows for part in parts]),
        )


class _Pool:
    """Distinct rows of one kind, those with the lowest keys."""

    def __init__(self, limit: int | None, chunk: int) -> None:
        self.highest: Highest = None
        self._limit = limit
        self._chunk = chunk if limit is None else min(chunk, limit)
        self._parts: list[_Keyed] = []

    def add(self, part: _Keyed, bound: Highest) -> None:
        """Add rows; if they are a sample, rows above the bound are not complete."""
        if bound is not None:
            self.highest = bound if self.highest is None else min(self.highest, bound)
        if self.highest is not None:
            part = part.part(np.flatnonzero(part.keys <= self.highest))
        self._parts.append(part)
        first, *waiting = self._parts
        if sum(len(some.keys) for some in waiting) >= max(self._chunk, len(first.keys)):
            self.pooled()

    def pooled(self) -> _Keyed:
        """Distinct rows in the order of their keys."""
        found = _pooled(_Keyed.joined(self._parts))
        if self.highest is not None:
            found = found.part(np.flatnonzero(found.keys <= self.highest))
        if self._limit is not None and len(found.keys) > self._limit:
            found = found.part(np.arange(self._limit))
            self.highest = found.keys[-1]
        self._parts = [found]
        return found


def _pooled(keyed: _Keyed) -> _Keyed:
    if not len(keyed.keys):
        return keyed
    ordered = keyed.part(np.lexsort((keyed.patterns, keyed.keys)))
    rows = ordered.rows
    columns = (ordered.keys, ordered.patterns, rows.truths, *rows.scores.T)
    starts = starts_of_others(columns, len(ordered.keys))
    weights = np.add.reduceat(rows.weights, starts)
    first = ordered.part(starts)
    return first._replace(rows=replace(first.rows, weights=weights))


def _renamed(rows: OpinionRows, names: tuple[Any, ...]) -> OpinionRows:
    """The same opinions with the numbers of other names, in the order of these numbers."""
    place = {reviewer_key(name): number for number, name in enumerate(names)}
    number = np.array([place.get(reviewer_key(name), -1) for name in rows.names], dtype=np.intp)
    reviewers = number[rows.reviewers]
    order = np.lexsort((reviewers, rows.rows))
    return replace(rows, reviewers=reviewers[order], labels=rows.labels[order], names=names)


def _common_classes(classes: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Classes of several parts; those that nobody named in a part are those of the others."""
    found = []
    for column in zip(*classes, strict=False):
        said = [label for label in column if label is not None]
        if len({class_key(label) for label in said}) > 1 or len(set(map(len, classes))) > 1:
            listed = " and ".join(sorted({str(list(some)) for some in classes}))
            raise InputError(message("counts of the same classes", listed))
        found.append(lowest_spelling(said) if said else None)
    return tuple(found)


def lowest_spelling(values: Iterable[Any]) -> Any:
    """One of several spellings of the same name, whichever was met first.

    >>> lowest_spelling(["no", "No"])
    'No'
    """
    return min(values, key=_spelling)


def _spelling(value: Any) -> tuple[str, str]:
    return str(value), type(value).__name__
