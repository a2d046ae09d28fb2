"""Files: formats by the end of their name, and atomic writes."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, NamedTuple, TypeAlias

from lwcal.errors import InputError, OutputError

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
SEPARATORS = (",", ";", "\t")
"""Separators of CSV, the preferred first. Many countries use the comma for decimals."""


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
    >>> [split_header(io.StringIO(line)) for line in ("id;p", "id,p;raw", '"a,b";p', "p")]
    [(['id', 'p'], ';'), (['id', 'p;raw'], ','), (['a,b', 'p'], ';'), (['p'], ',')]
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


def check_writable(target: PathLike, *, overwrite: bool) -> Path:
    """Refuse a target before any work is done for it, and return its path."""
    path = Path(target)
    if path.is_dir():
        raise OutputError(f"{path} is a folder, expected the name of a file.")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: no such folder. Create {path.parent} first.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists; pass --force (overwrite=True) to replace it.")
    return path


@contextmanager
def replacing(
    target: PathLike, *, overwrite: bool = False, durable: bool = False
) -> Iterator[Path]:
    """Yield a temporary file that takes the target's name when the block ends without error.

    With ``durable``, the content is flushed to disk before the rename, and the folder after it.
    A power cut then loses neither the old content nor, once this returns, the new.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    path = check_writable(target, overwrite=overwrite)
    with _naming(path):
        # In the same folder, because a rename cannot cross file systems. The suffix stays,
        # because writers such as matplotlib choose the format by it.
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix, delete=False
        ) as handle:
            temporary = Path(handle.name)
        try:
            yield temporary
            temporary.chmod(0o666 & ~_umask())  # temporary files are private at first
            if durable:
                _to_disk(temporary)
            temporary.replace(path)
            if durable and os.name == "posix":  # Windows cannot open folders
                _to_disk(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the target in errors of the system: users do not know the temporary file."""
    try:
        yield
    except OSError as error:
        own = error.filename is None or Path(str(error.filename)).name.startswith(f".{path.stem}-")
        if error.errno is None or not own:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _to_disk(path: Path) -> None:
    # a folder cannot be opened for writing
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write_json(document: dict[str, Any], target: PathLike, *, overwrite: bool = False) -> None:
    """Write a document as strict JSON; NaN and infinities are refused."""
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    with replacing(target, overwrite=overwrite) as temporary:
        temporary.write_text(text, encoding="utf-8")
