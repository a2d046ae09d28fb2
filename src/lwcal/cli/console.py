"""Output for people and programs: results, notes, errors and tables.

Results go to standard output; notes and errors go to standard error. rich is imported for tables
and colours only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lwcal.estimates import Estimate, whole_percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

ROOMY = 80
"""Width of a terminal, in characters, from which tables have wide gaps."""


def stdout() -> Console:
    """Console on standard output."""
    from rich.console import Console

    return Console(highlight=False)


def stderr() -> Console:
    """Console on standard error that does not wrap lines."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def note(text: str) -> None:
    """Print a line that is not part of the result."""
    print(text, file=sys.stderr)


def fail(reason: str) -> None:
    """Print an error as one line, in red on a terminal."""
    line = f"Error: {' '.join(reason.split())}"
    if sys.stderr.isatty():
        stderr().print(line, style="red")
    else:
        note(line)


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


def share_with_interval(found: Iterable[float]) -> str:
    r"""Format a share with its interval, for a cell of a table.

    >>> share_with_interval(Estimate(0.25, 0.001, 0.4))
    '25% \\[0.1%, 40%]'
    """
    value, low, high = map(whole_percent, found)
    return f"{value} \\[{low}, {high}]"


def _plain_table(**options: Any) -> Table:
    from rich.table import Table

    gap = 2 if stdout().width >= ROOMY else 1
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), **options)
