"""Count prepared rows of a Spark DataFrame, exactly or on the grid, in few passes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from lwcal.arrays import FloatArray
from lwcal.engines.spark.checking import CheckedRows
from lwcal.engines.spark.columns import is_probability, is_weight
from lwcal.rows.counts import GRID, Counts, exact_counts
from lwcal.rows.reducer import Names

PARTS = 64
"""Parts of a bin, one bit each, that give a lower bound on its number of distinct scores."""


class Counting:
    """Counts of prepared rows by group: exact for groups with few distinct scores."""

    def __init__(
        self, rows: DataFrame, names: Names, keys: list[str], seen: CheckedRows, limit: int | None
    ) -> None:
        is_used = is_probability(rows.score) & rows.label.isin(*seen.negative, *seen.positive)
        if names.weight is not None:
            is_used = is_used & is_weight(rows.weight) & (rows.weight > 0)
        self._rows = rows.filter(is_used)
        self._keys = keys
        # without weights the two counts of labels add up to this number
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
        """Count on the grid first, then exactly where the limit allows it.

        One pass is enough for most data. In large data the bins alone show that there are too
        many distinct scores. Scores of few decimals leave one distinct score in every bin.
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
                counts[key] = exact_counts(low, negatives, positives)
            else:
                open_keys.append(key)
        few = self._with_few_scores(open_keys, found, limit)
        return counts if few is None else {**counts, **self._exactly(few)}

    def _with_few_scores(
        self, open_keys: list[tuple[Any, ...]], found: dict[tuple[Any, ...], _Binned], limit: int
    ) -> DataFrame | None:
        """Rows of the groups whose distinct scores are within the limit, or None."""
        few = [key for key in open_keys if found[key].at_most <= limit]
        unsure = [key for key in open_keys if found[key].at_most > limit]
        if unsure:
            distinct = self._of_groups(unsure).groupBy(*self._keys)
            counted = distinct.agg(F.count_distinct("score").alias("distinct")).toArrow()
            few += [key for key, part in _groups(counted, self._keys).items()
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
            key: exact_counts(*_sorted(part, "score", "negatives", "positives"))
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
    """Join conditions by OR in a balanced tree, as Spark cannot process a very deep one."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return _any_of(conditions[:half]) | _any_of(conditions[half:])


class _Binned(NamedTuple):
    """Counts on the grid, and bounds on the number of distinct scores."""

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
    """Columns as arrays, sorted by the first; -0.0 becomes 0.0."""
    arrays = [table.column(name).to_numpy() + 0.0 for name in names]
    order = np.argsort(arrays[0], kind="stable")
    return [np.ascontiguousarray(array[order]) for array in arrays]


def _groups(table: Any, keys: Sequence[str]) -> dict[tuple[Any, ...], Any]:
    """Split a table by group; without keys all lines form one group."""
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
