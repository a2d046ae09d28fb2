"""Atomic writes: a file has its old content or the new one, never a part."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lwcal.errors import OutputError
from lwcal.files import PathLike
from lwcal.temporary_folders import is_temporary, temporary_folder

NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""Errors of file systems on which a file cannot have two names."""


def check_writable(target: PathLike, *, overwrite: bool) -> Path:
    """Refuse a target before any work is done for it, and return its path."""
    path = Path(target)
    if path.is_dir():
        raise OutputError(f"{path} is a folder, expected the name of a file.")
    if not path.parent.is_dir():
        raise OutputError(f"{path} cannot be written: no such folder. Create {path.parent} first.")
    if path.exists():
        if not path.is_file():
            raise OutputError(f"{path} is a device or a pipe, expected the name of a file.")
        if not overwrite:
            raise _exists(path)
        if not os.access(path, os.W_OK):
            raise OutputError(f"{path} is read-only; choose another name, or allow writing to it.")
    return path


def refuse_inputs(target: PathLike | None, *sources: PathLike | None) -> None:
    """Refuse to replace a file that is read: what it holds would be lost.

    Sources that are not names of files, such as ``-`` or a pattern, are no files to lose.
    """
    for source in sources:
        if target is None or source is None:
            continue
        try:
            same = Path(target).samefile(source)
        except (OSError, ValueError):  # one of them is no file
            continue
        if same:
            raise OutputError(
                f"{target} is the file that is read; choose another name for what is written."
            )


@contextmanager
def replacing(
    target: PathLike, *, overwrite: bool = False, durable: bool = False
) -> Iterator[Path]:
    """Yield the name of a temporary file that takes the target's name when the block succeeds.

    A link is followed, and an existing file keeps its permissions. With ``durable``, the content
    is flushed to disk before the rename, and the folder after it. A power cut then loses neither
    the old content nor, once this returns, the new.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    path = check_writable(target, overwrite=overwrite)
    real = path.resolve() if path.is_symlink() else path
    # in the same folder, because a rename cannot cross file systems
    with _naming(path, real), temporary_folder(real.parent, real.name) as folder:
        temporary = folder / real.name
        yield temporary
        if real.exists():
            shutil.copymode(real, temporary)
        if durable:
            _to_disk(temporary)
        _rename(temporary, real, path, overwrite=overwrite)
        if durable and os.name == "posix":  # Windows cannot open folders
            _to_disk(real.parent)


def write_json(document: dict[str, Any], target: PathLike, *, overwrite: bool = False) -> None:
    """Write a document as strict JSON; NaN and infinities are refused."""
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    with replacing(target, overwrite=overwrite) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _rename(temporary: Path, real: Path, shown: Path, *, overwrite: bool) -> None:
    if overwrite:
        temporary.replace(real)
        return
    try:
        # unlike a rename, this fails if another process has written the file in the meantime
        real.hardlink_to(temporary)
    except FileExistsError:
        raise _exists(shown) from None
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        temporary.replace(real)


def _exists(path: Path) -> OutputError:
    return OutputError(f"{path} exists; pass --force (overwrite=True) to replace it.")


@contextmanager
def _naming(path: Path, real: Path) -> Iterator[None]:
    """Name the target in errors of the system: users do not know the temporary file."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not _is_own(error.filename, real):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _is_own(name: Any, real: Path) -> bool:
    if name is None:
        return True
    path = Path(os.fsdecode(name))
    return any(is_temporary(part, real.name) for part in (path.name, path.parent.name))


def _to_disk(path: Path) -> None:
    # a folder cannot be opened for writing
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
