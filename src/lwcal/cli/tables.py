"""Tables for people, who may have eighty columns, or sixty."""

from rich.table import Table

from lwcal.cli.console import stdout
from lwcal.estimates import Estimate
from lwcal.metrics import Corrected

ROOMY = 80
"""Columns of a terminal from which on a table may be spacious."""


def numbers_table(*columns: str, caption: str | None = None) -> Table:
    """Table of names, which are never cut, and numbers, which stand on the right.

    A heading breaks where it says so and not where a terminal ends: an interval would be broken
    in its place.
    """
    shown = _plain(caption=caption, caption_justify="left")
    first, *others = columns
    shown.add_column(first, no_wrap=True)
    for name in others:
        shown.add_column(name, justify="right")
    return shown


def facts_table() -> Table:
    """Table without a heading: name, value and what it means."""
    shown = _plain(show_header=False)
    shown.add_column(no_wrap=True)
    return shown


def with_interval(found: Corrected | Estimate, form: str = ".3f") -> str:
    r"""A value with its interval, as a cell.

    >>> with_interval(Corrected(0.25, 0.1, 0.4, 0.9))
    '0.250 \\[0.100, 0.400]'
    """
    return f"{found.value:{form}} \\[{found.low:{form}}, {found.high:{form}}]"


def _plain(**options: object) -> Table:
    gap = 2 if stdout().width >= ROOMY else 1
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), **options)  # type: ignore[arg-type]
