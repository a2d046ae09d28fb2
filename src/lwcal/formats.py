"""Formats of files, recognised by the end of their name."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.errors import InputError

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
"""Formats that may end in .gz as well; the others have a compression of their own."""


class Format(NamedTuple):
    """The format of a file."""

    name: str
    compressed: bool = False


def format_of(name: str) -> Format:
    """Recognise the format by the end of a file's name, or refuse the name.

    >>> format_of("scores/May.CSV.gz")
    Format(name='csv', compressed=True)
    """
    found = known_format(name)
    if found is None:
        known = f"{', '.join(SUFFIXES)}, .csv.gz or .jsonl.gz"
        raise InputError(f"The format of {name} is unknown; expected a file ending in {known}.")
    return found


def known_format(name: str) -> Format | None:
    """Recognise the format; None for an unknown ending."""
    lower = name.lower()
    plain = lower.removesuffix(".gz")
    for suffix, format_name in SUFFIXES.items():
        if plain.endswith(suffix) and (plain == lower or format_name in COMPRESSED):
            return Format(format_name, compressed=plain != lower)
    return None
