"""Rows that can be read only once, such as standard input: kept in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lwcal.engines.duckdb.files import GZIP
from lwcal.engines.duckdb.session import spill_folder
from lwcal.engines.duckdb.source import Source, opened
from lwcal.errors import InputError
from lwcal.files import COMPRESSED

PIECE = 1 << 20


@contextmanager
def opened_stream(stream: IO[bytes], form: str, name: str) -> Iterator[Source]:
    """Open a stream of bytes as a source until the block ends.

    Columns are found in the first rows before all rows are read, so the rows are read more than
    once.
    """
    with spill_folder() as folder:
        path = _saved(stream, folder, form)
        with _errors_name(str(path), name), opened(path, name=name) as rows:
            yield rows


def _saved(stream: IO[bytes], folder: Path, form: str) -> Path:
    piece = stream.read(PIECE)
    compressed = form in COMPRESSED and piece.startswith(GZIP)
    path = folder / f"rows.{form}{'.gz' if compressed else ''}"
    with path.open("wb") as handle:
        while piece:
            handle.write(piece)
            piece = stream.read(PIECE)
    return path


@contextmanager
def _errors_name(path: str, name: str) -> Iterator[None]:
    """Name the stream in errors instead of the temporary file, which nobody knows."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(path, name)) from None
