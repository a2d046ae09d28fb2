"""Files of any layout as records: JSON, JSON lines, CSV and Parquet; several as a folder or ZIP."""

from __future__ import annotations

import csv
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from lwcal.errors import InputError, message
from lwcal.files import LONGEST_CELL, PathLike, split_header
from lwcal.reviews.exports.answers import Record, listed
from lwcal.rows.storage import read_parquet

PARQUET, ZIP = b"PAR1", b"PK\x03\x04"
"""First bytes of files."""
ENDINGS = (".json", ".jsonl", ".ndjson")
"""Files that are read from folders and archives."""


def read_records(path: PathLike) -> list[Record]:
    """Read all records of a file, or of all files of a folder or ZIP archive."""
    if "\0" in str(path):
        raise InputError(message("the name of a file", repr(str(path))))
    source = Path(path)
    if source.is_dir():
        files = [file for file in sorted(source.iterdir()) if not file.name.startswith(".")]
        records = _from_files({file.name: file.read_bytes() for file in files}, str(path))
    else:
        content = source.read_bytes()
        if content.startswith(PARQUET):
            records = _parquet_records(source)
        elif content.startswith(ZIP):
            records = _from_files(_unpacked(content, str(path)), str(path))
        else:
            records = list(_text_records(content, str(path)))
    if not records:
        raise InputError(f"{path} has no records.")
    return records


def _unpacked(content: bytes, source: str) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside = [file for file in archive.infolist() if not file.is_dir()]
            return {file.filename: archive.read(file) for file in inside}
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,  # another compression
        RuntimeError,  # a password
        ValueError,
        OSError,
    ) as error:
        raise InputError(f"{source} cannot be read: {error}.") from None


def _from_files(files: dict[str, bytes], source: str) -> list[Record]:
    others = [name for name in files if PurePath(name).suffix.lower() not in ENDINGS]
    if others or not files:
        expected = f"only files ending in {', '.join(ENDINGS)} in {source}"
        raise InputError(message(expected, listed(others)))
    return [
        record._replace(file=PurePath(name).stem)
        for name, content in files.items()
        for record in _text_records(content, f"{name} of {source}")
    ]


def _text_records(content: bytes, source: str) -> Iterator[Record]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8"
        raise InputError(
            message(f"UTF-8 text in {source}", f"byte {error.start:,}", hint)
        ) from None
    start = text.lstrip()[:1]
    if not start:
        return iter(())
    if start in ("{", "["):
        return _json_records(text, source)
    return _csv_records(text, source)


def _json_records(text: str, source: str) -> Iterator[Record]:
    if text.lstrip().startswith("["):
        return _objects(_parsed(text, source), source)
    first, _, rest = text.strip().partition("\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        is_lines = False  # an object on several lines
    else:
        is_lines = bool(rest.strip())
    return _lines(text, source) if is_lines else _objects(_parsed(text, source), source)


def _lines(text: str, source: str) -> Iterator[Record]:
    # other characters than \n that end a line for Python may stand inside text
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"line {number:,} of {source}"
            yield _record(_parsed(line, where), where)


def _objects(root: Any, source: str) -> Iterator[Record]:
    """Records of a JSON document: a list, one object, columns, or objects by their id."""
    if isinstance(root, dict):
        root = _rows(root, source)
    for number, entry in enumerate(root):
        where = f"record {number:,} of {source}"
        yield _record(entry, where)


def _rows(root: dict[str, Any], source: str) -> list[Any]:
    """Rows of a single object: columns by name, records by id, or one record."""
    values = list(root.values())
    if values and all(isinstance(value, dict) and "id" in value for value in values):
        return values
    if not values or not all(isinstance(value, list) for value in values):
        return [root]
    lengths = {len(value) for value in values}
    if len(lengths) > 1:
        got = f"columns of {min(lengths):,} to {max(lengths):,} values"
        raise InputError(message(f"columns of one length in {source}", got))
    return [dict(zip(root, row, strict=True)) for row in zip(*values, strict=True)]


def _record(entry: Any, where: str) -> Record:
    if not isinstance(entry, dict):
        raise InputError(message(f"an object in {where}", type(entry).__name__))
    return Record(entry, where)


def _parsed(text: str, source: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_different)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} cannot be read: {error}.") from None


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; one with a name twice would lose what the first holds."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} stands twice in an object")
    return made


def _csv_records(text: str, source: str) -> Iterator[Record]:
    if text[:4].lower() == "sep=":  # a line that states the separator for spreadsheets
        text = text.partition("\n")[2]
    csv.field_size_limit(LONGEST_CELL)
    handle = io.StringIO(text, newline="")
    try:
        names, separator = split_header(handle)
        handle.seek(0)
        rows = list(csv.reader(handle, delimiter=separator, strict=True))[1:]
    except csv.Error as error:
        raise InputError(f"{source} cannot be read: {error}.") from None
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(message(f"different names of columns in {source}", f"{twice[0]!r} twice"))
    for number, row in enumerate(rows):
        where = f"row {number:,} of {source}"
        if row and len(row) != len(names):
            raise InputError(message(f"{len(names):,} cells in {where}", f"{len(row):,}"))
        if row:
            yield Record(dict(zip(names, row, strict=True)), where)


def _parquet_records(path: Path) -> list[Record]:
    table = read_parquet(path, refusal=InputError)
    try:
        rows = table.to_pylist()
    except (ValueError, OverflowError) as error:  # text that is not UTF-8, times without a date
        raise InputError(f"{path} cannot be read: {error}.") from None
    return [Record(row, f"row {number:,} of {path}") for number, row in enumerate(rows)]
