"""Columns of text as what they hold: decided by all of their values, never by the first few."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from lwcal.engines.duckdb.session import explained, literal, only_row, quoted
from lwcal.engines.duckdb.source import Source
from lwcal.rows.missing import MISSING_WORDS

WORDS = ", ".join(literal(word) for word in sorted(MISSING_WORDS))


class Kind(NamedTuple):
    """A type, and what a value must look like to be of it."""

    name: str
    holds: str


DAY = r"\d{4}-\d{2}-\d{2}"
KINDS = (
    # a cast alone would round 1.5 to 2
    Kind("BIGINT", "regexp_full_match(VALUE, '[+-]?[0-9]{1,18}')"),
    Kind("DOUBLE", "TRY_CAST(VALUE AS DOUBLE) IS NOT NULL"),
    Kind("BOOLEAN", "lower(VALUE) IN ('true', 'false')"),
    Kind("DATE", f"regexp_full_match(VALUE, '{DAY}') AND TRY_CAST(VALUE AS DATE) IS NOT NULL"),
    Kind(
        "TIMESTAMP",
        # without a time zone, which would change how it is written
        rf"regexp_full_match(VALUE, '{DAY}[ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?') "
        "AND TRY_CAST(VALUE AS TIMESTAMP) IS NOT NULL",
    ),
)
"""In the order in which they are preferred."""


def interpreted(source: Source, *, rows: int | None = None, words: Collection[str] = ()) -> Source:
    """Give columns of text the type that all their values have; costs a pass over the rows.

    With ``rows``, only the first so many are looked at, and remain. Columns named in ``words``,
    such as ids, stay text whatever they look like: 007 is not 7.
    """
    if rows is not None:
        source = replace(source, sql=f"SELECT * FROM ({source.sql}) LIMIT {rows}")
    if not source.text:
        return source
    names = [
        name for name, kind in source.columns.items() if kind == "VARCHAR" and name not in words
    ]
    kinds = _kinds(source, names)
    casts = [
        f"CAST({_present(name)} AS {kind}) AS {quoted(name)}"
        for name, kind in kinds.items()
        if kind != "VARCHAR"
    ]
    if not casts:
        return replace(source, text=False)
    return replace(
        source,
        sql=f"SELECT * REPLACE ({', '.join(casts)}) FROM ({source.sql})",
        columns={**source.columns, **kinds},
        text=False,
    )


def _kinds(source: Source, names: list[str]) -> dict[str, str]:
    if not names:
        return {}
    asked = [
        f"bool_and({kind.holds.replace('VALUE', _present(name))}) "
        f"FILTER ({_present(name)} IS NOT NULL)"
        for name in names
        for kind in KINDS
    ]
    with explained(source.name):
        found = only_row(source.cursor, f"SELECT {', '.join(asked)} FROM ({source.sql})")
    return {
        name: next(
            (
                kind.name
                for kind, holds in zip(KINDS, found[place * len(KINDS) :], strict=False)
                if holds  # None where there are no values at all
            ),
            "VARCHAR",
        )
        for place, name in enumerate(names)
    }


def _present(name: str) -> str:
    return f"CASE WHEN {quoted(name)} NOT IN ({WORDS}) THEN {quoted(name)} END"
