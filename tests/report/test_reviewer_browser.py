"""Open pages with reviewers in a real browser."""

import pytest

from tests.report import chromium
from tests.report.chromium import WIDE
from tests.report.test_browser import NARROW


@pytest.mark.parametrize(
    ("name", "scheme", "width"), [("disputes", "light", WIDE), ("animals", "dark", NARROW)]
)
def test_the_section_fits_and_axe_finds_nothing(open_page, reviewer_pages, name, scheme, width):
    """Wide tables and pictures scroll in regions of their own."""
    page = open_page(reviewer_pages / f"{name}.html", width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("document.querySelectorAll('[data-view]').forEach(view => view.hidden = false)")
    chromium.check_accessibility(page)
    region = page.locator("[role=region][aria-label='Reviewers']")
    if width == WIDE:
        assert region.evaluate("region => region.scrollWidth - region.clientWidth") <= 0


def test_tooltips_name_the_reviewer(open_page, reviewer_pages):
    """In the picture of intervals, and both classes in that of a matrix."""
    page = open_page(reviewer_pages / "disputes.html")
    section = page.locator("section[aria-labelledby=reviewers]")
    section.locator(".dot").last.hover()
    chromium.wait_for_tip(page, "Dora: ")
    section.locator(".heat.wrong").first.hover()
    chromium.wait_for_tip(page, "true fine, labelled fraud: ")


def test_print_shows_folded_reviewers(open_page, reviewer_pages):
    """Six matrices, and the three that are folded."""
    page = open_page(reviewer_pages / "animals.html", unfold=False)
    assert page.locator("section[aria-labelledby=reviewers] .heat-map:visible").count() == 6
    page.emulate_media(media="print")
    assert page.locator("#other-reviewers .heat-map:visible").count() == 3
    assert page.locator("#reviewer-classes-table").is_visible()
    page.set_viewport_size({"width": 700, "height": 1000})  # about what is left of A4
    assert page.evaluate("document.documentElement.scrollWidth") == 700
