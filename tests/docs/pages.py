"""The Markdown pages of the repository, and what is in them."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
BUILT = ("docs/gallery", "docs/api/generated")
"""What ``make docs`` writes between the pages."""


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str


def pages():
    """Paths of all pages, relative to the repository."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if not name.startswith(BUILT)]


def text_of(page):
    """Return a page as it is written."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page):
    """Fenced blocks in their order; a list may indent them."""
    pattern = r"(?m)^(?P<indent> *)```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```"
    return [
        Block(match["language"], re.sub(rf"(?m)^{match['indent']}", "", match["text"]))
        for match in re.finditer(pattern, text_of(page), flags=re.DOTALL)
    ]


def prose(page):
    """A page without its fenced blocks and its `code`."""
    without = re.sub(r"(?ms)^ *```.*?^ *```", "", text_of(page))
    return re.sub(r"`[^`\n]*`", "", without)


def anchors(page):
    """Anchors that a code host makes of the headings."""
    headings = re.findall(r"(?m)^#+ (.+)$", re.sub(r"(?ms)^ *```.*?^ *```", "", text_of(page)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
