"""The progress bar of a step, drawn by rich."""

from __future__ import annotations

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


class Bar:
    """A bar on standard error, if that is a terminal; it is shown until it is stopped.

    Parameters
    ----------
    what : str
    total : int or None
        Number of steps; None if they are not counted.
    done : int
        Steps that are finished already.
    """

    def __init__(self, what: str, total: int | None, done: int) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            _Done(),
            TimeElapsedColumn(),
            _Remaining(),
        )
        console = stderr()
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task(what, total=total, completed=done)
        if console.is_terminal:
            self._progress.start()

    def advance(self) -> None:
        """Count a step."""
        self._progress.advance(self._task)

    def stop(self) -> None:
        """Remove the bar."""
        if self._progress.live.is_started:  # stopping one that never started prints an empty line
            self._progress.stop()


class _Done(MofNCompleteColumn):
    """Number of finished steps, if the steps are counted."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


class _Remaining(TimeRemainingColumn):
    """Remaining time, if it can be estimated."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)
