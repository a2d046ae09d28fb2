"""Formats of tables, and how a file's name tells them."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.errors import InputError, message

SUFFIXES = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
NAMES = tuple(dict.fromkeys(SUFFIXES.values()))
COMPRESSED = ("csv", "jsonl")
"""Formats that are also known with .gz at the end; the others compress by themselves."""


class Format(NamedTuple):
    """How a table is written down."""

    name: str
    compressed: bool = False


def format_of(name: str) -> Format:
    """Tell the format by the end of a file's name.

    >>> format_of("scores/May.CSV.gz")
    Format(name='csv', compressed=True)
    """
    found = known_format(name)
    if found is None:
        known = f"{', '.join(SUFFIXES)}, .csv.gz or .jsonl.gz"
        raise InputError(message(f"a file ending in {known}", name, "rename or convert it"))
    return found


def known_format(name: str) -> Format | None:
    """Tell the format, or None when the name does not say."""
    lower = name.lower()
    plain = lower.removesuffix(".gz")
    for suffix, format_name in SUFFIXES.items():
        if plain.endswith(suffix) and (plain == lower or format_name in COMPRESSED):
            return Format(format_name, compressed=plain != lower)
    return None
