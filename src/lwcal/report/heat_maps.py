"""Matrices of true classes and labels as coloured cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

LEVELS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares from which on a cell is darker."""
MOST_LETTERS = 12
"""Of a name beside the heat map; the table has the whole name."""
NAMES_WIDTH, LETTER_HEIGHT, LEAST_HEIGHT = 118.0, 5.2, 24.0
"""Room for the names of rows; and for those of columns, which are turned."""
LARGE_CELL, SMALL_CELL = 46.0, 30.0
MOST_LARGE_CELLS = 12


class HeatCell(NamedTuple):
    """A cell of the heat map, and what is said about it."""

    x: float
    y: float
    level: int
    text: str
    tip: str
    is_right: bool = False
    is_confused: bool = False


class HeatName(NamedTuple):
    """The name of a row or column, cut and whole."""

    text: str
    whole: str
    at: float = 0.0


class HeatMap(NamedTuple):
    """A matrix as coloured cells, with a true class in each row."""

    width: float
    height: float
    left: float
    top: float
    size: float
    cells: list[HeatCell]
    true: list[HeatName]
    labels: list[HeatName]


class Content(NamedTuple):
    """What a cell shows; a share of None is not known."""

    share: float | None
    interval: str = ""
    is_confused: bool = False


def draw_matrix(
    names: Sequence[str], content: Callable[[int, int], Content], unknown: str = ""
) -> HeatMap:
    """Draw a matrix.

    Parameters
    ----------
    names : sequence of str
        Of the classes that are drawn.
    content : callable
        What the cell of a true class and a label shows, both counted from 0.
    unknown : str
        What is said about shares that are not known.
    """
    size = LARGE_CELL if len(names) <= MOST_LARGE_CELLS else SMALL_CELL
    shown = [HeatName(cut(name), name) for name in names]
    top = LEAST_HEIGHT + LETTER_HEIGHT * max(len(name.text) for name in shown)

    def cell(row: int, column: int) -> HeatCell:
        share, interval, is_confused = content(row, column)
        x, y = NAMES_WIDTH + column * size, top + row * size
        about = f"true {names[row]}, labelled {names[column]}"
        if share is None:
            return HeatCell(x, y, 0, "?", f"{about}: {unknown}")
        text = "" if share < LEVELS[0] else f"{100 * share:.0f}"
        tip = f"{about}: {share:.1%} ({interval})"
        return HeatCell(x, y, _level(share), text, tip, row == column, is_confused)

    places = range(len(shown))
    return HeatMap(
        NAMES_WIDTH + len(shown) * size + 4.0,
        top + len(shown) * size + 4.0,
        NAMES_WIDTH,
        top,
        size,
        [cell(row, column) for row in places for column in places],
        [name._replace(at=top + (place + 0.5) * size) for place, name in enumerate(shown)],
        [name._replace(at=NAMES_WIDTH + (place + 0.5) * size) for place, name in enumerate(shown)],
    )


def cut(name: str, letters: int = MOST_LETTERS) -> str:
    """Shorten a long name.

    >>> cut("short"), cut("a much longer name")
    ('short', 'a much long…')
    """
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _level(share: float) -> int:
    return int(np.searchsorted(np.array(LEVELS), share, side="right"))
