"""What a report consists of, in every format: sections with paragraphs, grids and points."""

from typing import NamedTuple


class Grid(NamedTuple):
    """A table of texts. ``prose`` says that its cells hold sentences, not numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]
    prose: bool = False


class Section(NamedTuple):
    """A heading with what follows it."""

    title: str
    paragraphs: list[str]
    grids: list[Grid]
    points: list[str]
