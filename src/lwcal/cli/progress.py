"""The progress bar of long runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from lwcal.cli.console import stderr

PATIENCE = 1.0
"""Seconds after which the next step shows a bar: who waits for two seconds wants to know why."""


def _bar(console: Console, *, transient: bool = False) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=transient)


@contextmanager
def cells_progress(console: Console, *, total: int, done: int) -> Iterator[Callable[[], None]]:
    """Show a bar, and yield what to call after each finished cell."""
    with _bar(console) as progress:
        task = progress.add_task("cells", total=total, completed=done)
        yield lambda: progress.advance(task)


@contextmanager
def late_progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Yield what to call after each step; a bar appears on a terminal when it takes long."""
    console, began = stderr(), monotonic()
    progress = _bar(console, transient=True)
    task = progress.add_task(what, total=total)

    def advance() -> None:
        progress.advance(task)
        if console.is_terminal and monotonic() - began > PATIENCE:
            progress.start()  # once it runs, this does nothing

    try:
        yield advance
    finally:
        if progress.live.is_started:  # to stop what never ran would print an empty line
            progress.stop()
