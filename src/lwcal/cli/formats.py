"""Formats of tables: how a name tells them, how each is read and written."""

from __future__ import annotations

import csv as text_csv
import gzip
import io
import json
import zlib
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, ipc, parquet
from pyarrow import json as arrow_json

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
UNREADABLE = (pa.ArrowException, EOFError, zlib.error, UnicodeDecodeError)
"""What damaged content raises, besides errors of the system that have no number."""
ROWS_AT_ONCE = 1 << 16


class Format(NamedTuple):
    """How a table is written down."""

    name: str
    compressed: bool = False


def format_of(name: str) -> Format:
    """Tell the format by the end of a file's name.

    >>> format_of("scores/May.CSV.gz")
    Format(name='csv', compressed=True)
    """
    lower = name.lower()
    plain = lower.removesuffix(".gz")
    for suffix, format_name in SUFFIXES.items():
        if plain.endswith(suffix) and (plain == lower or format_name in COMPRESSED):
            return Format(format_name, compressed=plain != lower)
    known = f"{', '.join(SUFFIXES)}, .csv.gz or .jsonl.gz"
    raise InputError(message(f"a file ending in {known}", name, "rename or convert it"))


def is_table(name: str) -> bool:
    """Whether a name is that of rows.

    >>> is_table("calibrator.json"), is_table("scores.csv")
    (False, True)
    """
    try:
        format_of(name)
    except InputError:
        return False
    return True


def read(
    handle: IO[bytes], form: Format, *, text: bool = False, words: tuple[str, ...] = ()
) -> Any:
    """Read a whole table from a handle that can seek.

    Of a CSV file the columns named in ``words``, or with ``text`` all of them, are kept as they
    are written.
    """
    source = gzip.GzipFile(fileobj=handle) if form.compressed else handle
    if form.name == "csv":
        return _read_csv(source, None if text else words)
    return _READERS[form.name](source)


def write(table: Any, handle: IO[bytes], form: Format) -> None:
    """Write a whole table."""
    if not form.compressed:
        _WRITERS[form.name](table, handle)
        return
    # no time stamp, so that the same rows give the same bytes
    with gzip.GzipFile(fileobj=handle, mode="wb", mtime=0) as compressed:
        _WRITERS[form.name](table, compressed)


def _read_csv(source: Any, words: tuple[str, ...] | None) -> Any:
    header = _first_line(source)
    source.seek(0)
    parse = csv.ParseOptions(newlines_in_values=True, delimiter=_separator(header))
    if words is None:
        words = csv.open_csv(io.BytesIO(header), parse_options=parse).schema.names
    convert = csv.ConvertOptions(column_types=dict.fromkeys(words, pa.string()))
    return csv.read_csv(source, parse_options=parse, convert_options=convert)


def _separator(header: bytes) -> str:
    """Tell what stands between columns: where the comma is for decimals, it is something else.

    >>> _separator(b"id;score"), _separator(b"id,score;raw"), _separator(b"score")
    (';', ',', ',')
    """
    return next((mark for mark in (",", ";", "\t") if mark.encode() in header), ",")


def _first_line(source: Any) -> bytes:
    line: bytes = source.readline()
    while line.count(b'"') % 2:  # a name with a line break in it
        more = source.readline()
        if not more:
            break
        line += more
    return line


def _read_arrow(source: Any) -> Any:
    magic = source.read(6)
    source.seek(0)
    opened = ipc.open_file(source) if magic == b"ARROW1" else ipc.open_stream(source)
    return opened.read_all()


def _write_csv(table: Any, handle: Any) -> None:
    if sum(not pa.types.is_string(field.type) for field in table.schema) > 1:
        csv.write_csv(table, handle)
        return
    # Arrow's writer would put quotes around everything that was read as text
    wrapped = io.TextIOWrapper(handle, encoding="utf-8", newline="", write_through=True)
    writer = text_csv.writer(wrapped, lineterminator="\n")
    writer.writerow(table.column_names)
    for batch in table.to_batches(ROWS_AT_ONCE):
        writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    wrapped.detach()


def _write_jsonl(table: Any, handle: Any) -> None:
    for batch in _without_nan(table).to_batches(ROWS_AT_ONCE):
        lines = (json.dumps(row, default=str, allow_nan=False) for row in batch.to_pylist())
        handle.write(("\n".join(lines) + "\n").encode())


def _without_nan(table: Any) -> Any:
    """Strict JSON has no word for NaN and infinity; null is what readers expect for them."""
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place)
            finite = pc.if_else(pc.is_finite(column), column, None)
            table = table.set_column(place, field.name, finite)
    return table


def _write_arrow(table: Any, handle: Any) -> None:
    with ipc.new_file(handle, table.schema) as writer:
        writer.write_table(table)


_READERS: dict[str, Callable[[Any], Any]] = {
    "parquet": parquet.read_table,
    "jsonl": arrow_json.read_json,
    "arrow": _read_arrow,
}
_WRITERS: dict[str, Callable[[Any, Any], None]] = {
    "csv": _write_csv,
    "parquet": parquet.write_table,
    "jsonl": _write_jsonl,
    "arrow": _write_arrow,
}
