"""``reduce``: rows of any source to a ScoreTable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from lwcal.engines.duckdb.source import Source, opened
from lwcal.rows.counts import LIMIT
from lwcal.rows.groups import reduce_by_group
from lwcal.rows.reducer import Names, Reduction, reduce_batches
from lwcal.table import ScoreTable


def reduce(
    source: Any,
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> ScoreTable:
    r"""Pool the rows of a source, in one pass and in memory that does not grow with their number.

    Parameters
    ----------
    source : str, path or frame
        A CSV (also .gz), Parquet, JSON lines or Arrow file; a pattern; a folder, also one that is
        partitioned (``country=NL/...``); a DuckDB database; an address such as ``s3://...`` that
        DuckDB can read; or a frame as :meth:`lwcal.ScoreTable.from_frame` takes it, such as a
        relation.
    score, label, weight : str
        Names of the columns.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    drop_invalid : bool, default False
        Leave rows out that cannot be used, with a warning that counts them, instead of refusing
        them: missing or NaN, scores outside of [0, 1], labels that are neither class.
    limit : int or None
        Distinct scores beyond which scores are rounded to a grid of 2^-20; None: never.
    form : {"csv", "parquet", "jsonl", "arrow"}, optional
        By default what the names of the files say.
    table : str, optional
        Table or view of a database; by default the only one.
    connection : DuckDB connection, optional
        One in which object stores or extensions are set up; by default a new one.
    threads : int, optional
        By default all cores. The result is the same for any number.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "may.csv").write_text("p,y\n0.2,no\n0.9,yes\n")
    ...     lwcal.engines.duckdb.reduce(f"{folder}/*.csv", score="p", label="y")
    ScoreTable(2 rows, 2 distinct scores, 50.0% positive)
    """
    names = Names(score, label, weight)
    if not isinstance(source, (str, os.PathLike)):  # frames need no engine to be read
        return ScoreTable.from_frame(
            source, *names, pos_label=pos_label, drop_invalid=drop_invalid, limit=limit
        )
    with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
        found = reduce_source(
            rows, names, pos_label=pos_label, drop_invalid=drop_invalid, limit=limit
        )
    found.dropped.warn()
    return ScoreTable.of_counts(found.counts, limit)


def reduce_groups(
    source: Any,
    by: str | Sequence[str],
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> dict[Any, ScoreTable]:
    r"""Pool the rows of every group for itself, in one pass.

    Memory grows with the number of groups: by about 75 MB for each that has more distinct scores
    than the limit, 110 MB when rows may be dropped. The tables are what :func:`lwcal.fit_segments`
    takes.

    Parameters
    ----------
    source, score, label, weight, pos_label, drop_invalid, limit, form, table, connection, threads
        As for :func:`reduce`.
    by : str or list of str
        Columns whose values make a group; rows without a value are a group of their own, None.

    Returns
    -------
    dict
        A table for each value, or for each tuple of values of several columns.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("p,y,land\n0.2,0,NL\n0.9,1,NL\n0.5,1,DE\n")
    ...     tables = lwcal.engines.duckdb.reduce_groups(f"{folder}/a.csv", "land", "p", "y")
    >>> {group: table.n for group, table in sorted(tables.items())}
    {'DE': 1, 'NL': 2}
    """
    names = Names(score, label, weight)
    options = {"pos_label": pos_label, "drop_invalid": drop_invalid, "limit": limit}
    if isinstance(source, (str, os.PathLike)):
        columns = [by] if isinstance(by, str) else list(by)
        with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
            batches = rows.batches([*names.used, *columns])
            found = reduce_by_group(batches, names, by, **options)
    else:
        found = reduce_by_group([source], names, by, **options)
    for one in found.values():
        one.dropped.warn()
    return {group: ScoreTable.of_counts(one.counts, limit) for group, one in found.items()}


def reduce_source(
    source: Source,
    names: Names,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
) -> Reduction:
    """Reduce an open source; what was dropped is for the caller to tell."""
    return reduce_batches(
        source.batches(names.used),
        names,
        pos_label=pos_label,
        drop_invalid=drop_invalid,
        limit=limit,
    )
