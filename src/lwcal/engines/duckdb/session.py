"""Connections to DuckDB, and translation of its errors."""

from __future__ import annotations

import errno
import os
import re
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from lwcal.errors import InputError, LwcalError, missing_extra
from lwcal.temporary_folders import temporary_folder

try:
    import duckdb
    import pyarrow  # DuckDB hands rows over as Arrow batches
except ImportError as error:
    raise missing_extra(str(error.name), "cli", "lwcal.engines.duckdb") from None

BATCH_ROWS = 1 << 17
MACHINE = (
    errno.ENOSPC,
    errno.EFBIG,
    errno.EACCES,
    errno.EIO,
    errno.EDQUOT,
    errno.EROFS,
    errno.ENOMEM,
    errno.EMFILE,
)
"""System errors that DuckDB reports as text."""


@contextmanager
def session(connection: Any = None, threads: int | None = None) -> Iterator[Any]:
    """Yield a cursor of the given connection, or of a new one that is closed at the end."""
    with ExitStack() as stack:
        if connection is None:
            used = duckdb.connect(config=_config(stack.enter_context(spill_folder())))
        else:
            used = connection.cursor()
        stack.callback(used.close)
        # only for this cursor: DuckDB's progress bar would mix with the output of the program
        used.execute("SET enable_progress_bar = false")
        if connection is None and threads is not None:
            used.execute(f"SET threads = {int(threads)}")
        with _interruptible(used):
            yield used


def spill_folder() -> AbstractContextManager[Path]:
    """Make a private folder among the temporary files of the machine."""
    return temporary_folder(Path(tempfile.gettempdir()), "lwcal")


@contextmanager
def _interruptible(cursor: Any) -> Iterator[None]:
    """Stop the query on all threads on Ctrl-C; DuckDB alone may wait for busy threads."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield  # only the main thread can handle signals, and only with a handler in Python
        return

    def stop_first(number: int, frame: Any) -> Any:
        cursor.interrupt()
        return usual(number, frame)

    signal.signal(signal.SIGINT, stop_first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _config(spill: Path) -> dict[str, Any]:
    return {
        # every file is read once, so a cache of its blocks would only fill the memory
        "enable_external_file_cache": False,
        # spill to the folder of temporary files, not to the working folder
        "temp_directory": str(spill),
        # never download extensions unless the user has set them up
        "autoinstall_known_extensions": False,
    }


@contextmanager
def explained(name: str, *, writing: str | None = None) -> Iterator[None]:
    """Translate errors of DuckDB: of the input to InputError, of the machine to OSError."""
    try:
        yield
    except LwcalError:
        raise
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # Ctrl-C ends most queries this way
        if "interrupted" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None
    except duckdb.OutOfMemoryException:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), name) from None
    # a query that fails while its batches are read raises Arrow's errors, without an errno
    except (duckdb.Error, pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        said = str(error)
        for number in MACHINE:
            if os.strerror(number).lower() in said.lower():
                raise OSError(number, os.strerror(number), writing or name) from None
        raise InputError(_reason(said, name)) from None


def _reason(said: str, name: str) -> str:
    """Reduce an error message to one line that names the file."""
    line = re.search(r"CSV Error on Line: (\d+)", said)
    if line:
        file = re.search(r"^\s*file = (.+)$", said, flags=re.MULTILINE)
        rest = [text for text in said.splitlines()[1:] if not text.startswith("Original Line")]
        what = rest[0].strip() if rest else "it is not valid CSV"
        where = file[1] if file and len(file[1]) < 500 else name
        return f"{where} cannot be read: CSV line {line[1]}: {what.removesuffix('.')}."
    text = re.sub(r"^[A-Z][\w -]* Error: ", "", said.strip()).splitlines()[0]
    return f"{name} cannot be read: {text.removesuffix('.')}."


def only_row(cursor: Any, sql: str) -> tuple[Any, ...]:
    """Return the only row of a query; it is fetched, as an unread result blocks a connection."""
    (row,) = cursor.execute(sql).fetchall()
    return tuple(row)


def quoted(name: str) -> str:
    """Quote a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"
