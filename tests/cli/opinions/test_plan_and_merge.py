"""``lwcal opinions plan`` and ``merge``: a blind sheet, and its answers as further opinions."""

import json

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import lwcal
from lwcal.cli.app import run
from tests.cli.audit.helpers import read, write
from tests.cli.helpers import call, files
from tests.cli.opinions.helpers import answered

POSITIVE = "--score p --pos-label fraud"
ONCE = f"--label label --reviewer who {POSITIVE}"
LONG = f"--item case {ONCE}"
WIDE = f"--label label_* {POSITIVE}"
OWN = ["opinion_row", "opinion_probability", "opinion_code", "opinion", "opinion_by"]


def text(path):
    """A file as text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_the_sheet_is_blind_and_has_the_planned_rows(reviewed, capsys):
    """It tells no label, no score and no other label that the file may have."""
    frame = pd.read_csv("once.csv", dtype=str)
    frame.assign(age="7", earlier="fine").to_csv("once.csv", index=False)
    assert call(f"opinions plan once.csv {ONCE} --n 30 --seed 4 --out s.csv") == 0
    sheet = read("s.csv")
    assert list(sheet.columns) == ["case", "age", *OWN, "opinion_not_by"]
    plan = lwcal.plan_opinions(
        frame["p"], frame["label"], 30, reviewers=frame["who"], random_state=4, pos_label="fraud"
    )
    assert sheet["case"].tolist() == frame["case"][plan.rows].tolist()
    assert sheet["opinion_not_by"].tolist() == frame["who"][plan.rows].tolist()
    np.testing.assert_array_equal(sheet["opinion_probability"].astype(float), plan.probabilities)
    assert set(sheet["opinion"]) == {""}
    shown = capsys.readouterr()
    assert f"30 rows for another reviewer, drawn from {len(frame)}." in shown.out
    assert f"next: lwcal opinions merge once.csv s.csv --out merged.parquet {POSITIVE[:9]}" in (
        shown.out
    )
    assert "hidden: p, who, label, earlier (has the classes as values)" in shown.err
    assert call(f"opinions plan once.csv {ONCE} --show-column label --out t.csv") == 2
    assert call(f"opinions plan once.csv {ONCE} --show-column earlier --out t.csv") == 0
    assert "earlier" in read("t.csv").columns


@pytest.mark.parametrize("name", ["ann", "bob "])
def test_a_sheet_for_somebody_has_no_row_that_they_labelled(reviewed, name):
    """Whatever blanks are around the name; the sheet knows who answers."""
    assert (
        run(["opinions", "plan", "once.csv", *ONCE.split(), "--for", name, "--out", "s.csv"]) == 0
    )
    sheet = read("s.csv")
    assert set(sheet["opinion_by"]) == {name}
    assert name.strip() not in set(sheet["opinion_not_by"])


def test_a_sheet_for_a_name_that_is_alike_is_refused(reviewed, capsys):
    """The same person must not give a second opinion on their own label."""
    assert call(f"opinions plan once.csv {ONCE} --for Bob --out s.csv") == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "as once.csv writes them ('bob'), got 'Bob'; use that name" in told
    assert "s.csv" not in files(reviewed)


@pytest.mark.usefixtures("no_verdict")
def test_further_columns_of_labels_and_reviewers(reviewed, wide, capsys):
    """One label a row: the answers are a second pair of columns, and the next command fits."""
    wide.to_csv("truth.csv", index=False)
    call(f"opinions plan once.csv {ONCE} --for dora --n 50 --out s.csv")
    answered("s.csv", "truth.csv", rows=range(40))
    capsys.readouterr()
    assert call(f"opinions merge once.csv s.csv {ONCE} --out m.csv") == 0
    shown = capsys.readouterr().out
    assert "40 of 50 planned rows were answered:\n  dora: 40\n" in shown
    merged, before = text("m.csv"), text("once.csv")
    assert list(merged.columns) == [*before.columns, "label_2", "who_2"]
    pd.testing.assert_frame_equal(merged[before.columns], before)  # zeros too
    second = merged[merged["who_2"] == "dora"]
    truth = text("truth.csv").set_index("case")["truth"]
    assert len(second) == 40
    assert second["label_2"].tolist() == truth[second["case"]].tolist()
    assert (merged["label_2"] == "").sum() == len(merged) - 40
    command = shown.splitlines()[-1].removeprefix("next: lwcal ")
    assert run(command.split()) == 0
    fitted = lwcal.load("calibrator.json")
    assert [one.name for one in fitted.reviews_.reviewers] == ["ann", "bob", "cem", "dora"]
    assert fitted.diagnostics_["several"] == 40


def test_rows_with_two_opinions_are_not_chosen_again(reviewed, wide):
    """And a third opinion goes to the next free pair of columns."""
    wide.to_csv("truth.csv", index=False)
    call(f"opinions plan once.csv {ONCE} --for dora --n 50 --out s.csv")
    call(f"opinions merge once.csv {answered('s.csv', 'truth.csv')} {ONCE} --out m.csv")
    two = f"--label label,label_2 --reviewers who,who_2 {POSITIVE}"
    assert call(f"opinions plan m.csv {two} --n 10000 --out t.csv") == 0
    first = set(read("s.csv")["case"])
    assert not first & set(read("t.csv")["case"])
    assert call(f"opinions plan m.csv {two} --n 10000 --most-opinions 2 --for eva --out u.csv") == 0
    third = read("u.csv")
    assert first < set(third["case"])
    answered("u.csv", "truth.csv")
    assert call(f"opinions merge m.csv u.csv {two} --out n.csv") == 0
    merged = text("n.csv")
    assert list(merged.columns)[-2:] == ["label_3", "who_3"]
    assert set(merged["case"][merged["who_3"] == "eva"]) == first
    assert (merged["who_2"] == "eva").sum() == len(merged) - len(first)


def test_sheets_that_were_planned_at_once_are_merged_in_any_order(reviewed, wide):
    """A label that was added meanwhile does not make the second sheet another file's."""
    wide.to_csv("truth.csv", index=False)
    for name in ("dora", "eva"):
        call(f"opinions plan once.csv {ONCE} --for {name} --n 30 --out {name}.csv")
        answered(f"{name}.csv", "truth.csv")
    assert call(f"opinions merge once.csv dora.csv eva.csv {ONCE} --out both.csv") == 0
    call(f"opinions merge once.csv dora.csv {ONCE} --out one.csv")
    two = f"--label label,label_2 --reviewers who,who_2 {POSITIVE}"
    assert call(f"opinions merge one.csv eva.csv {two} --out then.csv") == 0
    pd.testing.assert_frame_equal(text("both.csv"), text("then.csv"))


@pytest.mark.usefixtures("no_verdict")
@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("long.csv", "csv"),
        ("long.csv", "parquet"),
        ("long.parquet", "parquet"),
        ("long.parquet", "jsonl"),
    ],
)
def test_further_rows_of_a_long_file(reviewed, wide, source, ending):
    """Each answer is a row about the item; all other rows stay as they are."""
    wide.to_csv("truth.csv", index=False)
    extra = pd.read_parquet("long.parquet").assign(created="2026-01-01", note="a")
    extra.to_parquet("long.parquet")
    extra.to_csv("long.csv", index=False)
    call(f"opinions plan {source} {LONG} --n 20 --out s.csv")
    assert list(read("s.csv").columns)[:3] == ["case", "created", "note"]
    answered("s.csv", "truth.csv", by="dora")
    assert call(f"opinions merge {source} s.csv {LONG} --out m.{ending}") == 0
    merged = duckdb.sql(f"FROM 'm.{ending}'").df()
    assert len(merged) == len(extra) + 20
    new = merged[merged["who"] == "dora"]
    assert len(new) == 20
    assert set(new["note"]) == {"a"}
    assert call(f"fit m.{ending} {LONG} --out c.json") == 0


def test_what_is_about_an_opinion_is_not_about_the_item(reviewed, wide):
    """A column that differs between rows of an item is neither shown nor copied."""
    frame = pd.read_parquet("long.parquet")
    frame["created"] = np.arange(len(frame))
    frame.to_parquet("long.parquet")
    wide.to_csv("truth.csv", index=False)
    call(f"opinions plan long.parquet {LONG} --n 20 --out s.csv")
    assert list(read("s.csv").columns)[:2] == ["case", "opinion_row"]
    answered("s.csv", "truth.csv", by="dora")
    assert call(f"opinions merge long.parquet s.csv {LONG} --out m.parquet") == 0
    merged = pd.read_parquet("m.parquet")
    assert merged["created"].isna().sum() == 20
    assert pq.read_schema("m.parquet").field("created").type == "int64"


@pytest.mark.parametrize(
    ("name", "column"), [("cem", "label_cem"), ("label_cem", "label_cem"), ("dora", "label_dora")]
)
@pytest.mark.usefixtures("no_verdict")
def test_a_column_for_each_reviewer(reviewed, wide, name, column):
    """The column of the reviewer is filled, or a new one is added that the pattern matches."""
    call(f"opinions plan wide.csv {WIDE} --for {name} --n 25 --out s.csv")
    before = text("wide.csv")
    sheet = read("s.csv")
    if column in before:
        assert set(before.set_index("case")[column][sheet["case"]]) == {""}
    answered("s.csv", "wide.csv")
    assert call(f"opinions merge wide.csv s.csv {WIDE} --out m.csv") == 0
    merged = text("m.csv")
    cells = before[column] if column in before else pd.Series([""] * len(before))
    assert (merged[column] != cells).sum() == 25
    same = [name for name in before.columns if name != column]
    pd.testing.assert_frame_equal(merged[same], before[same])
    assert call(f"fit m.csv {WIDE} --out c.json") == 0
    assert column in [one.name for one in lwcal.load("c.json").reviews_.reviewers]


def test_answers_of_nobody_named_are_a_column_of_their_own(reviewed, wide):
    """One label a row, and no names at all."""
    wide.to_csv("truth.csv", index=False)
    one = f"--label label {POSITIVE}"
    call(f"opinions plan once.csv {one} --n 25 --out s.csv")
    assert "opinion_not_by" not in read("s.csv").columns
    answered("s.csv", "truth.csv")
    assert call(f"opinions merge once.csv s.csv {one} --out m.csv") == 0
    assert list(text("m.csv").columns)[-1] == "label_2"
    assert call(f"opinions merge once.csv s.csv {one} --by dora --out n.csv") == 0
    assert list(text("n.csv").columns)[-1] == "dora"


def test_types_of_columns_are_kept(tmp_path, monkeypatch):
    """Numbers as labels and as names of reviewers stay numbers."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    frame = pd.DataFrame({"case": [f"c{k}" for k in range(200)], "p": scores})
    frame["y"] = (rng.random(200) < scores).astype("int8")
    frame["who"] = rng.integers(1, 4, 200)
    frame.to_parquet("rows.parquet")
    options = "--score p --label y --reviewer who"
    call(f"opinions plan rows.parquet {options} --for 2 --n 20 --out s.csv")
    sheet = read("s.csv")
    sheet["opinion"] = "yes"
    write(sheet, "s.csv")
    assert call(f"opinions merge rows.parquet s.csv {options} --out m.parquet") == 0
    schema = pq.read_schema("m.parquet")
    assert (str(schema.field("y_2").type), str(schema.field("who_2").type)) == ("int8", "int64")
    merged = pd.read_parquet("m.parquet")
    assert merged["y_2"].dropna().tolist() == [1] * 20
    assert merged["who_2"].dropna().tolist() == [2] * 20
    sheet["opinion_by"] = "eva"
    write(sheet, "s.csv")
    assert call(f"opinions merge rows.parquet s.csv {options} --out n.parquet") == 2


@pytest.mark.usefixtures("no_verdict")
def test_several_classes(tmp_path, monkeypatch, capsys):
    """A column of scores for each class; answers are the words of the classes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 150)
    words = np.array(["cat", "dog", "owl"])
    truth = words[[rng.choice(3, p=row) for row in P]]
    frame = pd.DataFrame(P, columns=["p_cat", "p_dog", "p_owl"])
    frame["case"], frame["label"], frame["truth"] = [f"c{k}" for k in range(150)], truth, truth
    frame.to_csv("rows.csv", index=False)
    options = "--score p_* --label label"
    assert call(f"opinions plan rows.csv {options} --n 30 --out s.csv") == 0
    assert "Write a class (cat, dog, owl) into column opinion." in capsys.readouterr().out
    assert list(read("s.csv").columns) == ["case", *OWN]
    answered("s.csv", "rows.csv")
    assert call(f"opinions merge rows.csv s.csv {options} --out m.csv") == 0
    assert call("fit m.csv --score p_* --label label,label_2 --out c.json") == 0
    assert lwcal.load("c.json").diagnostics_["several"] == 30


def test_json(reviewed, wide, capsys):
    """The same for programs."""
    wide.to_csv("truth.csv", index=False)
    call(f"opinions plan once.csv {ONCE} --for dora --n 20 --out s.csv --json")
    told = json.loads(capsys.readouterr().out)
    assert told["planned"] == 20
    assert told["probability"] == 20 / told["eligible"]
    assert told["written"] == ["s.csv"]
    answered("s.csv", "truth.csv", rows=range(5))
    call(f"opinions merge once.csv s.csv {ONCE} --out m.csv --json")
    told = json.loads(capsys.readouterr().out)
    assert (told["planned"], told["answered"], told["answers_by"]) == (20, 5, {"dora": 5})
    assert told["label_columns"] == ["label", "label_2"]
    assert told["reviewer_columns"] == ["who", "who_2"]


def _named(sheet):
    """Everybody answers the rows that they labelled."""
    return sheet.assign(opinion="fine", opinion_by=sheet["opinion_not_by"])


CHANGES = {
    "who labelled it": (
        _named,
        "The reviewer has labelled the row before for 20 answers, first in",
    ),
    "nobody": (lambda s: s.assign(opinion="fine"), "Nobody says who answered for 20 answers"),
    "no answer": (lambda s: s, "None of 20 rows has an answer in column 'opinion'"),
    "no class": (
        lambda s: s.assign(opinion="odd", opinion_by="d"),
        "the answer in column 'opinion' is not understood (20 of 20 rows, first in row 2: 'odd')",
    ),
    "shifted": (
        lambda s: s.assign(
            opinion="fine", opinion_by="d", opinion_row=s["opinion_row"][::-1].values
        ),
        "score or label differ from once.csv",
    ),
    "cases": (
        lambda s: s.assign(opinion="fine", opinion_by="d", case=s["case"][::-1].values),
        "cells of column 'case' are in other rows",
    ),
    "an audit": (
        lambda s: s.rename(columns={"opinion": "audited_label"}),
        "use the sheet that `lwcal opinions plan` wrote",
    ),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_wrong_sheets_are_refused(reviewed, capsys, change, said):
    """As a whole, and nothing is written."""
    call(f"opinions plan once.csv {ONCE} --n 20 --out s.csv")
    write(change(read("s.csv")), "s.csv")
    before = files(reviewed)
    capsys.readouterr()
    assert call(f"opinions merge once.csv s.csv {ONCE} --out m.csv") == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert files(reviewed) == before


def test_a_sheet_of_opinions_is_no_audit(reviewed, wide, capsys):
    """Opinions must never be taken for checked labels."""
    wide.to_csv("truth.csv", index=False)
    call(f"opinions plan once.csv {ONCE} --for dora --n 20 --out s.csv")
    answered("s.csv", "truth.csv")
    capsys.readouterr()
    assert call(f"audit merge once.csv s.csv --label label {POSITIVE} --out c.json") == 2
    assert "expected the columns audit_row" in capsys.readouterr().err


MISTAKES = {
    "for nobody": (
        f"opinions plan once.csv --label label {POSITIVE} --for ann --out s.csv",
        "expected --reviewer with --for, got labels without names",
    ),
    "nothing left": (
        f"opinions plan full.csv --label a,b {POSITIVE} --out s.csv",
        "rows with one opinion in full.csv, got none among 3 rows",
    ),
    "one class": (
        f"opinions plan one.csv --label a {POSITIVE} --out s.csv",
        "labels of two classes, got one, 'fraud'",
    ),
    "existing": (f"opinions plan once.csv {ONCE} --out once.csv", "once.csv exists"),
    "sheet format": (f"opinions plan once.csv {ONCE} --out s.xlsx", "s.xlsx"),
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(reviewed, capsys, line, said):
    """One line, and nothing is written."""
    rows = pd.DataFrame({"p": [0.1, 0.5, 0.9], "a": ["fine", "fine", "fraud"]})
    rows.assign(b=rows["a"]).to_csv("full.csv", index=False)
    rows.assign(a="fraud").to_csv("one.csv", index=False)
    before = files(reviewed)
    assert call(line) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
    assert files(reviewed) == before
