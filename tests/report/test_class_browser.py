"""Open the page of several classes in a real browser."""

from dataclasses import replace

import pytest
from PIL import Image

import lwcal
from tests.report import chromium, screenshots
from tests.report.chromium import WIDE
from tests.report.test_browser import LAPTOP, NARROW
from tests.report.test_class_page import many_classes, without_rate


@pytest.fixture
def open_classes(open_page, class_page_file):
    """Open the page of four classes."""

    def open_it(**options):
        return open_page(class_page_file, **options)

    return open_it


def test_the_first_screen_of_a_laptop_says_what_to_do(open_classes):
    """Headline, next step, facts and both readings, unscrolled."""
    page = open_classes(**LAPTOP, unfold=False)
    for part in (".status", ".next code", ".facts.top", "#readings-table"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"], part
    assert page.locator(".status").inner_text().endswith("labels first")
    assert page.locator(".fold[open]").count() == 0
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= 2.5 * LAPTOP["height"]


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_nothing_scrolls_sideways(open_classes, width):
    """Wide tables and the picture of the matrix scroll in regions of their own."""
    page = open_classes(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_what_matters_is_seen_without_scrolling_a_table(open_classes, width):
    """The columns After, and both readings."""
    page = open_classes(width=width)
    page.evaluate("document.querySelectorAll('[data-view]').forEach(view => view.hidden = false)")
    names = [f"Quality before and after, {kind}" for kind in ("labels as they are", "corrected")]
    for name in (*names, "Both readings of the labels"):
        region = page.locator(f"[aria-label^='{name}']").first
        assert region.evaluate("region => region.scrollWidth - region.clientWidth") <= 0, name


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", NARROW)])
def test_axe_finds_nothing(open_classes, scheme, width):
    """The page meets WCAG 2 A and AA with all views visible."""
    page = open_classes(width=width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('[data-view]').forEach(view => view.hidden = false)")
    chromium.check_accessibility(page)


def test_numbers_of_the_picture_can_be_read_in_both_themes(open_classes):
    """Their contrast with the cell behind is at least 4.5, in the darkest cells too."""
    contrast = """() => {
        const options = {willReadFrequently: true};
        const canvas = document.createElement('canvas').getContext('2d', options);
        const light = (colour) => {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
                const share = part / 255;
                return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        return [...document.querySelectorAll('.heat')].flatMap((cell) => {
            const text = light(getComputedStyle(cell.nextElementSibling).fill);
            const levels = [0, 1, 2, 3, 4, 5, 6];
            return levels.map((level) => {
                cell.classList.remove(...levels.map((other) => `level${other}`));
                cell.classList.add(`level${level}`);
                const back = light(getComputedStyle(cell).fill);
                return (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
            });
        });
    }"""
    for scheme in ("light", "dark"):
        found = open_classes(color_scheme=scheme).evaluate(contrast)
        assert len(found) == 16 * 7
        assert min(found) >= 4.5, scheme
        assert max(found) <= 21


def test_the_switch_changes_all_views_together(open_classes):
    """Most probable class and panels are judged by the same labels."""
    page = open_classes()
    shown = "[...document.querySelectorAll('[data-view]')].filter(v => !v.hidden)"
    names = f"{shown}.map(v => v.dataset.view)"
    assert page.evaluate(names) == ["labelled", "labelled"]
    page.locator("input[value=labelled]").press("ArrowDown")
    assert page.evaluate(names) == ["corrected", "corrected"]
    assert page.locator(".panels svg:visible").count() == 4


def test_tooltips_name_both_classes(open_classes):
    """The cell of true foxes that are labelled as wolves."""
    page = open_classes()
    page.locator(".heat.confused").first.hover()
    chromium.wait_for_tip(page, "true fox, labelled wolf: ")
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()
    page.locator(".panels svg").first.locator(".mark").last.hover()
    chromium.wait_for_tip(page, "predicted ")


def test_one_kind_of_labels_needs_no_switch(open_page, class_data, tmp_path):
    """If the noise is not identified, nothing is corrected for it."""
    path = tmp_path / "one.html"
    unknown = without_rate(class_data, 2)
    one_view = replace(unknown, views=unknown.views[:1])
    path.write_text(lwcal.report.render(one_view), encoding="utf-8")
    page = open_page(path)
    assert not page.locator("#label-switch").is_visible()
    assert page.locator("#theme").is_visible()
    assert page.locator("#matrix-table .unknown").is_visible()


def test_a_large_picture_scrolls_in_its_region(open_page, class_data, tmp_path):
    """Twenty classes fit a desk, and a phone scrolls."""
    path = tmp_path / "many.html"
    data = many_classes(class_data, 30)
    path.write_text(lwcal.report.render(data), encoding="utf-8")
    page = open_page(path, width=NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW
    region = page.locator("[aria-label='Picture of the noise matrix']")
    assert region.evaluate("region => region.scrollWidth > region.clientWidth")
    assert "10 of 30 classes are left out" in page.locator("main").inner_text()


def test_print_shows_everything(open_classes):
    """All kinds of labels and all that is folded, on white paper; and a PDF can be made."""
    page = open_classes(color_scheme="dark", unfold=False)
    page.emulate_media(media="print")
    for part in (".heat-map", "#matrix-table", "#class-table", "#candidates table", ".hypotheses"):
        assert page.locator(part).is_visible(), part
    assert page.locator("[data-view]:visible").count() == 4
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.set_viewport_size({"width": 700, "height": 1000})  # about what is left of A4
    assert page.evaluate("document.documentElement.scrollWidth") == 700
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_a_script_everything_is_there(browser, class_page_file):
    """Some mail programs show pages that way."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(class_page_file.as_uri())
    page.locator("#panels summary").click()
    assert page.locator("[data-view]:visible").count() == 4
    assert page.locator(".heat-map").is_visible()
    assert page.locator("#theme:visible").count() == 0
    context.close()


@pytest.mark.parametrize("scheme", screenshots.SCHEMES)
def test_the_pictures_of_the_documentation_show_the_page_as_it_is(class_page_file, scheme):
    """Each picture stores the fingerprint of its page. After a change, run make screenshots."""
    path = screenshots.FOLDER / f"{screenshots.CLASSES}-{scheme}.png"
    assert path.stat().st_size < 400_000
    with Image.open(path) as picture:
        assert picture.text[screenshots.PAGE] == screenshots.fingerprint(class_page_file)
