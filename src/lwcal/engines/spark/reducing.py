"""``reduce``: rows of a Spark DataFrame to a ScoreTable, counted on the cluster."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from lwcal.engines.spark.columns import is_probability, is_weight, prepared
from lwcal.engines.spark.looking import Look, look
from lwcal.engines.spark.session import explained
from lwcal.errors import InputError, message
from lwcal.kernels.arrays import FloatArray
from lwcal.reduction.counts import GRID, LIMIT, Counts, exact
from lwcal.reduction.groups import MOST_GROUPS, Group
from lwcal.reduction.invalid import Dropped
from lwcal.reduction.reducer import Names
from lwcal.table import ScoreTable

PARTS = 64
"""Parts of a bin, in as many bits of a number, by which distinct scores in it are told apart."""
NAME = "the DataFrame"


def reduce(
    frame: DataFrame,
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
) -> ScoreTable:
    """Pool the rows of a DataFrame on its cluster; the driver receives counts only.

    The result has the same bits as that of any other engine for the same rows. The driver receives
    at most 2 x 2^20 lines, however many rows there are: those of the grid and, where there may be
    no more distinct scores than the limit, those of the exact counts. The DataFrame is computed
    two to four times; ``cache()`` it if that is expensive.

    Parameters
    ----------
    frame : Spark DataFrame
        Of a classic session, or of Spark Connect.
    score : str
        Name of the column of scores: numbers, text that holds numbers, or vectors of two
        probabilities as the models of Spark ML make them, of which the second counts.
    label, weight : str
        Names of the other columns.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    drop_invalid : bool, default False
        Leave rows out that cannot be used, with a warning that counts them, instead of refusing
        them: missing or NaN, scores outside of [0, 1], labels that are neither class.
    limit : int or None
        Distinct scores beyond which scores are rounded to a grid of 2^-20; None: never, and then
        the driver receives as many lines as there are distinct scores.

    Examples
    --------
    >>> import lwcal
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> frame = spark.createDataFrame([(0.2, "no"), (0.9, "yes"), (0.9, "yes")], ["p", "y"])
    >>> lwcal.engines.spark.reduce(frame, score="p", label="y")
    ScoreTable(3 rows, 2 distinct scores, 66.7% positive)
    """
    found = reduce_frame(
        frame, Names(score, label, weight), pos_label=pos_label, drop_invalid=drop_invalid,
        limit=limit,
    )  # fmt: skip
    found.dropped.warn()
    return ScoreTable.of_counts(found.counts[()], limit)


def reduce_groups(
    frame: DataFrame,
    by: str | Sequence[str],
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
) -> dict[Group, ScoreTable]:
    """Pool the rows of every group for itself; the tables are what ``fit_segments`` takes.

    The driver receives at most 2 x 2^20 lines for each group, and far fewer unless all of them are
    large. Which classes there are, and which rows cannot be used, is asked of all rows at once.

    Parameters
    ----------
    frame, score, label, weight, pos_label, drop_invalid, limit
        As for :func:`reduce`.
    by : str or list of str
        Columns whose values make a group; rows without a value are a group of their own, None.

    Returns
    -------
    dict
        A table for each value, or for each tuple of values of several columns.

    Examples
    --------
    >>> from lwcal.engines.spark import reduce_groups
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [(0.2, 0, "NL"), (0.9, 1, "NL"), (0.5, 1, "DE")]
    >>> tables = reduce_groups(spark.createDataFrame(rows, ["p", "y", "land"]), "land", "p", "y")
    >>> {group: table.n for group, table in sorted(tables.items())}
    {'DE': 1, 'NL': 2}
    """
    columns = [by] if isinstance(by, str) else list(by)
    found = reduce_frame(
        frame, Names(score, label, weight), columns, pos_label=pos_label,
        drop_invalid=drop_invalid, limit=limit,
    )  # fmt: skip
    found.dropped.warn()
    return {
        key[0] if isinstance(by, str) else key: ScoreTable.of_counts(counts, limit)
        for key, counts in found.counts.items()
    }


class ReducedFrame(NamedTuple):
    """Counts of every group, or of all rows under the empty tuple; and what was left out."""

    counts: dict[tuple[Any, ...], Counts]
    dropped: Dropped


def reduce_frame(
    frame: DataFrame,
    names: Names,
    by: Sequence[str] = (),
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
    text: bool = False,
    name: str = NAME,
) -> ReducedFrame:
    """Reduce a DataFrame; ``text`` says that its columns were read from a text file."""
    with explained(name):
        rows = prepared(frame, names, by)
        seen = look(rows, names, pos_label=pos_label, drop_invalid=drop_invalid, text=text)
        keys = [f"by_{place}" for place in range(len(by))]
        if keys:
            _check_groups(rows, keys)
        counts = _Counting(rows, names, keys, seen, limit).counts()
    if not counts:
        got = "weights of zero only"
        raise InputError(message("at least one row that counts", got, "check the columns"))
    return ReducedFrame(counts, seen.dropped)


def _check_groups(rows: DataFrame, keys: list[str]) -> None:
    if rows.select(*keys).distinct().limit(MOST_GROUPS + 1).count() > MOST_GROUPS:
        hint = "choose a column with fewer values"
        got = f"more than {MOST_GROUPS:,}"
        raise InputError(message(f"at most {MOST_GROUPS:,} groups", got, hint))


class _Counting:
    """Counts of prepared rows, group by group: exact where there are few enough scores."""

    def __init__(
        self, rows: DataFrame, names: Names, keys: list[str], seen: Look, limit: int | None
    ) -> None:
        is_used = is_probability(rows.score) & rows.label.isin(*seen.negative, *seen.positive)
        if names.weight is not None:
            is_used = is_used & is_weight(rows.weight) & (rows.weight > 0)
        self._rows = rows.filter(is_used)
        self._keys = keys
        # without weights the counts of both labels say as much
        self._rows_counted = [F.count(F.lit(1)).alias("rows")] if names.weight else []
        self._limit = limit
        self._fits = limit is None or seen.rows <= limit
        is_positive = rows.label.isin(*seen.positive) if seen.positive else F.lit(False)
        one = F.lit(1) if names.weight is None else rows.weight
        total = F.count if names.weight is None else F.sum
        self._weights = [
            F.coalesce(total(F.when(which, one)), F.lit(0)).cast("double").alias(name)
            for name, which in (("negatives", ~is_positive), ("positives", is_positive))
        ]

    def counts(self) -> dict[tuple[Any, ...], Counts]:
        """Count on the grid, unless it is known that all scores fit; then exactly, where they do.

        In most large data the bins alone tell that there are too many distinct scores, and in
        most scores of few decimals that every bin holds one; so that one pass is enough.
        """
        if self._fits:
            return self._exactly(self._rows)
        limit = int(self._limit or 0)
        found = self._on_grid()
        counts = {key: binned.counts for key, binned in found.items()}
        open_keys = []
        for key, binned in found.items():
            if binned.at_least > limit:
                continue
            if binned.at_most == len(binned.counts.low):  # one score in every bin
                low, _, negatives, positives, _ = binned.counts
                counts[key] = exact(low, negatives, positives)
            else:
                open_keys.append(key)
        few = self._with_few_scores(open_keys, found, limit)
        return counts if few is None else {**counts, **self._exactly(few)}

    def _with_few_scores(
        self, open_keys: list[tuple[Any, ...]], found: dict[tuple[Any, ...], _Binned], limit: int
    ) -> DataFrame | None:
        """Rows of the groups that have no more distinct scores than the limit, if any do."""
        few = [key for key in open_keys if found[key].at_most <= limit]
        unsure = [key for key in open_keys if found[key].at_most > limit]
        if unsure:
            distinct = self._of_groups(unsure).groupBy(*self._keys)
            told = distinct.agg(F.count_distinct("score").alias("distinct")).toArrow()
            few += [key for key, part in _groups(told, self._keys).items()
                    if part["distinct"][0].as_py() <= limit]  # fmt: skip
        return self._of_groups(few) if few else None

    def _of_groups(self, keys: list[tuple[Any, ...]]) -> DataFrame:
        if not self._keys:
            return self._rows
        return self._rows.filter(_any_of([self._is_group(key) for key in keys]))

    def _is_group(self, key: tuple[Any, ...]) -> Column:
        first, *others = (
            self._rows[name].eqNullSafe(F.lit(value))
            for name, value in zip(self._keys, key, strict=True)
        )
        return functools.reduce(Column.__and__, others, first)

    def _exactly(self, rows: DataFrame) -> dict[tuple[Any, ...], Counts]:
        table = rows.groupBy(*self._keys, "score").agg(*self._weights).toArrow()
        return {
            key: exact(*_sorted(part, "score", "negatives", "positives"))
            for key, part in _groups(table, self._keys).items()
        }

    def _on_grid(self) -> dict[tuple[Any, ...], _Binned]:
        score = self._rows.score
        part = F.floor(score * (PARTS / GRID)).bitwiseAND(F.lit(PARTS - 1)).cast("int")
        parts = F.bit_or(F.call_function("shiftleft", F.lit(1).cast("bigint"), part))
        table = (
            self._rows.groupBy(*self._keys, F.floor(score / GRID).cast("int").alias("bin"))
            .agg(
                F.min("score").alias("low"),
                F.max("score").alias("high"),
                *self._weights,
                *self._rows_counted,
                F.bit_count(parts).alias("parts"),
            )
            .drop("bin")
            .toArrow()
        )
        return {key: _binned(part) for key, part in _groups(table, self._keys).items()}


def _any_of(conditions: list[Column]) -> Column:
    """Whether one of them holds, as a balanced tree: Spark cannot go down a long one."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return _any_of(conditions[:half]) | _any_of(conditions[half:])


class _Binned(NamedTuple):
    """Counts on the grid, and between which numbers the number of distinct scores lies."""

    counts: Counts
    at_least: int
    at_most: int


def _binned(table: Any) -> _Binned:
    low, high, negatives, positives, parts, *counted = _sorted(
        table, "low", "high", "negatives", "positives", "parts",
        *(["rows"] if "rows" in table.column_names else []),
    )  # fmt: skip
    rows = counted[0] if counted else negatives + positives
    tied = low == high
    return _Binned(
        Counts(low, high, negatives, positives, rounded=True),
        int(parts.sum()),
        int(np.where(tied, 1, rows).sum()),
    )


def _sorted(table: Any, *names: str) -> list[FloatArray]:
    """Columns as arrays, in the order of the first, in which -0.0 is 0.0."""
    arrays = [table.column(name).to_numpy() + 0.0 for name in names]
    order = np.argsort(arrays[0], kind="stable")
    return [np.ascontiguousarray(array[order]) for array in arrays]


def _groups(table: Any, keys: Sequence[str]) -> dict[tuple[Any, ...], Any]:
    """The lines of every group; without keys there is one, if there are lines at all."""
    if not keys:
        return {(): table} if len(table) else {}
    codes = np.zeros(len(table), dtype=np.int64)
    for name in keys:
        column = table.column(name).combine_chunks().dictionary_encode(null_encoding="encode")
        codes = codes * (len(column.dictionary) + 1) + column.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    groups = {}
    for begin, end in zip(starts, [*starts[1:], len(order)], strict=True):
        part = table.take(order[begin:end])
        groups[tuple(part.column(name)[0].as_py() for name in keys)] = part
    return groups
