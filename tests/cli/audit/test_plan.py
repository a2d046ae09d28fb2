"""``lwcal audit plan`` on real files."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import lwcal
from tests.cli.audit.helpers import answered, read
from tests.cli.helpers import call, files


def test_the_sheet_has_the_planned_rows_in_their_order(here, noisy_rows, capsys):
    """With the columns about the case, and those that an audit needs."""
    assert call("audit plan scores.csv --out to_check.csv --budget 30 --seed 3") == 0
    plan = lwcal.plan_audit(*noisy_rows, budget=30, random_state=3)
    sheet, source = read("to_check.csv"), pd.read_csv("scores.csv", dtype=str)
    assert list(sheet["audit_row"].astype(int) - 1) == list(plan.rows)
    np.testing.assert_array_equal(sheet["audit_probability"].astype(float), plan.probabilities)
    assert set(sheet["audited_label"]) == {""}
    assert list(sheet["id"]) == list(source["id"].iloc[plan.rows])
    shown = capsys.readouterr()
    assert "30 of 800 rows to check" in shown.out
    assert "next: lwcal audit merge scores.csv to_check.csv --out calibrator.json" in shown.out
    assert "score column: score" in shown.err


OWN = ["audit_row", "audit_probability", "audit_code", "audited_label"]


def test_the_sheet_tells_neither_label_nor_score(here, capsys):
    """Nor what repeats them under another name; what is hidden is said, with the reason."""
    frame = pd.read_csv("scores.csv").assign(
        amount=range(800),
        p_audited=0.5,
        Old_Score=0.25,
        credit_score=700,
        y_true=1,
        contradicts=0,
        reason=lambda f: f["label"].map({0: None, 1: "chargeback"}),
        half=["a", "b"] * 400,
    )
    frame.to_csv("scores.csv", index=False)
    command = "audit plan scores.csv --out to_check.csv --budget 30 --label label --score score"
    call(command)
    assert list(read("to_check.csv").columns) == ["id", "amount", "credit_score", "half", *OWN]
    noted = capsys.readouterr().err
    assert "shown to the auditor: id, amount, credit_score, half\n" in noted
    assert noted.splitlines()[-1] == (
        "hidden: score, label, w (named like a weight), name (the same as the label), "
        "p_audited (named like a score), Old_Score (named like a score), "
        "y_true (named like a label), contradicts (named like a result of lwcal), "
        "reason (the same as the label)"
    )
    call(f"{command} --show-column w --hide-column half --force")
    assert list(read("to_check.csv").columns) == ["id", "w", "amount", "credit_score", *OWN]


def test_label_and_score_can_be_shown(here, capsys):
    """Where the source has them; the score can be left out."""
    call("audit plan scores.csv --out to_check.csv --budget 30 --show-label")
    assert list(read("to_check.csv").columns) == ["id", "score", "label", *OWN]
    assert "shown to the auditor: id, label, score\n" in capsys.readouterr().err
    call("audit plan scores.csv --out to_check.csv --budget 30 --show-label --hide-score --force")
    assert list(read("to_check.csv").columns) == ["id", "label", *OWN]


def test_without_columns_about_the_case_the_row_number_is_left(here, capsys):
    """So that the case can be looked up elsewhere."""
    pd.read_csv("scores.csv")[["score", "label"]].to_csv("bare.csv", index=False)
    call("audit plan bare.csv --out to_check.csv --budget 30")
    assert list(read("to_check.csv").columns) == OWN
    assert "shown to the auditor: only the number of the row" in capsys.readouterr().err
    call("audit plan bare.csv --out to_check.csv --budget 30 --show-label --force")
    assert "hidden" not in capsys.readouterr().err


COLUMNS = {
    "unknown": ("--hide-column nothing", "a column 'nothing' in scores.csv"),
    "shown label": ("--show-column label", "'label'; use --show-label"),
    "hidden id": ("--id id --hide-column id", "'id'; answers are merged by this id"),
    "both": ("--show-column w --hide-column w", "'w'; it is named by --show-column too"),
}


@pytest.mark.parametrize(("options", "said"), COLUMNS.values(), ids=COLUMNS)
def test_columns_that_cannot_be_shown_or_hidden_are_refused(here, capsys, options, said):
    """And nothing is written."""
    before = files(here)
    assert call(f"audit plan scores.csv --out to_check.csv {options}") == 2
    assert said in capsys.readouterr().err
    assert files(here) == before


def test_the_id_is_shown_whatever_its_name(here):
    """Answers are merged by it."""
    pd.read_csv("scores.csv").rename(columns={"id": "w", "w": "x"}).to_csv("named.csv", index=False)
    call("audit plan named.csv --out to_check.csv --budget 30 --id w")
    assert list(read("to_check.csv").columns) == ["w", "x", *OWN]


def test_text_stays_as_it_was_written_and_is_not_run(here):
    """Leading zeros, and what a spreadsheet would take for a formula."""
    frame = pd.read_csv("scores.csv").assign(code="007", note='=HYPERLINK("x")', minus="-5.50")
    frame.to_csv("scores.csv", index=False)
    call("audit plan scores.csv --out to_check.csv --budget 20")
    first = read("to_check.csv").iloc[0]
    assert (first["code"], first["note"], first["minus"]) == ("007", '\'=HYPERLINK("x")', "-5.50")


@pytest.mark.parametrize("name", ["to_check.parquet", "to_check.jsonl"])
@pytest.mark.parametrize("source", ["scores.csv", "scores.parquet"])
def test_sheets_for_programs_are_merged(here, name, source):
    """From every format to every other, with the types of the source."""
    call(f"audit plan {source} --out {name} --budget 20 --show-label")
    if name.endswith("parquet"):
        kinds = {field.name: str(field.type) for field in pq.read_schema(name)}
        assert kinds["score"] == ("string" if source == "scores.csv" else "double")
        assert (kinds["audit_probability"], kinds["audit_row"]) == ("double", "int64")
        frame = pd.read_parquet(name)
    else:
        frame = pd.read_json(name, lines=True)
    frame["audited_label"] = frame["label"].astype(int).map({0: "no", 1: "yes"})
    frame.to_parquet("back.parquet")
    assert call(f"audit merge {source} back.parquet --out c.json") in (0, 1)


def test_json_is_for_programs(here, capsys):
    """The same as people are told."""
    call("audit plan scores.csv --out to_check.csv --budget 30 --json")
    assert json.loads(capsys.readouterr().out) == {
        "n": 800,
        "positive_class": "1",
        "score_scale": "probability",
        "checked_before": 0,
        "planned": 30,
        "seed": 0,
        "written": ["to_check.csv"],
    }


def test_a_second_round_leaves_out_the_first(here, capsys):
    """The copy that merging wrote is planned from, in as many rounds as are wanted."""
    call("audit plan scores.csv --out a.csv --budget 30")
    call(f"audit merge scores.csv {answered('a.csv')} --out c.json --out-scores s2.csv")
    assert call("audit plan s2.csv --out b.csv --budget 30") == 0
    assert "(30 were checked before)" in " ".join(capsys.readouterr().out.split())
    first, second = (set(read(name)["audit_row"]) for name in ("a.csv", "b.csv"))
    assert len(second) == 30
    assert not first & second
    assert list(read("b.csv").columns) == list(read("a.csv").columns)
    code = call(f"audit merge s2.csv {answered('b.csv')} --out c2.json --out-scores s3.csv --json")
    document = json.loads(capsys.readouterr().out)
    assert code in (0, 1)
    assert [(plan["earlier"], plan["answered"]) for plan in document["plans"]] == [
        (0, 30),
        (30, 30),
    ]
    final = pd.read_csv("s3.csv")
    assert final["audited_label"].notna().sum() == 60
    estimated = (1 / final["audit_probability"]).sum()  # how many rows those 60 stand for
    assert 600 < estimated < 1000


def test_all_checked_is_said(here, capsys):
    """There is nothing left to plan."""
    Path("small.csv").write_text("score,label\n0.1,0\n0.9,1\n0.2,0\n0.8,1\n")
    call("audit plan small.csv --out a.csv --budget 4")
    sheet = answered("a.csv", source="small.csv")
    call(f"audit merge small.csv {sheet} --out c.json --out-scores s2.csv")
    before = files(here)
    capsys.readouterr()
    assert call("audit plan s2.csv --out b.csv") == 2
    assert "Every row of s2.csv was checked" in capsys.readouterr().err
    assert files(here) == before
