"""The page for more than two classes, in a real browser with the real server."""

import json
import re
from contextlib import ExitStack
from functools import cache

import numpy as np
import pandas as pd
import pytest

from lwcal.cli.app import run
from tests.multiclass.simulated import even_noise, noisy_rows
from tests.page.conftest import HARD
from tests.page.running import serving
from tests.page.test_browser import NARROW, WIDE, violations

FEW = ["<b>ant</b>", "bee", "007"]
MANY = [f"class {number:02d}" for number in range(1, 15)] + ["cat", "catfish"]
LINE = ("rows.csv", "--score", "score of *", "--label", "label", "--hide-column", "hidden_truth")
SHEET = "rows.audit.csv"


def rows_of(names, path):
    """Write rows of these classes."""
    scores, truth, labels = noisy_rows(120, even_noise(len(names), 0.3), clarity=0.3)
    frame = pd.DataFrame({"case": [f"c-{row:03d}" for row in range(120)], **HARD})
    for column, name in enumerate(names):
        frame[f"score of {name}"] = scores[:, column]
    frame["label"] = np.array(names)[labels]
    frame["guess"] = np.array(names)[scores.argmax(axis=1)]
    frame["hidden_truth"] = np.array(names)[truth]
    frame.to_csv(path / "rows.csv", index=False)
    return path


def read_sheet(folder):
    """The sheet on disk."""
    return pd.read_csv(folder / SHEET, encoding="utf-8-sig", dtype=str, keep_default_na=False)


@pytest.fixture
def served(tmp_path):
    """Serve rows of these classes; return the server.

    It comes before windows, which are then closed before the server stops.
    """
    with ExitStack() as started:
        yield lambda names, *options: started.enter_context(
            serving(rows_of(names, tmp_path), *LINE, *options)
        )


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Servers of few and of many classes, for all tests that leave them as they are.

    Return a function of the classes, which returns the server, its folder and its empty sheet.
    """
    with ExitStack() as started:

        @cache
        def start(*names):
            folder = rows_of(names, tmp_path_factory.mktemp("classes"))
            server = started.enter_context(serving(folder, *LINE, "--budget", "10"))
            return server, folder, (folder / SHEET).read_bytes()

        yield start


@pytest.fixture
def shared(servers):
    """Give one of these servers a sheet of so many rows without answers, which it takes over."""

    def put_back(names, rows):
        server, folder, empty = servers(*names)
        (folder / SHEET).write_bytes(b"".join(empty.splitlines(keepends=True)[: rows + 1]))
        return server, folder

    return put_back


def test_a_few_classes_have_buttons_with_keys(served, open_window, tmp_path):
    """In the order of their names; answers are saved as the labels are written, and merged."""
    server = served(FEW, "--budget", "12")
    window = open_window(server)
    offered = window.page.locator("#answers button").all_inner_texts()
    assert [text.split() for text in offered[:3]] == [
        ["007", "7"],
        ["<b>ant</b>", "1"],
        ["bee", "2"],
    ]
    sizes = window.page.locator("#answers .answer:not(.minor)").evaluate_all(
        "all => all.map(e => [e.offsetWidth, e.offsetHeight, getComputedStyle(e).borderColor])"
    )
    assert len({tuple(size) for size in sizes}) == 1  # no class looks likelier
    for place, (key, cell) in enumerate([("1", "<b>ant</b>"), ("7", "007"), ("s", "skip")]):
        window.press(key)
        assert read_sheet(tmp_path)["audited_label"][place] == cell
    window.press("u")
    window.page.get_by_role("button", name="bee").click()
    window.wait("document.getElementById('place').textContent === 'Row 4 of 12'")
    assert list(read_sheet(tmp_path)["audited_label"])[:4] == ["<b>ant</b>", "007", "bee", ""]
    assert window.text("#outcome") == "Row 3: you answered bee."
    for _ in range(9):
        window.press("2")
    window.estimated()
    assert window.text("#verdict-word") == "All planned rows are answered"
    assert re.match(r"\d+ of 12 checked labels were wrong\. Between", window.text("#sentence"))
    measures = window.page.locator("#measures > div").all_inner_texts()
    assert measures[0].startswith("Wrong labels")
    assert measures[1].startswith("True bee, labelled ")
    assert window.page.locator("#chart").is_hidden()
    code, said, _ = server.interrupt()
    assert code == 0
    assert "12 of 12 rows answered" in said
    window.page.close()
    open_window.trouble.clear()  # the page may send a last request while its server stops
    files = [str(tmp_path / name) for name in ("rows.csv", SHEET, "c.json")]
    line = ["audit", "merge", *files[:2], "--out", files[2], "--score", "score of *"]
    assert run([*line, "--label", "label"]) in (0, 1)


def test_many_classes_are_searched(shared, open_window):
    """A part of a name that fits one class is enough; a doubtful one answers nothing."""
    server, folder = shared(MANY, 10)
    window = open_window(server)
    assert window.page.locator("#found li").all_inner_texts() == sorted(MANY)
    assert window.page.locator("#keys").is_hidden()

    def type_and_enter(text):
        window.page.keyboard.type(text)
        window.press("Enter")

    def answers():
        return [cell for cell in read_sheet(folder)["audited_label"] if cell]

    type_and_enter("class 0")
    assert answers() == []
    assert window.text("#outcome") == "Type more, or choose a class with the arrow keys."
    type_and_enter("7")
    assert answers() == ["class 07"]
    assert window.page.evaluate("document.activeElement.id") == "search"
    assert window.page.locator("#search").input_value() == ""
    type_and_enter("CAT")  # the whole name of one class, and a part of another
    type_and_enter("fish")
    assert answers() == ["class 07", "cat", "catfish"]
    type_and_enter("wolf")
    assert window.text("#outcome") == "No class has this in its name."
    window.page.keyboard.press("Escape")
    window.press("Enter")
    assert len(answers()) == 3
    window.page.keyboard.type("class 1")
    window.page.keyboard.press("ArrowDown")
    window.page.keyboard.press("ArrowDown")
    selected = window.page.locator("#found li[aria-selected=true]")
    assert selected.inner_text() == "class 11"
    assert window.page.locator("#search").get_attribute("aria-activedescendant") == (
        selected.get_attribute("id")
    )
    window.press("Enter")
    window.page.locator("#found li", has_text="class 03").click()
    window.wait("document.getElementById('place').textContent === 'Row 6 of 10'")
    assert answers()[3:] == ["class 11", "class 03"]
    window.page.locator("#undo").click()
    window.wait("document.getElementById('place').textContent === 'Row 5 of 10'")
    window.page.locator("#skip").click()
    window.wait("document.getElementById('place').textContent === 'Row 6 of 10'")
    assert answers()[3:] == ["class 11", "skip"]


@pytest.mark.parametrize("names", [FEW, MANY], ids=["few", "many"])
def test_nothing_tells_label_or_scores_before_the_last_answer(shared, open_window, names):
    """The browser gets the case, and the same classes for every row."""
    server, folder = shared(names, 4)
    source = pd.read_csv(folder / "rows.csv", dtype=str).iloc[
        read_sheet(folder)["audit_row"].astype(int) - 1
    ]
    secrets = source[[f"score of {name}" for name in names]].to_numpy().ravel()
    window = open_window(server)
    window.reload_and_listen()
    for place in (1, 2, 3):
        window.wait(f"document.getElementById('place').textContent === 'Row {place} of 4'")
        content = window.page.content()
        assert not [secret for secret in secrets if len(secret) > 5 and secret in content]
        window.page.locator("#skip").click()
    window.wait("document.getElementById('place').textContent === 'Row 4 of 4'")
    rows = [document["next"] for document in window.documents() if document.get("next")]
    assert len(rows) >= 4
    assert {frozenset(row) for row in rows} == {frozenset(("row", "place", "fields"))}
    shown = {name for row in rows for name, _ in row["fields"]}
    assert shown == {"case", *HARD}
    labels = json.dumps([row["fields"] for row in rows])
    assert not [name for name in names if name in labels]


def test_label_and_scores_can_be_shown(served, open_window, tmp_path):
    """The score of the label, and the highest one with its class."""
    window = open_window(served(FEW, "--budget", "3", "--show-label"))
    row = pd.read_csv(tmp_path / "rows.csv", dtype={"label": str}).iloc[
        int(read_sheet(tmp_path)["audit_row"][0]) - 1
    ]
    scores = {name: row[f"score of {name}"] for name in FEW}
    highest = max(scores, key=scores.get)
    expected = f"{scores[row['label']]:.3f} (highest: {highest}, {scores[highest]:.3f})"
    assert window.text("#label") == row["label"]
    assert window.text("#score") == expected


@pytest.mark.parametrize(
    ("names", "width"),
    [(FEW, WIDE), (FEW, NARROW), (MANY, NARROW)],
    ids=["few, wide", "few, narrow", "many, narrow"],
)
def test_axe_finds_nothing(shared, open_window, names, width):
    """In light and dark, at the start and with the result; the page fits the window."""
    server, _ = shared(names, 2)
    window = open_window(server, width=width, color_scheme="dark", bypass_csp=True)
    assert violations(window) == []
    window.page.emulate_media(color_scheme="light")
    for place in (1, 2):
        if names is MANY:
            window.page.keyboard.type("catfish")
            window.page.keyboard.press("ArrowDown")
            assert violations(window) == []
            window.press("Enter")
        else:
            window.press("1")
        if place == 2:
            window.estimated()
        assert violations(window) == []
        assert window.page.evaluate("document.documentElement.scrollWidth") == width
