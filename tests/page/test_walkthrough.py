"""Run every command of the audit walk-through, and answer as a person would."""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import lwcal
from lwcal.cli.app import run
from lwcal.cli.demo_data import FRAUD, make_disputes
from tests.cli.audit.helpers import read, write
from tests.page import screenshots
from tests.page.running import serving
from tests.page.window import Window

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "audit.md"


def commands():
    """Return all commands of the page."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [shlex.split(line)[2:] for block in blocks for line in block.splitlines()]


def check_in_browser(browser, folder, arguments):
    """Answer all rows, until the page says to stop; return the output of the terminal."""
    with serving(folder, *arguments) as server:
        window = Window(browser.new_page(), server)
        while window.page.locator("#row").is_visible():
            assert window.page.locator("#result").is_hidden()
            window.judge()
        window.estimated()
        assert window.text("#verdict-word") == "You can stop now"
        window.page.close()
        code, said, _ = server.interrupt()
    assert code == 0
    return said


def check_in_spreadsheet(name):
    """Answer all rows."""
    sheet = read(name)
    sheet["audited_label"] = sheet["evidence"].isin(FRAUD).map({True: "yes", False: "no"})
    write(sheet, name)


def audited_nll():
    """Return the log loss of ``apply`` on true labels, without the audited rows."""
    new = pd.read_csv("new.csv")[600:]
    truth = make_disputes(12_000, random_state=0).y_true[9_600:]
    return lwcal.metrics.nll(truth, new["p_audited"])


def nll_without_an_audit():
    """Return the log loss of the calibrator that diagnose recommends before an audit."""
    rows, new = pd.read_csv("demo/disputes.csv"), pd.read_csv("new.csv")[600:]
    truth = make_disputes(12_000, random_state=0).y_true[9_600:]
    calibrator = lwcal.Auto().fit(rows["score"], rows["label"])
    return lwcal.metrics.nll(truth, calibrator.predict(new["score"]))


@pytest.mark.usefixtures("trained_demo")
def test_every_command_runs_and_the_audit_pays(browser, tmp_path, monkeypatch, capsys):
    """From the demo to a second round; the audit lowers log loss on true labels."""
    monkeypatch.chdir(tmp_path)
    lines = commands()
    assert [line[0] for line in lines] == [
        "demo",
        "diagnose",
        *["audit"] * 4,
        "apply",
        "report",
        *["audit"] * 2,
    ]
    for line in lines:
        if line[:2] == ["audit", "serve"]:
            assert f"lwcal audit merge {line[2]}" in check_in_browser(browser, tmp_path, line[2:])
            continue
        assert run(line) == (1 if line[0] == "diagnose" else 0), line
        said = " ".join(capsys.readouterr().out.split())
        if line[0] == "diagnose":
            quoted = re.search(r"(?m)^> .*\n^> .*$", PAGE.read_text(encoding="utf-8"))[0]
            assert " ".join(quoted.replace(">", "").split()) in said
        if line[:2] == ["audit", "plan"]:
            check_in_spreadsheet(line[line.index("--out") + 1])
        if line[0] == "apply":
            assert audited_nll() < 0.97 * nll_without_an_audit()
    assert pd.read_csv("demo/audited.csv")["audited_label"].notna().sum() > 80
    assert "Judged by" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("trained_demo")
def test_the_pictures_of_the_documentation_can_be_taken(browser, tmp_path, monkeypatch):
    """With few answers, to be fast; the files are small enough for a repository."""
    assert run(["demo", "--out", str(tmp_path / "demo")]) == 0
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    monkeypatch.setattr(screenshots, "BUDGET", 6)
    monkeypatch.setattr(screenshots, "FIRST", 3)
    screenshots.take(browser, tmp_path / "demo" / "disputes.csv", pictures)
    sizes = {path.name: path.stat().st_size for path in pictures.iterdir()}
    named = set(re.findall(r"images/(audit[\w-]*\.png)", PAGE.read_text(encoding="utf-8")))
    assert named <= set(sizes)
    assert max(sizes.values()) < 400_000
