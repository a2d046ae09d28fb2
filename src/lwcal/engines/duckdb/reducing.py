"""``reduce``: rows of any source to a ScoreTable."""

from __future__ import annotations

import os
from typing import Any

from lwcal.engines.duckdb.source import Source, opened
from lwcal.reduction.counts import LIMIT
from lwcal.reduction.reducer import Names, Reduced, reduced
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
        DuckDB can read; or a frame as :meth:`ScoreTable.from_frame` takes it, such as a relation.
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


def reduce_source(
    source: Source,
    names: Names,
    *,
    pos_label: Any = None,
    drop_invalid: bool = False,
    limit: int | None = LIMIT,
) -> Reduced:
    """Reduce an open source; what was dropped is for the caller to tell."""
    return reduced(
        source.batches(names.used),
        names,
        pos_label=pos_label,
        drop_invalid=drop_invalid,
        limit=limit,
        text=source.text,
    )
