"""Files that are either complete or not there."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from lwcal.errors import OutputError, message

PathLike: TypeAlias = str | os.PathLike[str]


def check_writable(target: PathLike, *, overwrite: bool) -> Path:
    """Refuse a target before any work is done for it."""
    path = Path(target)
    if path.is_dir():
        raise OutputError(message("a file name to write to", f"the folder {path}"))
    if not path.parent.is_dir():
        raise OutputError(
            message(f"the folder {path.parent} to exist", "no such folder", "create it first")
        )
    if path.exists() and not overwrite:
        raise OutputError(
            message(f"{path} not to exist", "a file", "pass --force (overwrite=True) to replace it")
        )
    return path


@contextmanager
def replacing(target: PathLike, *, overwrite: bool = True, durable: bool = False) -> Iterator[Path]:
    """Yield a temporary file that takes the target's name when the block ends well.

    With ``durable`` it is on the disk before that, and so is its name after: a power cut loses
    neither the old content nor, once this returns, the new.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    path = check_writable(target, overwrite=overwrite)
    with _naming(path):
        # beside the target, so that the rename stays on one file system; the suffix tells
        # writers such as matplotlib which format is wanted
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix, delete=False
        ) as handle:
            temporary = Path(handle.name)
        try:
            yield temporary
            temporary.chmod(0o666 & ~_umask())  # temporary files start out private
            if durable:
                _to_disk(temporary)
            temporary.replace(path)
            if durable and os.name == "posix":  # elsewhere folders cannot be opened
                _to_disk(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let errors of the system speak of the target: nobody knows the temporary file."""
    try:
        yield
    except OSError as error:
        own = error.filename is None or Path(str(error.filename)).name.startswith(f".{path.stem}-")
        if error.errno is None or not own:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _to_disk(path: Path) -> None:
    # not for writing: that would be refused for a folder
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write_json(document: dict[str, Any], target: PathLike, *, overwrite: bool = True) -> None:
    """Write a document in strict JSON: NaN and infinities are refused."""
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    with replacing(target, overwrite=overwrite) as temporary:
        temporary.write_text(text, encoding="utf-8")
