"""A progress bar that appears only when something takes long."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lwcal.cli.bar import Bar

PATIENCE = 1.0
"""Seconds until a bar appears."""
TERMINALS = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables of the environment that declare a terminal; rich reads them too."""


@contextmanager
def late_progress(what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Yield the function to call after each step; a bar appears on a terminal after a second.

    Without a total the bar only shows that the program is working. A timer starts the bar, because
    the first step, or the only one, may be the long one.
    """
    bar = _LateBar(what, total)
    if not (sys.stderr.isatty() or any(map(os.environ.get, TERMINALS))):
        yield bar.advance
        return
    clock = Timer(PATIENCE, bar.start)
    clock.daemon = True
    clock.start()
    try:
        yield bar.advance
    finally:
        clock.cancel()
        clock.join()  # it may be starting the bar at this moment
        bar.stop()


class _LateBar:
    """Counts the steps, and shows them once it is started; rich is imported only then."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what, self._total = what, total
        self._done = 0
        self._lock = Lock()  # another thread starts the bar
        self._bar: Bar | None = None

    def start(self) -> None:
        from lwcal.cli.bar import Bar

        with self._lock:
            self._bar = Bar(self._what, self._total, self._done)

    def advance(self) -> None:
        with self._lock:
            self._done += 1
            if self._bar is not None:
                self._bar.advance()

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
