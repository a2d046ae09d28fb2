"""CSV files: read as text, with nothing guessed.

DuckDB can guess types, separators and headers from the first rows. A guess that holds for these
and not for a later row would be an error in the middle of a file, or worse, none. So the columns
are named and told apart by us from the first line, and every one is read as text: what is a number
is decided where it is needed, row by row, and what is not needed is given back as it was written.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

from lwcal.engines.duckdb.files import is_compressed
from lwcal.engines.duckdb.session import literal, quoted
from lwcal.errors import InputError, message

SEPARATORS = (",", ";", "\t")
"""What may stand between columns: where the comma is for decimals, it is something else."""
QUOTES = "quote = '\"', escape = '\"'"


class Header(NamedTuple):
    """Names of the columns of a file, and how it is written."""

    names: tuple[str, ...]
    separator: str
    compressed: bool


def csv_query(paths: list[Path], *, hive: bool) -> str:
    """SQL that reads the files as one; their columns may stand in another order in each."""
    headers = [header_of(path) for path in paths]
    for path, header in zip(paths, headers, strict=True):
        check_same_names(headers[0].names, header.names, paths[0], path)
    parts = [
        _read([path for path, _ in group], header, hive=hive)
        for header, group in groupby(zip(paths, headers, strict=True), key=lambda pair: pair[1])
    ]
    return " UNION ALL BY NAME ".join(parts)


def address_query(address: str) -> str:
    """SQL that reads CSV where only DuckDB can look at the first line."""
    return (
        f"SELECT * FROM read_csv({literal(address)}, all_varchar = true, header = true, "
        f"skip = 0, comment = '', union_by_name = true, delim = ',', {QUOTES})"
    )


def _read(paths: list[Path], header: Header, *, hive: bool) -> str:
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in header.names)
    files = ", ".join(literal(str(path)) for path in paths)
    sql = (
        f"SELECT * FROM read_csv([{files}], auto_detect = false, header = true, "
        f"columns = {{{columns}}}, delim = {literal(header.separator)}, {QUOTES}, "
        f"compression = '{'gzip' if header.compressed else 'none'}', hive_partitioning = {hive})"
    )
    # an empty line is no row, also where it could be an empty cell
    return sql if len(header.names) > 1 else f"{sql} WHERE {quoted(header.names[0])} IS NOT NULL"


def header_of(path: Path) -> Header:
    """Read the first line of a file."""
    compressed = is_compressed(path)
    opened: Any = gzip.open if compressed else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as handle:
            names, separator = split_header(handle)
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {str(error).removesuffix('.')}.") from None
    if not names:
        raise InputError(f"{path} cannot be read: Empty CSV file.")
    # pandas writes its index without a name, which DuckDB cannot have: this is what it would say
    names = [name if name.strip() else f"column{place}" for place, name in enumerate(names)]
    check_different(names, str(path))
    return Header(tuple(names), separator, compressed)


def split_header(handle: IO[str]) -> tuple[list[str], str]:
    """Split the first line by what gives several columns; a lone one has the comma.

    >>> import io
    >>> [split_header(io.StringIO(line)) for line in ("id;p", "id,p;raw", '"a,b";p', "p")]
    [(['id', 'p'], ';'), (['id', 'p;raw'], ','), (['a,b', 'p'], ';'), (['p'], ',')]
    """
    found: list[tuple[list[str], str]] = []
    failures: list[csv.Error] = []
    for separator in SEPARATORS:
        handle.seek(0)
        try:
            names = next(csv.reader(handle, delimiter=separator, strict=True), [])
        except csv.Error as error:  # another separator after a quote, or a damaged line
            failures.append(error)
            continue
        if len(names) > 1:
            return names, separator
        found.append((names, separator))
    if failures:
        raise failures[0]
    return found[0]


def check_different(names: list[str], source: str) -> None:
    """Refuse two columns of the same name; DuckDB does not tell upper from lower case."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            other = seen[name.lower()]
            got = f"{name!r} twice" if name == other else f"{other!r} and {name!r}"
            raise InputError(message(f"different names of columns in {source}", got))
        seen[name.lower()] = name


def check_same_names(expected: Any, names: Any, first: Any, other: Any) -> None:
    """Refuse files whose columns are called differently."""
    odd = sorted(set(expected) ^ set(names))
    if odd:
        raise InputError(
            message(f"the same columns in {other} as in {first}", f"{odd[0]!r} in one")
        )
