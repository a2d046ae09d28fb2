"""A sample of rows with opinions, where all of them would not fit into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from lwcal.engines.duckdb.session import explained, only_row, quoted
from lwcal.engines.duckdb.source import Source, present

MOST_ROWS = 2**20
"""Rows with several opinions that are kept, and as many with one. More are sampled."""
KEYS = 2**64
"""Number of values of the hash that decides whether a row is drawn."""

COUNTS = {"lwcal_given": "sum", "lwcal_checked": "max"}
TELLS = "(lwcal_given > 1 OR lwcal_checked > 0)"
"""Whether a row shows errors without any curve: it has several labels, or a checked one."""


class OpinionSample(NamedTuple):
    """Rows to read, and how many there are in all.

    Attributes
    ----------
    source : Source
        The rows to read: all, or a sample.
    total : int
        Number of all rows.
    is_sample : bool
    """

    source: Source
    total: int
    is_sample: bool


def sample_opinions(
    source: Source,
    labels: Sequence[str],
    *,
    item: str | None = None,
    trusted: str | None = None,
    most: int,
) -> OpinionSample:
    """Keep about so many rows with several opinions or a checked label, and as many others.

    Rows with several opinions tell most, and are usually few. So both kinds are drawn apart. With
    a column of items, all rows of an item are kept, or none. A hash of the item, or of the number
    of the row, decides; so the same file gives the same sample.

    Parameters
    ----------
    source : Source
    labels : sequence of str
        Columns of labels.
    item : str, optional
        Column of items, if each row is one opinion.
    trusted : str, optional
        Column of checked labels.
    most : int
    """
    with explained(source.name):
        (total,) = only_row(source.cursor, f"SELECT count(*) FROM ({source.sql})")
        if total <= most:
            return OpinionSample(source, total, is_sample=False)
        rows = _counted(source, labels, item, trusted)
        (several,) = only_row(source.cursor, f"SELECT count(*) FILTER ({TELLS}) FROM ({rows})")
    if max(several, total - several) <= most:
        return OpinionSample(source, total, is_sample=False)
    limits = [_limit(most, several), _limit(most, total - several)]
    chosen = f"CASE WHEN {TELLS} THEN {limits[0]} ELSE {limits[1]} END"
    drawn = f"md5_number_lower(lwcal_key::VARCHAR) <= ({chosen})::UBIGINT"
    columns = ", ".join(map(quoted, source.columns))
    sql = f"SELECT {columns} FROM ({rows}) WHERE {drawn}"
    return OpinionSample(replace(source, sql=sql), total, is_sample=True)


def _counted(source: Source, labels: Sequence[str], item: str | None, trusted: str | None) -> str:
    """SQL of the rows with a key, and the number of labels that their item or row has."""
    given = " + ".join(_is_given(name, source) for name in labels)
    checked = "0" if trusted is None else _is_given(trusted, source)
    key = "row_number() OVER ()" if item is None else quoted(item)
    rows = (
        f"SELECT *, {key} AS lwcal_key, {given} AS lwcal_given, {checked} AS lwcal_checked "
        f"FROM ({source.sql})"
    )
    if item is None:
        return rows
    of_item = "OVER (PARTITION BY lwcal_key)"
    totals = [f"{total_of}({name}) {of_item} AS {name}" for name, total_of in COUNTS.items()]
    return f"SELECT * REPLACE ({', '.join(totals)}) FROM ({rows})"


def _is_given(name: str, source: Source) -> str:
    return f"({present(name, source)} IS NOT NULL)::INTEGER"


def _limit(most: int, rows: int) -> int:
    """Largest hash of a row that is kept."""
    return KEYS - 1 if rows <= most else int(KEYS * (most / rows))
