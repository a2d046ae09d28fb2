"""``reduce`` and ``reduce_groups``: rows of any source to tables of counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from lwcal.engines.duckdb.source import opened, refuse_for_frames
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import DROP_SHARE
from lwcal.rows.groups import reduce_by_group
from lwcal.rows.reducer import Names, reduce_batches
from lwcal.rows.scales import PROBABILITY
from lwcal.table import ScoreTable


def reduce(
    source: Any,
    score: str,
    label: str,
    weight: str | None = None,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> ScoreTable:
    r"""Count the labels of a source at every score, in one pass and with bounded memory.

    Parameters
    ----------
    source : str, path or frame
        A CSV (also .gz), Parquet, JSON lines or Arrow file; a pattern; a folder, which may be
        partitioned (``country=NL/...``); a DuckDB database; an address such as ``s3://...`` that
        DuckDB can read; or a frame that :meth:`lwcal.ScoreTable.from_frame` accepts, such as a
        DuckDB relation.
    score, label, weight : str
        Names of the columns.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}
        Scale of the scores. With "auto" the values decide, and unclear ones are refused.
    drop_invalid : bool, default False
        Drop unusable rows with a warning that counts them, instead of raising an error. Unusable
        are missing values, scores outside [0, 1], and labels that are neither class.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are unusable, the data is refused.
    limit : int or None
        Number of distinct scores above which scores are rounded to a grid of 2^-20; None: never.
    form : {"csv", "parquet", "jsonl", "arrow"}, optional
        Format of the files; by default their names decide.
    table : str, optional
        Table or view of a database; by default its only one.
    connection : DuckDB connection, optional
        A connection on which object stores or extensions are set up; by default a new one.
    threads : int, optional
        Number of threads; by default all cores. It does not change the result.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "may.csv").write_text("p,y\n0.2,no\n0.9,yes\n")
    ...     lwcal.engines.duckdb.reduce(f"{folder}/*.csv", score="p", label="y")
    ScoreTable(2 rows, 2 distinct scores, 50.0% positive)
    """
    names = Names.checked(score, label, weight)
    options = {
        "pos_label": pos_label,
        "scale": scale,
        "drop_invalid": drop_invalid,
        "allow_drop_share": allow_drop_share,
        "limit": limit,
    }
    if isinstance(source, (str, os.PathLike)):
        with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
            found = rows.reduce(names, **options)
    else:  # a frame needs no engine
        refuse_for_frames(form=form, table=table, connection=connection, threads=threads)
        found = reduce_batches([source], names, **options)
    found.dropped.warn()
    return ScoreTable.of_counts(found.counts, limit, found.scale)


def reduce_groups(
    source: Any,
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
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> dict[Any, ScoreTable]:
    r"""Count the labels of every group separately, in one pass.

    Memory grows with the number of groups: by about 75 MB for each group with more distinct scores
    than the limit, or 110 MB if rows may be dropped. :func:`lwcal.fit_segments` accepts the
    tables.

    Parameters
    ----------
    source, score, label, weight, pos_label, scale, drop_invalid, allow_drop_share, limit, form
        As for :func:`reduce`. The scale is the same in all groups; the share is that of a group.
    table, connection, threads
        As for :func:`reduce`.
    by : str or list of str
        Columns whose values define the groups; rows without a value form the group None.

    Returns
    -------
    dict
        A table for each value, or for each tuple of values if there are several columns.

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
    names = Names.checked(score, label, weight)
    options = {
        "pos_label": pos_label,
        "scale": scale,
        "drop_invalid": drop_invalid,
        "allow_drop_share": allow_drop_share,
        "limit": limit,
    }
    if isinstance(source, (str, os.PathLike)):
        columns = [by] if isinstance(by, str) else list(by)
        with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
            batches = rows.batches([*names.used, *columns])
            found = reduce_by_group(batches, names, by, **options)
    else:
        refuse_for_frames(form=form, table=table, connection=connection, threads=threads)
        found = reduce_by_group([source], names, by, **options)
    for one in found.values():
        one.dropped.warn()
    return {
        group: ScoreTable.of_counts(one.counts, limit, one.scale) for group, one in found.items()
    }
