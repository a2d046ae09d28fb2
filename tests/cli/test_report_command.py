"""``lwcal report`` on real files."""

import hashlib
import json
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.cli.app import run

CALL = ["report", "c.json", "scores.csv", "--score", "score", "--label", "label"]


@pytest.fixture
def here(tmp_path, monkeypatch, noisy_rows):
    """A working folder with rows, some of them checked, and a calibrator."""
    monkeypatch.chdir(tmp_path)
    scores, labels = noisy_rows
    frame = pd.DataFrame({"score": scores, "label": labels, "w": 2})
    frame["name"] = np.where(labels == 1, "bad", "good")
    frame["case <b>"] = [f"case {number}" for number in range(800)]
    frame["checked"] = np.where(np.arange(800) % 4 == 0, frame["name"], None)
    frame.to_csv("scores.csv", index=False)
    lwcal.save(lwcal.Auto().fit(scores, labels), "c.json")
    return tmp_path


def test_the_page_is_written_and_says_how(here, capsys):
    """Verdict and file on the screen; fingerprints and the command on the page."""
    assert run(CALL) == 0
    shown = " ".join(capsys.readouterr().out.split())
    text = unescape(Path("report.html").read_text(encoding="utf-8"))
    assert shown.startswith("Check 25 labels first")
    assert "positive class: 1" in shown
    assert "lwcal audit serve scores.csv --score score --label label --budget 25</code>" in text
    assert "wrote report.html (" in shown
    for name in ("c.json", "scores.csv"):
        assert hashlib.sha256(Path(name).read_bytes()).hexdigest() in text
    assert f"lwcal {' '.join(CALL)}</code>" in text
    assert str(here) not in text


def test_programs_get_the_verdict_as_json(here, capsys):
    """That of diagnose, and the file."""
    assert run([*CALL, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    run(["diagnose", *CALL[2:], "--json"])
    assert found["recommendation"] == json.loads(capsys.readouterr().out)["recommendation"]
    assert found["written"] == ["report.html"]


def test_all_options_reach_the_page(here):
    """Named classes, ids, trusted labels, weights, a title."""
    line = [*CALL[:-1], "name", "--pos-label", "bad", "--id", "case <b>", "--trusted", "checked"]
    line += ["--weight", "w", "--title", "A & B", "--out", "page.html"]
    assert run(line) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>A &amp; B</h1>" in page
    assert "case &lt;b&gt;" in page
    assert "(400 rows)" in page  # 200 were checked, and each counts twice
    assert "By the checked labels" in page
    assert "200 of them checked" in page
    assert "<dd>bad</dd>" in page
    command = "--pos-label bad --title 'A & B'"
    assert command in unescape(page)


def test_without_single_rows_the_page_lists_none(here, capsys):
    """From counts, with the same verdict."""
    assert run([*CALL, "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    listed = Path("report.html").read_text(encoding="utf-8")
    assert run([*CALL, "--json", "--force", "--drop-invalid"]) == 0
    assert json.loads(capsys.readouterr().out) == expected
    assert len(Path("report.html").read_text(encoding="utf-8")) < len(listed)


def test_trusted_labels_decide_as_in_diagnose(here, capsys):
    """With the probabilities with which they were chosen, if the file has them."""
    frame = pd.read_csv("scores.csv")
    frame["audit_probability"] = np.where(np.arange(800) % 8 == 0, 0.1, 0.6)
    frame.to_csv("chosen.csv", index=False)
    found = {}
    for name in ("scores.csv", "chosen.csv"):
        line = [name, "--score", "score", "--label", "name", "--pos-label", "bad"]
        line += ["--trusted", "checked", "--json"]
        assert run(["report", "c.json", *line, "--force"]) == 0
        found[name] = json.loads(capsys.readouterr().out)["recommendation"]
        run(["diagnose", *line])
        assert found[name] == json.loads(capsys.readouterr().out)["recommendation"]
    assert found["scores.csv"] != found["chosen.csv"]


def test_a_saved_table_does_not_record_the_positive_class(here, capsys):
    """The page, the screen and programs say so; labels are checked in the file of the rows."""
    table = ["--score", "score", "--label", "label", "--out", "t.parquet"]
    assert run(["table", "reduce", "scores.csv", *table]) == 0
    capsys.readouterr()
    assert run(["report", "c.json", "t.parquet"]) == 0
    assert "positive class: not recorded" in capsys.readouterr().out
    text = unescape(Path("report.html").read_text(encoding="utf-8"))
    assert "<dd>not recorded</dd>" in text
    assert "lwcal audit serve FILE --budget 25</code>" in text
    assert run(["report", "c.json", "t.parquet", "--json", "--force"]) == 0
    assert json.loads(capsys.readouterr().out)["positive_class"] is None
    assert run(["report", "c.json", "t.parquet", "--trusted", "checked", "--force"]) == 2
    assert "--trusted needs single rows" in capsys.readouterr().err


def test_rows_from_standard_input_have_no_name(here, standard_input):
    """The next command then leaves the file to the reader."""
    standard_input(Path("scores.csv").read_bytes())
    assert run(["report", "c.json", "-", *CALL[3:]]) == 0
    assert "lwcal audit serve FILE --budget 25" in Path("report.html").read_text(encoding="utf-8")


def test_a_page_is_replaced_only_when_asked(here, capsys):
    """Like every other output."""
    Path("report.html").write_text("old")
    assert run(CALL) == 2
    assert "pass --force" in capsys.readouterr().err
    assert Path("report.html").read_text() == "old"
    assert run([*CALL, "--force"]) == 0
    assert Path("report.html").read_text(encoding="utf-8") != "old"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--id", "no"], "a column 'no' in scores.csv"),
        (["--trusted", "score"], "trusted has 800 distinct values"),
        (["--weight", "score", "--score", "w"], "column 'w': 800 of 800 values are outside"),
        (["--weight", "name"], "column 'name': 800 of 800 values are invalid"),
        (["--label", "name"], "--pos-label good"),
        (["--out", "no/report.html"], "no/report.html cannot be written"),
    ],
)
def test_mistakes_are_one_clear_line_and_write_nothing(here, capsys, more, expected):
    """Exit code 2, no traceback, no file."""
    assert run([*CALL, *more]) == 2
    assert expected in " ".join(capsys.readouterr().err.split())
    assert not Path("report.html").exists()


def test_without_jinja2_one_line_says_how_to_install_it(here, capsys, monkeypatch):
    """Before any row is read."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run(CALL) == 2
    assert 'pip install "lwcal[report]"' in capsys.readouterr().err
    assert not Path("report.html").exists()


def test_a_calibrator_of_opinions_has_a_section_on_reviewers(here, noisy_rows):
    """The rows have one label each; what is known of reviewers comes from the calibrator's file."""
    scores, labels = noisy_rows
    other = labels ^ (np.random.default_rng(0).random(len(labels)) < 0.1)
    opinions = np.stack([labels, other], axis=1)
    lwcal.save(lwcal.Reviewed().fit(scores, opinions, reviewers=["Ann", "Bob"]), "opinions.json")
    assert run(["report", "opinions.json", *CALL[2:]]) in (0, 1)
    text = Path("report.html").read_text(encoding="utf-8")
    assert 'id="reviewers"' in text
    assert '<th scope="row">Bob</th><td>800</td>' in text
