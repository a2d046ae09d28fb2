"""The wide table of cleanlab: a row for each item, a column for each reviewer.

A missing cell means that the reviewer was not asked, so it is no answer.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from lwcal.errors import InputError, ParameterError, message
from lwcal.reviews.exports.answers import Answer, Asked, Found, Record, listed
from lwcal.rows.values import is_missing_value


def fits(names: Collection[str]) -> bool:
    """Whether the columns alone show the layout: they never do."""
    return False


def read(records: Sequence[Record], asked: Asked) -> Found:
    """Read the columns of the reviewers; the number of the row names the item, from 0."""
    if not asked.reviewers:
        hint = "name them, such as --reviewers 'annotator_*' (reviewers=)"
        raise ParameterError(message("the columns of the reviewers", "none", hint))
    names = dict.fromkeys(name for record in records for name in record.fields)
    columns = _chosen(list(names), asked.reviewers, asked.source)
    return Found(
        [
            Answer(number, name, [record.fields[name]], record.where, record.fields)
            for number, record in enumerate(records)
            for name in columns
            if not is_missing_value(record.fields.get(name))
        ]
    )


def _chosen(names: list[str], patterns: Sequence[str], source: str) -> list[str]:
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = [pattern] if pattern in names else [n for n in names if fnmatchcase(n, pattern)]
        if not found:
            raise InputError(message(f"a column {pattern!r} in {source}", listed(names)))
        chosen.update(dict.fromkeys(found))
    return list(chosen)
