"""``reduce``: rows of a Spark DataFrame to a ScoreTable, counted on the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import DataFrame

from lwcal.engines.spark.columns import prepared
from lwcal.engines.spark.counting import Counting
from lwcal.engines.spark.looking import look
from lwcal.engines.spark.session import explained
from lwcal.errors import InputError, message
from lwcal.rows.counts import LIMIT, Counts
from lwcal.rows.faults import InvalidRows
from lwcal.rows.groups import MOST_GROUPS, Group
from lwcal.rows.reducer import Names
from lwcal.table import ScoreTable

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
    dropped: InvalidRows


def reduce_frame(
    frame: DataFrame,
    names: Names,
    by: Sequence[str] = (),
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
    name: str = NAME,
) -> ReducedFrame:
    """Reduce a DataFrame to counts."""
    with explained(name):
        rows = prepared(frame, names, by)
        seen = look(rows, names, pos_label=pos_label, drop_invalid=drop_invalid)
        keys = [f"by_{place}" for place in range(len(by))]
        if keys:
            _check_groups(rows, keys)
        counts = Counting(rows, names, keys, seen, limit).counts()
    if not counts:
        got = "weights of zero only"
        raise InputError(message("at least one row that counts", got, "check the columns"))
    return ReducedFrame(counts, seen.dropped)


def _check_groups(rows: DataFrame, keys: list[str]) -> None:
    if rows.select(*keys).distinct().limit(MOST_GROUPS + 1).count() > MOST_GROUPS:
        hint = "choose a column with fewer values"
        got = f"more than {MOST_GROUPS:,}"
        raise InputError(message(f"at most {MOST_GROUPS:,} groups", got, hint))
