"""Which files a source means: one, a pattern, a folder, or an address in an object store."""

from __future__ import annotations

import glob
import re
from pathlib import Path

from lwcal.errors import InputError, message
from lwcal.formats import Format, format_of, known_format

GZIP = b"\x1f\x8b"
DATABASES = (".duckdb", ".ddb", ".db")


def is_address(source: str) -> bool:
    """Whether a source lies in an object store, which DuckDB finds and we do not.

    >>> is_address("s3://bucket/scores/*.parquet"), is_address("scores/*.parquet")
    (True, False)
    """
    return re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", source) is not None


def is_database(source: str) -> bool:
    """Whether a source is a database of DuckDB, by its name."""
    return source.lower().endswith(DATABASES)


def paths_of(source: str) -> list[Path]:
    """Files in the order of their names; there is at least one."""
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
        raise InputError(message(f"files that match {source}", "none", "check the pattern"))
    if not is_database(source):
        format_of(source)
    raise InputError(message(f"a file named {source}", "nothing there", "check the path"))


def _in_folder(folder: Path) -> list[Path]:
    """Files of rows in a folder and those in it; those that begin with . or _ are not meant."""
    found = sorted(
        path
        for path in folder.rglob("*")
        if known_format(path.name) and path.is_file() and not _is_hidden(path.relative_to(folder))
    )
    if not found:
        expected = f"files of rows in the folder {folder}"
        raise InputError(message(expected, "none", "look for .csv, .parquet, .jsonl or .arrow"))
    return found


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def common_format(paths: list[Path], form: str | None, source: str) -> Format:
    """The one format that all files have; a name of a format overrules those of the files."""
    if form is not None:
        return Format(form, paths[0].suffix.lower() == ".gz")
    formats = {format_of(str(path)): path for path in paths}
    names = sorted({found.name for found in formats})
    if len(names) > 1:
        hint = "name a pattern, such as folder/*.parquet"
        raise InputError(message(f"files of one format in {source}", " and ".join(names), hint))
    return next(iter(formats))


def is_compressed(path: Path) -> bool:
    """Whether a file of text is compressed: downloads often lose the ending that says so."""
    with path.open("rb") as handle:  # what cannot be opened is told by the system
        return handle.read(len(GZIP)) == GZIP or path.suffix.lower() == ".gz"


def is_partitioned(paths: list[Path]) -> bool:
    """Whether folders hold values of columns, as in country=NL/part.parquet."""
    return any("=" in part for path in paths for part in path.parts[:-1])
