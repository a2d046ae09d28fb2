"""Formats of files, by the end of their name."""

from __future__ import annotations

import csv
import os
from typing import IO, NamedTuple, TypeAlias

from lwcal.errors import InputError

PathLike: TypeAlias = str | os.PathLike[str]
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
SEPARATORS = (",", ";", "\t", "|")
"""Separators of CSV, the preferred first. Many countries use the comma for decimals."""
LONGEST_CELL = 1 << 30
"""Characters that a cell of CSV may have; Python's own limit is shorter than many texts."""


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


def split_header(handle: IO[str]) -> tuple[list[str], str]:
    """Split the first line by the separator that gives several columns; by default the comma.

    >>> import io
    >>> [split_header(io.StringIO(line)) for line in ("id;p", "id,p;raw", '"a,b"|p', "p")]
    [(['id', 'p'], ';'), (['id', 'p;raw'], ','), (['a,b', 'p'], '|'), (['p'], ',')]
    """
    found: list[tuple[list[str], str]] = []
    failures: list[csv.Error] = []
    for separator in SEPARATORS:
        handle.seek(0)
        try:
            names = next(csv.reader(handle, delimiter=separator, strict=True), [])
        except csv.Error as error:  # another separator follows a quote, or the line is damaged
            failures.append(error)
            continue
        if len(names) > 1:
            return names, separator
        found.append((names, separator))
    if failures:
        raise failures[0]
    return found[0]
