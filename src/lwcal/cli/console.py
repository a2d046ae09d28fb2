"""Output for people and programs: results, notes, errors, tables and progress bars.

Results go to standard output; notes, errors and progress bars go to standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

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
from rich.table import Table
from rich.text import Text

from lwcal.estimates import Estimate

ROOMY = 80
"""Width of a terminal, in characters, from which tables have wide gaps."""
PATIENCE = 1.0
"""Seconds until a progress bar appears."""


def stdout() -> Console:
    """Console on standard output."""
    return Console(highlight=False)


def stderr() -> Console:
    """Console on standard error that does not wrap lines."""
    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False)


def say(text: str) -> None:
    """Print a line of the result without wrapping it."""
    stdout().print(text, soft_wrap=True, markup=False)


def note(text: str) -> None:
    """Print a line that is not part of the result."""
    stderr().print(text)


def fail(reason: str) -> None:
    """Print an error as one line."""
    one_line = " ".join(reason.split())
    stderr().print(f"Error: {one_line}", style="red" if sys.stderr.isatty() else None)


def print_json(document: dict[str, Any]) -> None:
    """Print a result for programs."""
    print(json.dumps(document, indent=1, allow_nan=False))


def numbers_table(*columns: str, caption: str | None = None) -> Table:
    """Table of names, which are never cut, and numbers, which are aligned on the right.

    A heading breaks only where it contains a line break; otherwise a narrow terminal would break
    the headings instead of the intervals.
    """
    table = _plain_table(caption=caption, caption_justify="left")
    first, *others = columns
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right")
    return table


def facts_table() -> Table:
    """Table without a heading, with the columns name, value and explanation."""
    table = _plain_table(show_header=False)
    table.add_column(no_wrap=True)
    return table


def with_interval(found: Estimate, form: str = ".3f") -> str:
    r"""Format a value with its interval, for a cell of a table.

    >>> with_interval(Estimate(0.25, 0.1, 0.4))
    '0.250 \\[0.100, 0.400]'
    """
    return f"{found.value:{form}} \\[{found.low:{form}}, {found.high:{form}}]"


def _plain_table(**options: Any) -> Table:
    gap = 2 if stdout().width >= ROOMY else 1
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), **options)


class _Done(MofNCompleteColumn):
    """Number of finished steps, if the steps are counted."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


class _Remaining(TimeRemainingColumn):
    """Remaining time, if it can be estimated."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


def _bar(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        _Done(),
        TimeElapsedColumn(),
        _Remaining(),
    )
    return Progress(*columns, console=console, transient=True)


@contextmanager
def late_progress(what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Yield the function to call after each step; a bar appears on a terminal after a second.

    Without a total the bar only shows that the program is working. A timer starts the bar, because
    the first step, or the only one, may be the long one.
    """
    console = stderr()
    progress = _bar(console)
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
            clock.join()  # it may be starting the bar at this moment
        if progress.live.is_started:  # stopping a bar that never started prints an empty line
            progress.stop()
