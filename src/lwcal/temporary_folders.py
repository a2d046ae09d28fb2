"""Temporary folders that do not stay: the next one made clears what a killed process left."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from lwcal.file_locks import try_lock

ENDING = ".lwcal"
LOCK = f"lock{ENDING}"
LONGEST_NAME = 50
"""Characters of a name that are used. The name of a file has at most 255 bytes."""


@contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """Make a private folder in ``parent`` that is removed after the block.

    Folders of the same name whose process was killed are removed first. On Windows they stay.

    >>> import tempfile
    >>> with temporary_folder(Path(tempfile.gettempdir()), "lwcal") as folder:
    ...     _ = (folder / "rows.csv").write_text("0.5")
    >>> folder.exists()
    False
    """
    clear_abandoned(parent, name)
    folder, handle = _make(parent, name)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def is_temporary(folder: str, name: str) -> bool:
    """Whether :func:`temporary_folder` gives such names to folders.

    >>> is_temporary(".out.csv-k3x_1a.lwcal", "out.csv")
    True
    """
    return folder.startswith(_beginning(name)) and folder.endswith(ENDING)


def clear_abandoned(parent: Path, name: str) -> None:
    """Remove the folders of killed processes."""
    if os.name != "posix":  # there are no locks to tell them by
        return
    with os.scandir(parent) as entries:
        found = [Path(entry.path) for entry in entries if is_temporary(entry.name, name)]
    for folder in found:
        try:
            handle = try_lock(folder / LOCK) if _is_own(folder) else None
        except OSError:  # gone in the meantime, or a file system without locks
            continue
        if handle is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(handle)


def _is_own(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _make(parent: Path, name: str) -> tuple[Path, int]:
    while True:
        folder = Path(mkdtemp(dir=parent, prefix=_beginning(name), suffix=ENDING))
        try:
            handle = try_lock(folder / LOCK)
        except FileNotFoundError:
            continue  # another process took it for abandoned before it was locked
        if handle is not None:
            return folder, handle


def _beginning(name: str) -> str:
    return f".{name[:LONGEST_NAME]}-"
