"""Where rows come from: a file, several files, or standard input."""

from __future__ import annotations

import glob
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa

from lwcal.cli.formats import COMPRESSED, NAMES, UNREADABLE, Format, format_of, read
from lwcal.cli.progress import late_progress
from lwcal.errors import InputError, message
from lwcal.parameters import OneOf, check_parameter

STANDARD = "-"
"""Standard input, or output."""
GZIP = b"\x1f\x8b"


class How(NamedTuple):
    """How rows are to be read: format, and which columns as they are written."""

    form: str | None
    text: bool
    words: tuple[str, ...]


def read_table(
    source: str, form: str | None = None, *, text: bool = False, words: tuple[str, ...] = ()
) -> Any:
    """Read all rows of a file, of all files of a pattern, or of standard input.

    Parameters
    ----------
    source : str
        Name of a file; a pattern such as ``scores/*.parquet``; or ``-``.
    form : {"csv", "parquet", "jsonl", "arrow"}, optional
        By default what the names say, and CSV from standard input.
    text : bool, default False
        Keep every column of a CSV file as it is written.
    words : tuple of str, optional
        Columns of a CSV file to keep so, such as ids, which may begin with zeros.
    """
    how = How(form, text, words)
    if form is not None:
        check_parameter("--format", form, OneOf(NAMES))
    if source == STANDARD:
        with late_progress(f"reading {shown(source)}"):
            return _read_standard_input(how)
    paths = _paths(source)
    tables = {}
    with late_progress(f"reading {source}", len(paths) if len(paths) > 1 else None) as advance:
        for path in paths:
            tables[path] = _read_file(path, how)
            advance()
    if len(tables) > 1:
        _check_same_columns(tables)
    table = pa.concat_tables(tables.values(), promote_options="permissive")
    return _with_rows(table, source)


def is_csv(source: str, form: str | None) -> bool:
    """Whether rows come as text, so that they can be given back as they were written."""
    if form is not None or source == STANDARD:
        return form in (None, "csv")
    return all(format_of(str(path)).name == "csv" for path in _paths(source))


def source_files(source: str) -> list[Path]:
    """Files that rows come from; none for standard input."""
    return [] if source == STANDARD else _paths(source)


def shown(source: str) -> str:
    """Name a source in a message."""
    return "standard input" if source == STANDARD else source


def _paths(source: str) -> list[Path]:
    if Path(source).exists():
        return [Path(source)]
    if glob.has_magic(source):
        # Path.glob refuses patterns that begin at the root
        found = sorted(Path(name) for name in glob.glob(source, recursive=True))  # noqa: PTH207
        if found:
            return found
        raise InputError(message(f"files that match {source}", "none", "check the pattern"))
    format_of(source)
    raise InputError(message(f"a file named {source}", "nothing there", "check the path"))


def _read_standard_input(how: How) -> Any:
    handle = io.BytesIO(sys.stdin.buffer.read())
    table = _read(handle, Format(how.form or "csv"), shown(STANDARD), how)
    return _with_rows(table, shown(STANDARD))


def _read_file(path: Path, how: How) -> Any:
    zipped = path.suffix.lower() == ".gz"
    known = format_of(str(path)) if how.form is None else Format(how.form, zipped)
    with path.open("rb") as handle:
        # a named pipe cannot go back to its beginning
        return _read(handle if handle.seekable() else io.BytesIO(handle.read()), known, path, how)


def _read(handle: IO[bytes], form: Format, source: str | Path, how: How) -> Any:
    name = str(source)
    try:
        if form.name in COMPRESSED and handle.read(len(GZIP)) == GZIP:
            form = form._replace(compressed=True)  # whatever the name says
        handle.seek(0)
        table = read(handle, form, text=how.text, words=how.words)
    except UNREADABLE as error:
        raise _unreadable(name, error) from None
    except OSError as error:
        if error.errno is not None:  # the system's own: no permission, a failing disk
            raise
        raise _unreadable(name, error) from None
    _check_names(table.column_names, name)
    return table


def _unreadable(name: str, error: Exception) -> InputError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return InputError(f"{name} cannot be read: {reason.removesuffix('.')}.")


def _check_names(names: Iterable[str], source: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(message(f"different names of columns in {source}", f"{name!r} twice"))
        seen.add(name)


def _with_rows(table: Any, source: str) -> Any:
    if table.num_rows == 0:
        raise InputError(message(f"at least one row in {source}", "none"))
    return table


def _check_same_columns(tables: dict[Path, Any]) -> None:
    """Refuse files whose columns differ in name or kind; whole and other numbers may mix."""
    (first, table), *others = tables.items()
    kinds = {field.name: (_kind(field.type), field.type, first) for field in table.schema}
    for path, other in others:
        if set(other.column_names) != set(kinds):
            odd = sorted(set(other.column_names) ^ set(kinds))[0]
            raise InputError(
                message(f"the same columns in {path} as in {first}", f"{odd!r} in one")
            )
        for field in other.schema:
            kind, seen, where = kinds[field.name]
            if kind is None:
                kinds[field.name] = (_kind(field.type), field.type, path)
            elif _kind(field.type) not in (kind, None):
                expected = f"column {field.name!r} of {path} to be {seen} as in {where}"
                raise InputError(message(expected, str(field.type)))


def _kind(arrow_type: Any) -> str | None:
    """What must agree between files: None, of a column without values, agrees with all."""
    if pa.types.is_null(arrow_type):
        return None
    numeric = pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type)
    return "number" if numeric else str(arrow_type)
