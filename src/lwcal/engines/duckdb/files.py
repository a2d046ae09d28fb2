"""Files of rows: which files a name stands for, and the SQL that reads them.

CSV is read as text, and nothing is guessed. DuckDB could guess types, separators and headers from
the first rows. A guess that fails for a later row would be an error in the middle of the file, or
worse, go unnoticed. So this module reads the header itself and declares every column as text.
What is a number is decided where a number is needed, row by row. Columns that are not needed are
written back exactly as they were, in every format. For the same reason a text in JSON lines stays
text, also one that looks like a date.
"""

from __future__ import annotations

import csv
import glob
import gzip
import re
import zlib
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from lwcal.engines.duckdb.partitions import FILE, Partitions, find_partitions
from lwcal.engines.duckdb.session import explained, literal, quoted
from lwcal.errors import InputError, message
from lwcal.files import Format, format_of, known_format, split_header

GZIP = b"\x1f\x8b"
DATABASES = (".duckdb", ".ddb", ".db")
QUOTES = "quote = '\"', escape = '\"', allow_quoted_nulls = false"
"""How cells are quoted. An empty cell is missing; one in quotes is an empty text."""
NO_DATES = "dateformat = 'lwcal%j', timestampformat = 'lwcal%j'"
"""Formats that no text has: what a text looks like does not change it."""
READ_AS_TEXT = re.compile(r"\b(UUID|TIME)\b(?=[],)[]|$)")
"""Types, also of nested values, that DuckDB gives to texts in JSON lines whatever the options."""
NUMBER_TYPES = frozenset(
    [f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER")]
    + ["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE"]
)


def is_address(source: str) -> bool:
    """Whether a source lies in an object store, which only DuckDB can list.

    >>> is_address("s3://bucket/scores/*.parquet"), is_address("scores/*.parquet")
    (True, False)
    """
    return re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", source) is not None


def is_database(source: str) -> bool:
    """Whether the name of a source is that of a DuckDB database."""
    return source.lower().endswith(DATABASES)


def paths_of(source: str) -> list[Path]:
    """List the files of a path, folder or pattern in the order of their names: at least one."""
    path = Path(source)
    if path.is_dir():
        return _in_folder(path)
    if path.exists():
        return [path]
    if glob.has_magic(source):
        # Path.glob refuses patterns that begin at the root
        found = sorted(Path(name) for name in glob.glob(source, recursive=True))  # noqa: PTH207
        if found:
            return found
        raise InputError(f"No file matches {source}; check the pattern.")
    if not is_database(source):
        format_of(source)
    raise InputError(f"No file named {source}; check the path.")


def _in_folder(folder: Path) -> list[Path]:
    """List the files of rows in a folder and below, without names that begin with . or _."""
    found = sorted(
        path
        for path in folder.rglob("*")
        if known_format(path.name) and path.is_file() and not _is_hidden(path.relative_to(folder))
    )
    if not found:
        hint = "expected .csv, .parquet, .jsonl or .arrow files"
        raise InputError(f"No files of rows in the folder {folder}; {hint}.")
    return found


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def common_format(paths: list[Path], form: str | None, source: str) -> Format:
    """Return the format that all files share; a format that is given overrides their names."""
    if form is not None:
        return Format(form, paths[0].suffix.lower() == ".gz")
    formats = {format_of(str(path)): path for path in paths}
    names = sorted({found.name for found in formats})
    if len(names) > 1:
        hint = "select one with a pattern such as folder/*.parquet"
        raise InputError(message(f"files of one format in {source}", " and ".join(names), hint))
    return next(iter(formats))


def is_compressed(path: Path) -> bool:
    """Whether a text file is compressed: by its content, as downloads often lose the .gz ending."""
    with path.open("rb") as handle:  # the system reports a file that cannot be opened
        return handle.read(len(GZIP)) == GZIP or path.suffix.lower() == ".gz"


def files_query(cursor: Any, source: str, paths: list[Path], form: str) -> str:
    """SQL that reads several files of one format as one table."""
    inside = find_partitions(source, [str(path) for path in paths])
    if form == "csv":
        return csv_query(paths, inside)
    return typed_query(cursor, paths, form, inside)


def address_query(cursor: Any, address: str, form: str) -> str:
    """SQL that reads from an object store; DuckDB itself refuses files that differ."""
    files: list[str] = []
    if glob.has_magic(address):
        with explained(address):
            listed = cursor.execute(f"SELECT file FROM glob({literal(address)})").fetchall()
            files = [row[0] for row in listed]
    inside = find_partitions(address, files)
    if form == "csv":  # only DuckDB can look at the first line there
        sql = (
            f"SELECT * FROM read_csv({literal(address)}, all_varchar = true, header = true, "
            f"skip = 0, comment = '', union_by_name = true, delim = ',', {QUOTES}, "
            f"{inside.option})"
        )
    else:
        reader = f"{_typed_reader(literal(address), form)}, {inside.option})"
        sql = f"SELECT * FROM {reader}"
        if form == "jsonl":
            with explained(address):
                columns = _described(cursor, sql)
            columns.pop(FILE, None)
            sql = (
                f"SELECT * FROM {_typed_reader(literal(address), form, columns)}, {inside.option})"
            )
    if not inside.names:
        return sql
    with explained(address):
        return inside.added(sql, _described(cursor, sql))


def _described(cursor: Any, sql: str) -> dict[str, str]:
    """Columns of a query with their types."""
    return {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {sql}").fetchall()}


class Header(NamedTuple):
    """Column names of a CSV file, its separator, and whether it is compressed."""

    names: tuple[str, ...]
    separator: str
    compressed: bool


def csv_query(paths: list[Path], inside: Partitions) -> str:
    """SQL that reads CSV files as one; the order of columns may differ from file to file."""
    headers = [read_header(path) for path in paths]
    for path, header in zip(paths, headers, strict=True):
        check_same_names(headers[0].names, header.names, paths[0], path)
    parts = [
        _read_csv([path for path, _ in group], header, inside)
        for header, group in groupby(zip(paths, headers, strict=True), key=lambda pair: pair[1])
    ]
    return inside.added(" UNION ALL BY NAME ".join(parts), headers[0].names)


def _read_csv(paths: list[Path], header: Header, inside: Partitions) -> str:
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in header.names)
    files = ", ".join(literal(str(path)) for path in paths)
    sql = (
        f"SELECT * FROM read_csv([{files}], auto_detect = false, header = true, "
        f"columns = {{{columns}}}, delim = {literal(header.separator)}, {QUOTES}, "
        f"compression = '{'gzip' if header.compressed else 'none'}', {inside.option})"
    )
    # an empty line is not a row, even where it could be an empty cell
    return sql if len(header.names) > 1 else f"{sql} WHERE {quoted(header.names[0])} IS NOT NULL"


def read_header(path: Path) -> Header:
    """Read the first line of a CSV file."""
    compressed = is_compressed(path)
    opened: Any = gzip.open if compressed else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as handle:
            names, separator = split_header(handle)
    except UnicodeDecodeError:
        hint = "Save it as UTF-8, which Excel calls CSV UTF-8"
        raise InputError(f"{path} is not written in UTF-8. {hint}.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {str(error).removesuffix('.')}.") from None
    if not names:
        raise InputError(f"{path} cannot be read: Empty CSV file.")
    if names[0].lower() == "sep=":
        raise InputError(f"{path} begins with Excel's line sep={separator}. Remove that line.")
    # pandas writes its index without a name, which DuckDB does not allow; this is DuckDB's own name
    names = [name if name.strip() else f"column{place}" for place, name in enumerate(names)]
    check_different(names, str(path))
    return Header(tuple(names), separator, compressed)


def typed_query(cursor: Any, paths: list[Path], form: str, inside: Partitions) -> str:
    """SQL that reads Parquet or JSON lines files as one, after their columns were compared."""
    kinds: dict[str, tuple[str, Path]] = {}
    for path in paths:
        with explained(str(path)):
            columns = _described(cursor, _read_typed([path], form, Partitions("")))
        check_different(list(columns), str(path))
        if kinds:
            check_same_names(kinds, columns, paths[0], path)
        for name, kind in columns.items():
            _check_kind(kinds, name, kind, path)
    if form == "parquet":
        return inside.added(_read_typed(paths, form, inside), kinds)
    parts = []
    for _, group in groupby(paths, key=is_compressed):
        files = list(group)
        with explained(str(files[0])):  # the types that hold in all of these files
            columns = _described(cursor, _read_typed(files, form, Partitions("")))
        parts.append(_read_typed(files, form, inside, columns))
    return inside.added(" UNION ALL BY NAME ".join(parts), kinds)


def _check_kind(kinds: dict[str, tuple[str, Path]], name: str, kind: str, path: Path) -> None:
    """Refuse a column whose type differs between files, other than two types of numbers."""
    seen, where = kinds.get(name, ("NULL", path))
    if _kind(seen) is None:
        kinds[name] = (kind, path)
    elif _kind(kind) not in (None, _kind(seen)):
        expected = f"column {name!r} of {path} to be {seen} as in {where}"
        raise InputError(message(expected, kind))


def _kind(duckdb_type: str) -> str | None:
    if duckdb_type in ("NULL", '"NULL"', "JSON"):  # JSON: only nulls, or a mixture
        return None
    return "number" if duckdb_type in NUMBER_TYPES or "DECIMAL" in duckdb_type else duckdb_type


def _read_typed(
    paths: list[Path], form: str, inside: Partitions, columns: dict[str, str] | None = None
) -> str:
    files = ", ".join(literal(str(path)) for path in paths)
    options = f", {inside.option}"
    if form == "jsonl":  # all of these files are compressed, or none is
        options += f", compression = '{'gzip' if is_compressed(paths[0]) else 'none'}'"
    return f"SELECT * FROM {_typed_reader(f'[{files}]', form, columns)}{options})"


def _typed_reader(files: str, form: str, columns: dict[str, str] | None = None) -> str:
    """Begin a call that reads files, with columns of JSON lines as they were found before."""
    if form == "parquet":
        return f"read_parquet({files}, union_by_name = true"
    if columns:
        declared = ", ".join(
            f"{literal(name)}: {literal(READ_AS_TEXT.sub('VARCHAR', kind))}"
            for name, kind in columns.items()
        )
        found = f"auto_detect = false, columns = {{{declared}}}"
    else:  # DuckDB looks at all rows, so that it finds columns and types that first appear late
        found = "sample_size = -1, union_by_name = true"
    return f"read_json({files}, format = 'newline_delimited', {found}, {NO_DATES}"


def check_different(names: list[str], source: str) -> None:
    """Refuse two columns of the same name; DuckDB ignores upper and lower case."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            other = seen[name.lower()]
            got = f"{name!r} twice" if name == other else f"{other!r} and {name!r}"
            raise InputError(message(f"different names of columns in {source}", got))
        seen[name.lower()] = name


def check_same_names(
    expected: Iterable[str], names: Iterable[str], first: Path, other: Path
) -> None:
    """Refuse files whose columns have different names."""
    odd = sorted(set(expected) ^ set(names))
    if odd:
        got = f"{odd[0]!r} in only one of them"
        raise InputError(message(f"the same columns in {other} as in {first}", got))
