"""Two reviewers answer the same sheet, each in a browser and with a server of their own."""

import pandas as pd

from lwcal.cli.app import run
from tests.page.conftest import SHEET
from tests.page.test_browser import NARROW, violations

COUNT = "document.getElementById('reviewers').textContent.includes"


def test_two_reviewers_answer_at_the_same_time(open_window, serve, sheet, folder):
    """Blind to one another; every answer is kept, also of a killed server; then they are merged."""
    servers = {"ann": serve("--budget", "6", "--as", "ann"), "bob": serve("--as", "bob")}
    assert "6 rows to check as bob. Open" in servers["bob"].said
    ann, bob = (open_window(server) for server in servers.values())
    bob.reload_and_listen()
    assert ann.text("h1").endswith("as ann")
    for key in "yny":
        ann.press(key)
    bob.press("n")
    assert list(sheet()["audit_opinion_ann"]) == ["1", "0", "1", "", "", ""]
    assert list(sheet()["audit_opinion_bob"]) == ["0", "", "", "", "", ""]
    assert [bool(time) for time in sheet()["audit_time_ann"]] == [True] * 3 + [False] * 3
    assert set(sheet()["audited_label"]) == {""}
    ann.page.bring_to_front()
    ann.wait(f"{COUNT}('bob: 1 of 6 answered')")
    assert ann.page.locator("#reviewers li").all_inner_texts() == [
        "ann (you): 3 of 6 answered",
        "bob: 1 of 6 answered",
    ]
    assert ann.text("#place") == "Row 4 of 6"
    assert ann.text("#outcome") == "Row 3: you answered 1."
    ann.press("u")
    assert ann.text("#place") == "Row 3 of 6"

    servers["ann"].kill()
    ann.page.close()
    open_window.trouble.clear()  # a last request may have met no server
    servers["ann"] = serve("--as", "ann")
    assert "6 rows to check as ann, 2 of them answered before" in servers["ann"].said
    ann = open_window(servers["ann"])
    for window, keys in ((ann, "ynyn"), (bob, "snyny")):
        window.page.bring_to_front()
        for key in keys:
            assert window.page.locator("#result").is_hidden()
            window.press(key)
    received = bob.received()
    assert len(received) > 6
    assert not [text for text in received if "audit_opinion" in text or "audit_time" in text]
    bob.estimated()
    assert bob.text("#about") == "All labels, if every answer of yours is right"
    assert bob.text("#sentence").startswith("Your answer differs from the label in")
    assert "--out-scores opinions.csv" in bob.text("#command")

    bob.page.close()
    ann.page.close()
    open_window.trouble.clear()  # the page may send a last request while its server stops
    code, out, _ = servers["bob"].interrupt()
    assert code == 0
    assert "5 of 6 rows answered by bob" in out
    assert "ann: 6 of 6 rows." in out
    files = [str(folder / name) for name in ("scores.csv", SHEET, "opinions.csv")]
    assert run(["audit", "merge", *files[:2], "--out-scores", files[2]]) == 0
    merged = pd.read_csv(files[2], dtype=str, keep_default_na=False)
    rows = sheet()["audit_row"].astype(int) - 1
    assert list(merged["opinion_ann"][rows]) == ["1", "0", "1", "0", "1", "0"]
    assert list(merged["opinion_bob"][rows]) == ["0", "", "0", "1", "0", "1"]
    assert (merged["opinion_ann"] != "").sum() == 6


def test_the_estimate_stays_while_another_reviewer_answers(open_window, serve):
    """It is about the own answers; axe finds nothing, and the page fits a narrow window."""
    ann = open_window(serve("--budget", "3", "--as", "ann"), width=NARROW, bypass_csp=True)
    bob = open_window(serve("--as", "bob-" + "x" * 36))
    for _ in range(3):
        ann.press("y")
    ann.estimated()
    bob.press("n")
    found = ann.page.evaluate("fetch('api/state').then((answer) => answer.json())")
    assert found["reviewers"][1]["answered"] == 1
    assert found["estimate"]["ready"]
    ann.page.bring_to_front()
    ann.wait(f"{COUNT}('1 of 3 answered')")
    assert violations(ann) == []
    assert ann.page.evaluate("document.documentElement.scrollWidth") == NARROW
