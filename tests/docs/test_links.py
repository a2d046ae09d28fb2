"""Links between the files of the repository, as a code host follows them."""

import re
from pathlib import PurePosixPath

import pytest

from tests.docs.pages import ROOT, anchors, pages, prose, text_of

LINK = re.compile(r"\]\(([^)\s]+)\)")
IMAGE = re.compile(r'(?:src|srcset)="([^"]+)"')


def targets(page):
    """Where a page points to inside of the repository: files and anchors."""
    found = LINK.findall(prose(page)) + IMAGE.findall(text_of(page))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("page", pages())
def test_every_link_leads_somewhere(page):
    """To a file, and to a heading in it."""
    for target in targets(page):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        assert file.resolve().is_relative_to(ROOT), target
        if anchor:
            there = PurePosixPath(file.resolve().relative_to(ROOT)).as_posix()
            assert anchor in anchors(there), target


def test_links_are_found():
    """In text and in pictures, not in code."""
    assert "docs/benchmarks/leaderboard.md" in targets("README.md")
    assert "../images/audit-dark.png" in targets("docs/guide/audit.md")
