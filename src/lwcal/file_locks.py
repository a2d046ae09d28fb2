"""Locks between processes, as files.

The system takes a lock back when its process ends, however it ends. So a lock file that nobody
holds was left behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where every lock is granted
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file of this name during the block; wait while another holder has it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with locked(Path(folder, "lock")):
    ...         print(try_lock(Path(folder, "lock")))
    None
    """
    handle = None
    while handle is None:
        handle = _lock(path, wait=True)
    try:
        yield
    finally:
        with suppress(OSError):  # an open file cannot be removed on Windows
            path.unlink()
        os.close(handle)


def try_lock(path: Path) -> int | None:
    """Take a lock, and return the open file that holds it until it is closed; None if taken."""
    return _lock(path, wait=False)


def _lock(path: Path, *, wait: bool) -> int | None:
    # a link is not followed: in a shared folder, anybody could have made it
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        if os.path.samestat(path.stat(), os.fstat(handle)):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass  # held by another process, or its holder removed the file
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None
