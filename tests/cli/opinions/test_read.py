"""``lwcal opinions read`` on files in the layouts of the tools."""

import json

import duckdb
import pandas as pd
import pytest

from lwcal.cli.app import run
from tests.cli.helpers import call, files
from tests.reviews.exports.layouts import annotation, choice, options, saved, task

READ = "opinions read export.json --out opinions.csv"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with an export of Label Studio."""
    monkeypatch.chdir(tmp_path)
    tasks = [
        task(1, annotation(1, 10, choice("good")), annotation(2, 20, choice("bad"))),
        task(2, annotation(3, 10, choice("bad")), annotation(4, 20, was_cancelled=True)),
        task(3, annotation(5, 30, choice("good"), ground_truth=True), drafts=[{}, {}]),
    ]
    saved(tmp_path / "export.json", tasks)
    return tmp_path


def test_the_table_and_what_is_not_in_it(here, capsys):
    """Rows for opinions, a column for the truth, counts by reason."""
    assert call(f"{READ} --keep score,text") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "read as Label Studio JSON, question 'mood': 7 answers",
        "kept 3 opinions of 2 reviewers on 2 items; labels: 'bad', 'good'",
        "1 checked label in column trusted, not among the opinions (1 item without an opinion)",
        "left out: cancelled 1, draft 2",
        "wrote opinions.csv",
    ]
    table = pd.read_csv("opinions.csv", dtype=str, keep_default_na=False)
    assert table.drop(columns="created").values.tolist() == [
        ["1", "10", "good", "", "0.1", "text 1"],
        ["1", "20", "bad", "", "0.1", "text 1"],
        ["2", "10", "bad", "", "0.2", "text 2"],
        ["3", "", "", "good", "0.3", "text 3"],
    ]


def test_json(here, capsys):
    """For programs."""
    assert call(f"{READ} --json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "format": "label-studio",
        "question": "mood",
        "answers": 7,
        "opinions": 3,
        "checked": 1,
        "left_out": {"cancelled": 1, "draft": 2},
        "items": 2,
        "reviewers": ["10", "20"],
        "labels": ["bad", "good"],
        "notes": [],
        "written": ["opinions.csv"],
    }


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "arrow"])
def test_text_stays_text(here, ending):
    """In every format: names of labels, items and reviewers, in any script."""
    words = ["007", "a,b", 'say "no"', "zwei\nZeilen", "ä 標籤", "-1", "=1+1", "'", "\\N"]
    lines = [options(k, f"r-{word}", word, meta={"id": word}) for k, word in enumerate(words)]
    saved(here / "lines.jsonl", lines)
    out = f"o.{ending}"
    assert run(["opinions", "read", "lines.jsonl", "--out", out, "--item", "id"]) == 0
    if ending == "arrow":
        table = pd.read_feather(out)
    else:
        reader = f"read_csv('{out}', all_varchar=true, quote='\"', escape='\"', delim=',')"
        table = duckdb.sql(f"FROM {reader if ending == 'csv' else repr(out)}").df()
    assert table["label"].tolist() == words
    assert table["item"].tolist() == words
    assert table["reviewer"].tolist() == [f"r-{word}" for word in words]


def test_data_keeps_its_type_where_it_has_one(here):
    """Scores are numbers; what is mixed or too large becomes text."""
    mixed = [
        {"n": 1, "m": 1, "big": 10**30, "no": None},
        {"n": 0.5, "m": "a", "big": 1, "no": None},
    ]
    tasks = [task(k, annotation(k, 10, choice("a")), data=data) for k, data in enumerate(mixed)]
    saved(here / "export.json", tasks)
    assert call("opinions read export.json --out o.parquet --keep n,m,big,no") == 0
    table = pd.read_parquet("o.parquet")
    assert table["n"].tolist() == [1.0, 0.5]
    assert table["m"].tolist() == ["1", "a"]
    assert table["big"].tolist() == [str(10**30), "1"]
    assert table["no"].isna().all()


def test_what_a_layout_does_not_tell_is_said(here, capsys):
    """On standard error, beside the result."""
    rows = [{"id": 1, "mood": "a", "annotator": 10, "annotation_id": 1}]
    saved(here / "min.json", rows)
    assert call("opinions read min.json --question mood --out o.csv --json") == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("This layout does not tell checked labels")
    assert json.loads(shown.out)["notes"] == [shown.err.strip()]


def test_columns_of_reviewers(here, capsys):
    """A list with commas, or a pattern."""
    saved(here / "wide.csv", "case,ann,bob\nx,0,1\ny,,1\n")
    for columns in ("ann,bob", "[ab]*"):
        assert (
            call(f"opinions read wide.csv --reviewers {columns} --item case --out o.csv --force")
            == 0
        )
        assert "kept 3 opinions of 2 reviewers on 2 items" in capsys.readouterr().out


MISTAKES = {
    "missing": ("opinions read none.json --out o.csv", "none.json: No such file"),
    "ending": ("opinions read export.json --out o.xlsx", "The format of o.xlsx is unknown"),
    "exists": ("opinions read export.json --out export.json", "The format of export.json"),
    "overwrite": ("opinions read export.json --out old.csv", "old.csv exists; pass --force"),
    "layout": (f"{READ} --format excel", "'cleanlab', got 'excel'"),
    "question": (f"{READ} --question age", "a question 'age' in export.json, got 'mood'"),
    "field": (f"{READ} --keep age", "a field 'age' in export.json, got 'id', 'text', 'score'"),
    "unknown": ("opinions read old.csv --out o.csv", "old.csv to be one of: Label Studio JSON"),
    "nothing": ("opinions read", "Missing argument"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(here, capsys, name):
    """One line, exit code 2, and nothing is written."""
    (here / "old.csv").write_text("a,b\n1,2\n")
    line, reason = MISTAKES[name]
    before = files(here)
    assert call(line) == 2
    (shown,) = capsys.readouterr().err.splitlines()
    assert reason in shown
    assert files(here) == before
