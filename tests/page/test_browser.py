"""The page in a real browser with the real server."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.cli.app import run
from tests.page.conftest import HARD, LONG
from tests.report import chromium

WIDE, NARROW = 1280, 360


def test_labels_are_checked_with_the_keyboard_alone(open_window, server, sheet, folder):
    """Yes, no, skip and undo; each is in the sheet before the next row appears."""
    window = open_window(server)
    assert window.text("#place") == "Row 1 of 10"
    for place, (key, cell) in enumerate([("y", "1"), ("n", "0"), ("s", "skip"), ("1", "1")], 1):
        window.press(key)
        assert sheet()["audited_label"][place - 1] == cell
        assert window.text("#place") == f"Row {place + 1} of 10"
        assert window.page.evaluate("document.activeElement.id") == "place"
    assert window.text("#count") == "3 of 10 checked, 1 skipped"
    window.press("u")
    assert window.text("#place") == "Row 4 of 10"
    assert list(sheet()["audited_label"]) == ["1", "0", "skip", *[""] * 7]
    assert "Row 4 is open again" in window.text("#outcome")


def test_buttons_do_the_same_and_tab_reaches_them(open_window, server, sheet):
    """Shortcut keys can be turned off, for people who use speech input."""
    window = open_window(server)
    window.page.locator("#keys").press("Enter")
    window.page.keyboard.press("y")
    window.page.locator("#place").focus()
    seen = []
    for _ in range(8):
        window.page.keyboard.press("Tab")
        seen.append(window.page.evaluate("document.activeElement.id"))
        if seen[-1] == "yes":
            break
    assert seen[-2:] == ["no", "yes"]  # by the names of the classes, 0 and 1
    assert window.text("#no").split() == ["0", "no"]  # its key is hidden
    window.press("Enter")
    assert list(sheet()["audited_label"])[:2] == ["1", ""]
    window.page.locator("#undo").click()
    window.wait("document.getElementById('count').textContent.startsWith('0 of')")
    assert window.page.locator("#undo").is_disabled()


def test_nothing_tells_label_score_or_estimate_before_the_last_answer(
    open_window, server, sheet, folder
):
    """Neither what is seen nor what the browser receives; an answer is not commented on."""
    source = pd.read_csv(folder / "scores.csv", dtype=str).iloc[
        sheet()["audit_row"].astype(int) - 1
    ]
    secrets = [*source["score"], *source["p_calibrated"]]
    secrets += [f"{float(score):.3f}" for score in source["score"]]
    window, outcomes = open_window(server), set()
    window.reload_and_listen()
    for place in range(1, 11):
        window.wait(f"document.getElementById('place').textContent === 'Row {place} of 10'")
        assert window.page.locator("#result").is_hidden()
        assert window.page.locator("#claim").is_hidden()
        assert window.page.title() == f"{place - 1}/10 · Check labels"
        content = window.page.content()
        assert not [secret for secret in secrets if secret in content]
        window.press("y")
        said = window.text("#outcome").replace(f"Row {place}", "Row")
        outcomes.add((said, window.page.locator("#outcome").get_attribute("class").strip()))
    assert outcomes == {("Row: you answered 1.", "outcome")}
    assert source["label"].nunique() == 2  # so that some answers agreed and others did not
    states = [document for document in window.documents() if "next" in document]
    before = [document for document in states if document["next"]]
    assert len(before) >= 9
    assert {document["estimate"] for document in before} == {None}
    assert {frozenset(document["next"]) for document in before} == {
        frozenset(("row", "place", "fields"))
    }
    text = json.dumps(before)
    assert not [secret for secret in secrets if secret in text]
    window.estimated()


def test_label_and_score_can_be_shown(open_window, serve, sheet, folder):
    """On purpose; the answer is not commented on all the same, and axe finds nothing."""
    window = open_window(serve("--budget", "4", "--show-label"), width=NARROW, bypass_csp=True)
    source = pd.read_csv(folder / "scores.csv")
    for row in sheet()["audit_row"].astype(int) - 1:
        label, score = source.loc[row, ["label", "score"]]
        assert window.text("#claim").split() == ["Label", f"{label:.0f}", "Score", f"{score:.3f}"]
        assert violations(window) == []
        window.press("y")
        assert re.fullmatch(r"Row \d: you answered 1\.", window.text("#outcome"))


def test_a_sheet_with_every_column_is_resumed_blind(open_window, server, serve, sheet, folder):
    """As earlier versions wrote it; --hide-column hides one more."""
    old, path = sheet(), folder / "scores.audit.csv"
    source = pd.read_csv(folder / "scores.csv", dtype=str)
    for name in ("score", "label", "w", "p_calibrated"):
        old.insert(0, name, source[name].to_numpy()[old["audit_row"].astype(int) - 1])
    old.to_csv(path, index=False, encoding="utf-8-sig")
    window = open_window(serve("--hide-column", "formula"))
    shown = window.page.locator("#fields dt").all_text_contents()
    assert shown == ["case", *(name for name in HARD if name != "formula")]
    window.press("y")
    assert list(sheet()["audited_label"])[:2] == ["1", ""]


def test_the_two_answers_look_alike(open_window, server):
    """Neither colour nor size suggests a class."""
    window = open_window(server)
    looks = [
        window.page.locator(name).evaluate(
            "e => [getComputedStyle(e).borderColor, getComputedStyle(e).color, "
            "getComputedStyle(e).backgroundColor, e.offsetWidth, e.offsetHeight]"
        )
        for name in ("#yes", "#no")
    ]
    assert looks[0] == looks[1]


def test_hostile_values_are_shown_and_not_run(open_window, server, sheet):
    """Scripts, long text and other alphabets; the row fits the window."""
    window = open_window(server, width=NARROW)
    for _ in range(3):
        shown = dict(
            zip(
                *(window.page.locator(f"#fields {part}").all() for part in ("dt", ".value")),
                strict=True,
            )
        )
        texts = {name.text_content(): value.text_content() for name, value in shown.items()}
        assert texts.pop("case").startswith("c-")
        assert texts == {**HARD, "empty": "\N{EN DASH}"}
        scrolls = [v.text_content() for v in shown.values() if v.evaluate("e => e.tabIndex") == 0]
        assert scrolls == [LONG]
        assert window.page.evaluate("document.documentElement.scrollWidth") == NARROW
        window.press("s")
    assert set(sheet()["formula"]) == {"'=1+1"}
    assert "owned" not in window.page.title()


def test_the_result_comes_after_the_last_answer(open_window, serve, sheet, folder):
    """With intervals, a chart, and the next command."""
    server = serve("--budget", "40")
    window = open_window(server)
    labels = pd.read_csv(folder / "scores.csv")["label"]
    for row in sheet()["audit_row"].astype(int) - 1:
        window.press(str(labels[row]))
    window.estimated()
    window.wait("document.getElementById('verdict').matches('.good')")
    assert window.text("#verdict-word") == "You can stop now"
    assert window.text("#count") == "40 of 40 checked"
    assert window.text("#command") == (
        "lwcal audit merge scores.csv scores.audit.csv --out calibrator.json"
    )
    measures = window.page.locator("#measures > div").all_inner_texts()
    assert measures[0].startswith("Wrong labels")
    share = r"<?\d+(\.\d+)?%"  # with digits where it is below half a percent
    assert re.search(rf"{share}\s+{share} to {share}", measures[1])
    assert window.page.locator("#chart path.band").get_attribute("d").count("L") > 50
    assert window.text("#done-title") == "All rows are answered"
    window.press("u")
    assert window.page.locator("#result").is_hidden()


def test_without_any_answer_the_result_says_why_it_is_empty(open_window, server):
    """After all rows were skipped."""
    window = open_window(server)
    for _ in range(10):
        window.press("s")
    window.wait("document.getElementById('sentence').textContent.includes('skipped')")
    assert window.text("#verdict-word") == "All planned rows are answered"
    assert window.page.locator("#estimate").is_hidden()


def test_skipped_rows_can_be_asked_for_again(open_window, server, sheet):
    """At the end, by a button."""
    window = open_window(server)
    for key in "ysysysysys":
        window.press(key)
    assert window.text("#done-text") == "5 checked, 5 skipped."
    assert window.page.evaluate("document.activeElement.id") == "done-title"
    window.page.locator("#reopen").click()
    window.wait("document.getElementById('place').textContent === 'Row 2 of 10'")
    assert (sheet()["audited_label"] == "").sum() == 5


def test_two_windows_do_not_overwrite_one_another(open_window, server, sheet):
    """The second answer to a row is refused, and idle windows are updated."""
    first = open_window(server)
    second = open_window(server, context=first.page.context)
    with second.without_news():
        first.press("y")
        second.press("n")
    assert "another window" in second.text("#outcome")
    assert list(sheet()["audited_label"])[:2] == ["1", ""]
    assert second.text("#place") == "Row 2 of 10"
    second.press("n")
    first.page.bring_to_front()
    first.wait("document.getElementById('place').textContent === 'Row 3 of 10'")
    assert "another window" in first.text("#outcome")
    first.press("u")  # an answer of the other window can be undone, because it is shown
    assert list(sheet()["audited_label"])[:2] == ["1", ""]


def test_a_killed_server_loses_nothing_and_the_page_says_so(open_window, serve, sheet):
    """A new server resumes where the killed one stopped."""
    server = serve("--budget", "10")
    window = open_window(server)
    for key in "yn":
        window.press(key)
    third = window.text("#fields")
    with window.without_news():  # a request that is under way may end in other ways
        server.kill()
        window.page.keyboard.press("y")
        window.page.wait_for_selector("#problem:not([hidden])")
    assert "answers are saved" in window.text("#problem")
    window.page.close()  # else it keeps asking while the test goes on
    # a request under way is reset, a later one is refused
    lost = [said for said in open_window.trouble if re.search("ERR_CONNECTION_RE(SET|FUSED)", said)]
    assert lost
    assert lost == open_window.trouble
    open_window.trouble.clear()
    assert list(sheet()["audited_label"]) == ["1", "0", *[""] * 8]
    server = serve("--budget", "10")
    assert "10 rows to check, 2 of them answered before" in server.said
    window = open_window(server)
    assert window.text("#place") == "Row 3 of 10"
    assert window.text("#fields") == third
    assert window.text("#outcome") == "Row 2: you answered 0."
    window.press("u")
    assert window.text("#place") == "Row 2 of 10"


def test_a_sheet_that_a_spreadsheet_saved_meanwhile_is_taken_over(open_window, server, folder):
    """The changed sheet is not overwritten, even while it cannot be read."""
    window, path = open_window(server), folder / "scores.audit.csv"
    window.press("y")
    theirs = pd.read_csv(path, encoding="utf-8-sig", dtype=str, keep_default_na=False)
    theirs.loc[1:2, "audited_label"] = "no"
    theirs[::-1].to_csv(path, sep=";", index=False, encoding="utf-8-sig")
    window.wait("document.getElementById('place').textContent === 'Row 4 of 10'")
    window.press("y")
    saved = pd.read_csv(path, sep=";", encoding="utf-8-sig", dtype=str, keep_default_na=False)
    assert list(saved["audited_label"])[::-1] == ["1", "no", "no", "1", *[""] * 6]
    good = path.read_bytes()
    path.write_text("not a sheet\n")
    window.page.wait_for_selector("#problem:not([hidden])")
    window.press("n")
    assert "cannot be used" in window.text("#outcome")
    assert path.read_text() == "not a sheet\n"
    path.write_bytes(good)
    window.page.wait_for_selector("#problem", state="hidden")
    window.press("n")
    assert window.text("#place") == "Row 6 of 10"


def violations(window):
    """Return what axe finds: WCAG 2 A and AA, and good practice."""
    return chromium.violations(window.page, "best-practice")


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", NARROW)])
def test_axe_finds_nothing(open_window, server, scheme, width):
    """At the start, in the middle, and at the end with the result."""
    window = open_window(server, width=width, color_scheme=scheme, bypass_csp=True)
    for keys in ("", "yn", "sysysysy"):
        for pressed in keys:
            window.press(pressed)
        if len(keys) > 2:
            window.estimated()
        assert violations(window) == []
        assert window.page.evaluate("document.documentElement.scrollWidth") == width


def test_the_theme_follows_the_system_until_the_button_is_pressed(open_window, server):
    """As in the report."""
    window = open_window(server, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = window.page.evaluate(background)
    window.page.locator("#theme").press("Enter")
    assert window.page.evaluate(background) == "rgb(255, 255, 255)" != dark


def test_what_was_answered_is_what_is_merged(open_window, serve, folder):
    """From the page to the calibrator's file."""
    server = serve("--budget", "12")
    window = open_window(server)
    for key in "ynynynynynyn":
        window.press(key)
    code, out, _ = server.interrupt()
    assert code == 0
    assert "12 of 12 rows answered" in out
    assert "lwcal audit merge scores.csv scores.audit.csv" in out
    window.page.close()
    open_window.trouble.clear()  # the page may send a last request while its server stops
    files = [str(folder / name) for name in ("scores.csv", "scores.audit.csv", "c.json")]
    assert run(["audit", "merge", files[0], files[1], "--out", files[2]]) in (0, 1)
    assert np.isfinite(lwcal.load(files[2]).predict([0.1, 0.9])).all()
