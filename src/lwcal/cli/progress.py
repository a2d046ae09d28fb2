"""The progress bar of long runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from lwcal.cli.console import stderr

PATIENCE = 1.0
"""Seconds after which there is a bar: who waits for two seconds wants to know why."""


class _Done(MofNCompleteColumn):
    """Steps that are done, where they are counted."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


class _Remaining(TimeRemainingColumn):
    """Time that is left, where it can be told."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


def _bar(console: Console, *, transient: bool = False) -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        _Done(),
        TimeElapsedColumn(),
        _Remaining(),
    )
    return Progress(*columns, console=console, transient=transient)


@contextmanager
def cells_progress(console: Console, *, total: int, done: int) -> Iterator[Callable[[], None]]:
    """Show a bar, and yield what to call after each finished cell."""
    with _bar(console) as progress:
        task = progress.add_task("cells", total=total, completed=done)
        yield lambda: progress.advance(task)


@contextmanager
def late_progress(what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Yield what to call after each step; a bar appears on a terminal when it takes long.

    Without a total the bar only shows that something is going on. It is started by a clock, for
    the first step, or the only one, may be the long one.
    """
    console = stderr()
    progress = _bar(console, transient=True)
    task = progress.add_task(what, total=total)
    clock = Timer(PATIENCE, progress.start)
    clock.daemon = True
    if console.is_terminal:
        clock.start()
    try:
        yield lambda: progress.advance(task)
    finally:
        clock.cancel()
        if clock.is_alive():
            clock.join()  # it may be starting the bar just now
        if progress.live.is_started:  # to stop what never ran would print an empty line
            progress.stop()
