"""Open the page from a file in a real browser."""

import re

import numpy as np
import pytest
from PIL import Image

import lwcal
from tests.report import chromium, screenshots
from tests.report.chromium import WIDE

NARROW = 360
LAPTOP = {"width": 1366, "height": 768}


def folded(path, open_page):
    """Open a page as a reader finds it, on a laptop."""
    return open_page(path, **LAPTOP, unfold=False)


def test_the_first_screen_of_a_laptop_says_what_to_do(open_page, first_page_file):
    """Headline, next step, facts, both readings and the question about the model, unscrolled."""
    page = folded(first_page_file, open_page)
    parts = (".status", ".next code", ".facts.top", "#readings-table", ".readings .note")
    for part in parts:
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"], part
    assert page.locator(".status").inner_text().endswith("labels first")
    assert page.locator(".next code").inner_text().startswith("lwcal audit serve FILE --budget ")
    assert page.locator(".facts.top dd").first.inner_text() == "1"
    headers = page.locator("#readings-table thead th").all_inner_texts()
    assert headers == ["If every label is right", "If the noise estimate holds"]
    assert page.locator("#readings-table tbody tr").count() == 6
    region = page.locator("[aria-label='Both readings of the labels']")
    assert region.evaluate("region => region.scrollWidth - region.clientWidth") <= 0


@pytest.mark.parametrize("name", ["page_file", "first_page_file"])
def test_the_folded_page_fits_two_screens_of_a_laptop(open_page, request, name):
    """Before an audit, and after it, when the page is about another calibrator."""
    page = folded(request.getfixturevalue(name), open_page)
    assert page.locator(".fold").count() == 8
    assert page.locator(".fold[open]").count() == 0
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= 2 * LAPTOP["height"]


def test_details_are_opened_by_keyboard(open_page):
    """Each is closed at first, and its summary is a button for everyone."""
    page = open_page(unfold=False)
    assert not page.locator("#suspect-table").is_visible()
    page.locator("#suspects summary").press("Enter")
    assert page.locator("#suspect-table").is_visible()
    assert not page.locator("#explorer").is_visible()
    assert "not used by the verdict" in page.locator("#paper summary").inner_text()


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_nothing_scrolls_sideways(open_page, width):
    """On a phone and on a desk; wide tables scroll in a region of their own."""
    page = open_page(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(
    ("width", "table"),
    [
        (NARROW, "Quality before and after, corrected for noise"),
        (NARROW, "Both readings of the labels"),
        (NARROW, "Expected outcome at the threshold"),
        (800, "Cross-fitted candidates"),
    ],
)
def test_what_matters_is_seen_without_scrolling_a_table(open_page, width, table):
    """On a phone, the column After must be visible."""
    page = open_page(width=width)
    page.evaluate("document.querySelectorAll('[data-view]').forEach(view => view.hidden = false)")
    region = page.locator(f"[aria-label='{table}']")
    assert region.is_visible()
    assert region.evaluate("region => region.scrollWidth - region.clientWidth") <= 0


def test_headings_stand_above_what_they_head(open_page):
    """Numbers on the right, words on the left, in every table of the page."""
    page = open_page()
    found = page.evaluate("""[...document.querySelectorAll('table')].flatMap(table => {
        const side = cell => getComputedStyle(cell).textAlign;
        const head = [...table.querySelectorAll('thead tr:last-child th')].map(side);
        const body = [...table.querySelectorAll('tbody tr:first-child > *')].map(side);
        return [[head, body.slice(body.length - head.length)]];
    })""")
    assert len(found) > 5
    for head, body in found:
        assert head == body
    labels = page.locator("#suspect-table tbody td:nth-child(4)").first
    assert labels.evaluate("cell => getComputedStyle(cell).textAlign") == "left"


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", NARROW)])
def test_axe_finds_nothing(open_page, scheme, width):
    """The page meets WCAG 2 A and AA with all views visible."""
    page = open_page(width=width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('[data-view]').forEach(view => view.hidden = false)")
    # rows are all alike, and axe looks at every cell
    rows = "[...document.querySelectorAll('#suspect-table tr')]"
    page.evaluate(f"{rows}.slice(20).forEach(row => row.remove())")
    chromium.check_accessibility(page)


def test_the_theme_follows_the_system_until_the_button_is_pressed(open_page):
    """The button works by keyboard and exposes its state."""
    page = open_page(color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark, button = page.evaluate(background), page.locator("#theme")
    assert button.get_attribute("aria-pressed") == "true"
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert page.evaluate(background) == "rgb(255, 255, 255)" != dark
    button.press("Space")
    assert page.evaluate(background) == dark


def test_labels_are_switched_by_keyboard(open_page):
    """One kind is shown at a time, the labels as they are first."""
    page = open_page(unfold=False)
    shown = "[...document.querySelectorAll('[data-view]')].filter(v => !v.hidden)"
    names = f"{shown}.map(v => v.dataset.view)"
    assert page.evaluate(names) == ["labelled"]
    page.locator("input[value=labelled]").press("ArrowDown")
    assert page.evaluate(names) == ["corrected"]
    page.locator("label", has_text="Trusted labels").click()
    assert page.evaluate(names) == ["trusted"]


def outcomes(page, side):
    """Shares that the explorer shows."""
    cells = [
        page.locator(f"#{name}-{side}").inner_text() for name in ("precision", "recall", "load")
    ]
    return [float(cell.rstrip("%")) / 100 for cell in cells]


def expected_outcomes(values, after, threshold):
    """Precision, recall and load, from the rows."""
    flagged = values >= threshold
    return [after[flagged].mean(), after[flagged].sum() / after.sum(), flagged.mean()]


def test_the_explorer_computes_what_the_rows_say(open_page, example):
    """With the slider by keyboard, with a typed threshold, before and after."""
    page = open_page()
    after = example.calibrator.predict(example.scores)
    slider = page.locator("#threshold")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    assert page.locator("#threshold-number").input_value() == "0.51"
    for threshold in (0.51, 0.3):
        if threshold == 0.3:
            page.locator("#threshold-number").fill("0.3")
        for side, values in (("before", example.scores), ("after", after)):
            expected = expected_outcomes(values, after, threshold)
            np.testing.assert_allclose(outcomes(page, side), expected, atol=0.0006)
    assert "precision" in page.locator("#explorer-status").inner_text()


def test_the_threshold_of_least_cost_follows_the_costs(open_page, example):
    """The best threshold is the share of the false-alarm cost in the sum of both costs."""
    page = open_page()
    page.locator("#cost-alarm").fill("1")
    page.locator("#cost-miss").fill("3")
    best = float(page.locator("#best-threshold-after").inner_text())
    assert best == pytest.approx(0.25, abs=0.005)
    page.locator("#use-best").press("Enter")
    assert float(page.locator("#threshold-number").input_value()) == best
    after = example.calibrator.predict(example.scores)
    cost = np.where(after >= best, 1 - after, 3 * after).mean() * 1000
    shown = page.locator("#outcome-cost-after").inner_text()
    assert float(shown.replace(",", "")) == pytest.approx(cost, abs=0.6)


def test_a_score_is_looked_up_by_keyboard_and_by_pointer(open_page, example):
    """Both show the calibrated probability."""
    page = open_page()
    page.locator("#lookup-score").fill("0.6")
    expected = example.calibrator.predict([0.6])[0]
    assert page.locator("#lookup-result").inner_text() == f"{expected:.1%}"
    page.locator("#lookup-score").fill("2")
    assert "from 0 to 1" in page.locator("#lookup-result").inner_text()
    page.locator("#map-chart").hover()
    page.locator("#tip").wait_for()
    score, probability = (
        page.locator("#tip").inner_text().removeprefix("score ").split(" → probability ")
    )
    assert float(probability) == pytest.approx(
        example.calibrator.predict([float(score)])[0], abs=0.01
    )
    page.locator("[data-view=labelled] .mark").first.hover()
    chromium.wait_for_tip(page, "predicted ")


def test_suspects_are_sorted_by_keyboard(open_page):
    """The order is exposed, and numbers are sorted as numbers."""
    page = open_page()
    header = page.locator("#suspect-table th", has_text="Loss")
    rows = "[...document.querySelectorAll('#suspect-table tbody tr')]"
    values = f"{rows}.map(row => +row.cells[5].textContent)"
    header.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert page.evaluate(values) == sorted(page.evaluate(values), reverse=True)
    header.locator("button").press("Space")
    assert header.get_attribute("aria-sort") == "ascending"
    assert page.evaluate(values) == sorted(page.evaluate(values))
    assert page.locator("[aria-sort]").count() == 1
    identity = page.locator("#suspect-table th", has_text="case").first
    identity.locator("button").press("Enter")
    assert identity.get_attribute("aria-sort") == "ascending"


def test_suspects_are_searched(open_page, data):
    """Matching rows are shown and counted. An empty search shows all rows."""
    page = open_page()
    wanted = data.suspects[7].identity
    page.locator("#search").fill(wanted.upper())
    assert page.locator("#suspect-table tbody tr:visible").count() == 1
    assert page.locator("#search-status").inner_text() == "1 of 200 rows"
    page.locator("#search").fill("")
    assert page.locator("#suspect-table tbody tr:visible").count() == 200


def test_print_shows_everything(open_page):
    """All kinds of labels, all rows, and all that is folded; and a PDF can be made."""
    page = open_page(color_scheme="dark")
    page.locator("#search").fill("nothing like it")
    page.evaluate("document.querySelectorAll('.fold').forEach(fold => fold.open = false)")
    page.emulate_media(media="print")
    for part in ("#map-chart", "#explorer", "#rates svg", "#candidates table", "#paper svg"):
        assert page.locator(part).is_visible(), part
    assert page.locator("[data-view]:visible").count() == 3
    assert page.locator("#suspect-table tbody tr:visible").count() == 200
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.set_viewport_size({"width": 700, "height": 1000})  # about what is left of A4
    cut = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.ariaLabel)"
    )
    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth") == 700
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="screen")
    assert not page.locator("#map-chart").is_visible()


def test_browsers_that_cannot_style_folds_open_them_to_print(open_page):
    """Afterwards the page is as it was: what was open stays open."""
    page = open_page(unfold=False)
    page.locator("#paper summary").click()
    still_open = "[...document.querySelectorAll('.fold[open]')].map(fold => fold.id)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(page.evaluate(still_open)) == 8
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(still_open) == ["paper"]


def test_a_print_cuts_no_table_and_no_figure(open_page):
    """Small tables, figures and the verdict stay on one page; long tables repeat their head."""
    page = open_page(unfold=False)
    page.emulate_media(media="print")
    kept = "e => getComputedStyle(e).breakInside"
    for part in (".verdict", "#readings-table tr", "figure", "#candidates .scroll", ".readings"):
        assert page.locator(part).first.evaluate(kept) == "avoid", part
    assert page.locator("#suspects .scroll").evaluate(kept) == "auto"
    head = page.locator("#suspect-table thead")
    assert head.evaluate("e => getComputedStyle(e).display") == "table-header-group"


def test_without_a_script_everything_but_the_explorer_is_there(browser, page_file):
    """Some mail programs show pages that way."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert page.locator("[data-view]:visible").count() == 3
    assert page.locator("#theme:visible, #search:visible, #explorer:visible").count() == 0
    page.locator("#thresholds summary").click()
    assert page.locator("noscript").is_visible()
    context.close()


def test_hostile_data_stays_text(open_page, hostile_page, tmp_path):
    """It is shown as text, and the script of the page still runs."""
    path = tmp_path / "hostile.html"
    path.write_text(hostile_page, encoding="utf-8")
    page = open_page(path, width=NARROW)
    assert "<script>alert(1)</script>" in page.locator("h1").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW
    assert page.locator("#explorer").is_visible()
    page.locator("#search").fill("</script>")
    assert page.locator("#search-status").inner_text() == "200 of 200 rows"


def test_the_policy_stops_what_is_not_the_pages_own(browser, page_file, tmp_path):
    """An injected script does not run, and nothing is fetched."""
    text = page_file.read_text(encoding="utf-8")
    slipped = "<script>document.title = 'owned'</script><img src='http://127.0.0.1:9/x.png'>"
    path = tmp_path / "slipped.html"
    path.write_text(text.replace("</body>", f"{slipped}</body>"), encoding="utf-8")
    page = browser.new_page()
    refused = []
    page.on("console", lambda said: refused.append(said.text))
    page.goto(path.as_uri())
    assert page.title() != "owned"
    assert sum("Content Security Policy" in said for said in refused) == 2
    page.close()


def test_the_pictures_of_the_documentation_can_be_taken(browser, first_page_file, tmp_path):
    """Both themes, small enough for a repository."""
    screenshots.take(browser, first_page_file, tmp_path)
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert sorted(sizes) == ["report-dark.png", "report-light.png"]
    assert max(sizes.values()) < 400_000


@pytest.mark.parametrize("scheme", screenshots.SCHEMES)
def test_the_pictures_of_the_documentation_show_the_page_as_it_is(first_page_file, scheme):
    """Each picture stores the fingerprint of its page. After a change, run make screenshots."""
    with Image.open(screenshots.FOLDER / f"report-{scheme}.png") as picture:
        assert picture.text[screenshots.PAGE] == screenshots.fingerprint(first_page_file)


def test_the_fingerprint_of_a_page_depends_on_words_and_not_on_numbers(page_file, tmp_path):
    """Numbers differ in their last digits between machines."""
    known = screenshots.fingerprint(page_file)
    text = page_file.read_text(encoding="utf-8")
    assert "Review load" in text
    changes = {"Review load": "Load", "--after: light-dark(#0a5fb0": "--after: light-dark(#0a5fb1"}
    other = tmp_path / "other.html"
    for old, new in changes.items():
        other.write_text(text.replace(old, new), encoding="utf-8")
        assert screenshots.fingerprint(other) != known
    other.write_text(re.sub(r"0\.\d+ (?=<span)", "0.123 ", text), encoding="utf-8")
    assert other.read_text(encoding="utf-8") != text
    assert screenshots.fingerprint(other) == known


def test_a_report_on_a_table_works_without_rows(open_page, example, tmp_path):
    """There is nothing to sort or search, and everything else still works."""
    path = tmp_path / "table.html"
    table = lwcal.ScoreTable.from_arrays(example.scores, example.labels)
    lwcal.report.write_report(example.calibrator, table, path=path)
    page = open_page(path)
    assert page.locator("#explorer").is_visible()
    assert page.locator("#theme").is_visible()
    assert page.locator("#suspect-table").count() == 0
    assert page.locator(".facts.top dd").first.inner_text() == "not recorded"
    page.locator("#threshold").press("ArrowRight")
    assert "%" in page.locator("#precision-after").inner_text()
