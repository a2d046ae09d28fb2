"""``lwcal audit merge`` of sheets that several reviewers have answered."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

import lwcal
from lwcal.cli.audit.opinions import CollectedOpinions
from tests.cli.audit.helpers import answered, read, write
from tests.cli.helpers import call, files

MERGE = "audit merge scores.csv to_check.csv --out-scores o.csv"
ROWS = 20


@pytest.fixture
def planned(here, capsys):
    """The working folder, with a sheet of a few rows that two reviewers have answered."""
    call(f"audit plan scores.csv --out to_check.csv --budget {ROWS}")
    capsys.readouterr()
    opine(ann="0110" * 5, bob="0111" * 5)
    return here


def opine(sheet="to_check.csv", **answers):
    """Write the answers of reviewers into a sheet: a character for each row, a dot for none."""
    frame = read(sheet)
    for name, said in answers.items():
        frame[f"audit_opinion_{name}"] = ["" if answer == "." else answer for answer in said]
        frame[f"audit_time_{name}"] = "2026-01-31T12:00:00Z"
    write(frame, sheet)


def test_each_reviewer_has_a_column_beside_the_rows(planned, capsys):
    """The agreement is said, not called truth, and the next command is named."""
    assert call(MERGE) == 0
    said = capsys.readouterr().out.splitlines()
    kappa = cohen_kappa_score(list("0110" * 5), list("0111" * 5))
    assert said[0] == "Rows answered: ann 20, bob 20."
    assert said[1].startswith("Agreement: 75% of all pairs of answers are equal (Krippendorff's")
    assert f"Cohen's kappa {kappa:.2f}, 20 rows with several answers" in said[1]
    assert said[1].endswith("agree on 15 of them, which does not prove them right.")
    assert said[2:] == [
        "wrote o.csv",
        "Next: lwcal fit o.csv --score score --label label,opinion_ann,opinion_bob "
        "--out calibrator.json",
    ]
    assert "o.csv" in files(planned)
    assert not [name for name in files(planned) if name.endswith(".json")]
    merged, rows = pd.read_csv("o.csv", dtype=str), read("to_check.csv")["audit_row"].astype(int)
    assert "".join(merged["opinion_ann"][rows - 1]) == "0110" * 5
    assert merged["opinion_bob"].notna().sum() == ROWS
    pd.testing.assert_frame_equal(merged.iloc[:, :5], pd.read_csv("scores.csv", dtype=str))


def test_the_columns_are_what_a_fit_takes(planned):
    """Labels and opinions of all reviewers, spelled alike."""
    call(MERGE)
    rows = pd.read_csv("o.csv")
    fitted = lwcal.Reviewed().fit(rows["score"], rows[["label", "opinion_ann", "opinion_bob"]])
    assert [found.name for found in fitted.reviews_.reviewers] == list(rows.columns[[2, 5, 6]])
    assert fitted.reviews_.agreement.rows == ROWS


def test_programs_read_the_same(here, capsys):
    """With the options of the call in the next command."""
    assert call("audit plan scores.csv --label name --pos-label bad --out s.csv --budget 20") == 0
    opine("s.csv", ann=["good", "bad"] * 10, bob=["bad", *["."] * 19])
    capsys.readouterr()
    line = "audit merge scores.csv s.csv --out-scores o.csv --label name --pos-label bad"
    assert call(f"{line} --json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reviewers"] == [
        {"name": "ann", "answered": 20},
        {"name": "bob", "answered": 1},
    ]
    assert found["agreement"]["rows"] == 1
    assert found["agreement"]["all_agree"] == 0
    assert found["next"] == (
        "lwcal fit o.csv --score score --label name,opinion_ann,opinion_bob --pos-label bad "
        "--out calibrator.json"
    )


def test_one_reviewer_agrees_with_nobody(planned, capsys):
    """Skipped rows have no opinion, and a reviewer without answers has no column."""
    opine(ann=["skip", *"0110" * 4, *"..."], bob="." * ROWS)
    assert call(MERGE) == 0
    said = capsys.readouterr().out
    assert "Rows answered: ann 16." in said
    assert "Agreement: unknown" in said
    assert "--label label,opinion_ann --out" in said
    assert "opinion_bob" not in pd.read_csv("o.csv").columns


def test_checked_labels_in_the_same_sheet_stay_checked_labels(planned, capsys):
    """They are written beside the opinions, and the fit is told of them."""
    answered(rows=range(6))
    assert call(MERGE) == 0
    assert (
        "--label label,opinion_ann,opinion_bob --trusted audited_label" in capsys.readouterr().out
    )
    merged = pd.read_csv("o.csv")
    assert merged["audited_label"].notna().sum() == 6
    assert merged["opinion_ann"].notna().sum() == ROWS


def test_sheets_of_several_reviewers_are_merged_at_once(planned, capsys):
    """A reviewer may have answered two sheets, but not one row in two ways."""
    write(read("to_check.csv").drop(columns=["audit_opinion_ann", "audit_time_ann"]), "b.csv")
    write(read("to_check.csv").drop(columns=["audit_opinion_bob", "audit_time_bob"]), "a.csv")
    assert call("audit merge scores.csv a.csv b.csv --out-scores o.csv") == 0
    assert "Rows answered: ann 20, bob 20." in capsys.readouterr().out
    opine("b.csv", ann="1" * ROWS)
    assert call("audit merge scores.csv a.csv b.csv --out-scores p.csv") == 2
    assert "has different answers in row 2 of a.csv and row 2 of b.csv" in capsys.readouterr().err


def test_several_classes(tmp_path, monkeypatch, capsys):
    """The scores are named as in the call."""
    monkeypatch.chdir(tmp_path)
    scores = np.random.default_rng(0).dirichlet([0.5] * 3, 60)
    frame = pd.DataFrame(scores, columns=["p_cat", "p_dog", "p_owl"])
    frame["label"] = np.array(["cat", "dog", "owl"])[scores.argmax(axis=1)]
    frame.to_csv("pets.csv", index=False)
    assert call("audit plan pets.csv --score p_* --out s.csv --budget 4") == 0
    opine("s.csv", ann=["cat", "dog", "owl", "owl"], bob=["cat", "dog", "cat", "."])
    capsys.readouterr()
    assert call("audit merge pets.csv s.csv --score p_* --out-scores o.csv") == 0
    said = capsys.readouterr().out
    assert "67% of all pairs" in said
    assert "lwcal fit o.csv --score 'p_*' --label label,opinion_ann,opinion_bob --out" in said


MISTAKES = {
    "calibrator": (f"{MERGE} --out c.json", "they are opinions, not checked labels"),
    "no target": ("audit merge scores.csv to_check.csv", "Give --out-scores, the file for the ro"),
    "no out": ("audit merge scores.csv checked.csv", "Give --out, the file for the calibrator"),
    "taken": (
        "audit merge old.csv to_check.csv --out-scores o.csv",
        "got the column 'Opinion_Ann'",
    ),
    "answer": (
        "audit merge scores.csv bad.csv --out-scores o.csv",
        "column 'audit_opinion_ann' is",
    ),
    "name": ("audit merge scores.csv name.csv --out-scores o.csv", "got 'ann lee'"),
    "case": ("audit merge scores.csv case.csv --out-scores o.csv", "'ann' and 'Ann', which differ"),
    "two sheets": (f"{MERGE} other.csv", "'ann' and 'Ann', which differ"),
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_what_cannot_be_merged_is_one_line(planned, capsys, line, said):
    """And writes nothing."""
    sheet = read("to_check.csv")
    plain = sheet.drop(columns=[name for name in sheet if name.endswith(("_ann", "_bob"))])
    write(plain, "checked.csv")
    answered("checked.csv")
    write(sheet.rename(columns={"audit_opinion_ann": "audit_opinion_ann lee"}), "name.csv")
    write(sheet.rename(columns={"audit_opinion_bob": "audit_opinion_Ann"}), "case.csv")
    write(sheet.assign(audit_opinion_ann="maybe"), "bad.csv")
    write(plain.assign(audit_opinion_Ann="1"), "other.csv")
    pd.read_csv("scores.csv").assign(Opinion_Ann=1).to_csv("old.csv", index=False)
    before = files(planned)
    assert call(line) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert files(planned) == before


def test_opinions_of_an_earlier_merge_are_hidden_from_later_reviewers(planned, capsys):
    """But a column of text about the case that has such a name is shown."""
    call(MERGE)
    rows = pd.read_csv("o.csv").assign(opinion_text="I never bought this", audit_opinion_zoe="x")
    rows.to_csv("o.csv", index=False)
    capsys.readouterr()
    assert call("audit plan o.csv --out again.csv --budget 5") == 0
    said = capsys.readouterr().err
    assert "opinion_ann (named like an opinion), opinion_bob (named like an opinion)" in said
    shown = read("again.csv").columns
    assert "opinion_text" in shown
    assert not {"opinion_ann", "opinion_bob", "audit_opinion_zoe"} & set(shown)
    assert call("audit plan o.csv --out more.csv --show-column audit_opinion_zoe") == 2
    assert "it tells what a reviewer answered" in capsys.readouterr().err


def test_agreement_counts_rows_with_several_answers_only():
    """The row that one reviewer answered, and that which nobody did, do not count."""
    nan = np.nan
    found = CollectedOpinions(["a", "b", "c"], np.array([[0, 0, nan], [1, 0, 1], [2, nan, nan]]))
    assert (found.answered, found.all_agree) == ([3, 2, 1], 1)
    assert found.agreement(3).rows == 2
    assert found.agreement(3).equal == pytest.approx((2 * 1 + 3 * (1 / 3)) / 5)
