"""``reduce`` and ``reduce_groups``: rows of a DataFrame to tables, counted on the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import DataFrame

from lwcal.engines.spark.checking import check_rows, known_scale
from lwcal.engines.spark.columns import prepared
from lwcal.engines.spark.counting import Counting
from lwcal.engines.spark.session import explained
from lwcal.errors import InputError, message
from lwcal.rows.counts import LIMIT, Counts
from lwcal.rows.faults import DROP_SHARE, InvalidRows, check_drop_share
from lwcal.rows.groups import MOST_GROUPS, Group
from lwcal.rows.reducer import Names
from lwcal.rows.scales import PROBABILITY, check_scale
from lwcal.table import ScoreTable

NAME = "the DataFrame"


def reduce(
    frame: DataFrame,
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
) -> ScoreTable:
    """Count the labels of a DataFrame at every score on its cluster; the driver receives counts.

    The result is identical, bit for bit, to that of any other engine for the same rows. However
    many rows there are, the driver receives at most 2 x 2^20 lines: the counts on the grid and, if
    the limit may allow them, the exact counts. The DataFrame is computed two to four times; call
    ``cache()`` first if that is expensive.

    Parameters
    ----------
    frame : Spark DataFrame
        From a classic session or from Spark Connect.
    score : str
        Name of the column of scores: numbers, text that holds numbers, or the vectors of two
        probabilities that Spark ML models write, of which the second counts.
    label, weight : str
        Names of the other columns.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}
        Scale of the scores. With "auto" the values decide, which takes one more pass, and unclear
        ones are refused.
    drop_invalid : bool, default False
        Drop unusable rows with a warning that counts them, instead of raising an error. Unusable
        are missing values, scores outside [0, 1], and labels that are neither class.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are unusable, the data is refused.
    limit : int or None
        Number of distinct scores above which scores are rounded to a grid of 2^-20. With None they
        never are, and the driver receives one line per distinct score.

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
        frame, Names.checked(score, label, weight), pos_label=pos_label, scale=scale,
        drop_invalid=drop_invalid, allow_drop_share=allow_drop_share, limit=limit,
    )  # fmt: skip
    found.dropped.warn()
    return ScoreTable.of_counts(found.counts[()], limit, found.scale)


def reduce_groups(
    frame: DataFrame,
    by: str | Sequence[str],
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
) -> dict[Group, ScoreTable]:
    """Count the labels of every group separately; ``fit_segments`` accepts the tables.

    The driver receives at most 2 x 2^20 lines per group, and far fewer for small groups. The
    classes and the unusable rows are determined for all groups together.

    Parameters
    ----------
    frame, score, label, weight, pos_label, scale, drop_invalid, allow_drop_share, limit
        As for :func:`reduce`.
    by : str or list of str
        Columns whose values define the groups; rows without a value form the group None.

    Returns
    -------
    dict
        A table for each value, or for each tuple of values if there are several columns.

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
        frame, Names.checked(score, label, weight), columns, pos_label=pos_label, scale=scale,
        drop_invalid=drop_invalid, allow_drop_share=allow_drop_share, limit=limit, all_groups=True,
    )  # fmt: skip
    found.dropped.warn()
    return {
        key[0] if isinstance(by, str) else key: ScoreTable.of_counts(counts, limit, found.scale)
        for key, counts in found.counts.items()
    }


class ReducedFrame(NamedTuple):
    """Counts by group (all rows: the empty tuple), dropped rows, positive class, and scale."""

    counts: dict[tuple[Any, ...], Counts]
    dropped: InvalidRows
    positive: Any
    scale: str


def reduce_frame(
    frame: DataFrame,
    names: Names,
    by: Sequence[str] = (),
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
    name: str = NAME,
    all_groups: bool = False,
) -> ReducedFrame:
    """Reduce a DataFrame to counts. With ``all_groups``, a group without counts is refused."""
    check_scale(scale)
    check_drop_share(allow_drop_share)
    with explained(name):
        known = known_scale(frame, names.score, scale)
        rows = prepared(frame, names, by, scale=known)
        seen = check_rows(
            rows,
            names,
            pos_label=pos_label,
            scale=known,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
        )
        keys = [f"by_{place}" for place in range(len(by))]
        groups = _groups(rows, keys) if all_groups else []
        counts = Counting(rows, names, keys, seen, limit).counts()
    if not counts:
        raise InputError("Every weight is zero, so no row counts; check the weight column.")
    uncounted = next((group for group in groups if group not in counts), None)
    if uncounted is not None:
        shown = uncounted[0] if len(keys) == 1 else uncounted
        raise InputError(f"group {shown!r}: no row counts; check its rows, or leave it out.")
    return ReducedFrame(counts, seen.dropped, next(iter(seen.positive), None), known)


def _groups(rows: DataFrame, keys: list[str]) -> list[tuple[Any, ...]]:
    """All groups, those without a usable row too."""
    found = rows.select(*keys).distinct().limit(MOST_GROUPS + 1).toArrow()
    if found.num_rows > MOST_GROUPS:
        hint = "choose a column with fewer values"
        got = f"more than {MOST_GROUPS:,}"
        raise InputError(message(f"at most {MOST_GROUPS:,} groups", got, hint))
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))
