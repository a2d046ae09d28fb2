"""``lwcal audit merge`` on real files."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.audit.sheets import as_saved_abroad
from tests.cli.audit.helpers import answered, read, write
from tests.cli.helpers import call, files

PLAN = "audit plan scores.csv --out to_check.csv --budget 40"
MERGE = "audit merge scores.csv to_check.csv --out c.json"
GRID = np.linspace(0, 1, 21)


@pytest.fixture
def planned(here):
    """The working folder, with a sheet."""
    call(PLAN)
    return here


def checks_of(sheet="to_check.csv", share=1.0):
    """The answers of a sheet, and the chances of their rows, as Python takes them."""
    y_audited, probability = np.full(800, np.nan), np.full(800, np.nan)
    frame = read(sheet)
    frame = frame[frame["audited_label"].isin(["0", "1"])]
    rows = frame["audit_row"].astype(int) - 1
    y_audited[rows] = frame["audited_label"].astype(float)
    probability[rows] = frame["audit_probability"].astype(float) * share
    return {"y_audited": y_audited, "audit_probability": probability}


def expected(noisy_rows, sheet="to_check.csv", share=1.0):
    """The calibrator that Python fits to the same answers."""
    return lwcal.Audited().fit(*noisy_rows, **checks_of(sheet, share))


def test_the_calibrator_is_the_one_that_python_fits(planned, noisy_rows, capsys):
    """And what it changed is shown before and after."""
    answered(truth=lambda row: int(float(row["score"]) > 0.4))
    code = call(MERGE)
    shown = " ".join(capsys.readouterr().out.split())
    np.testing.assert_allclose(
        lwcal.load("c.json").predict(GRID), expected(noisy_rows).predict(GRID), atol=1e-12
    )
    for words in (
        "before after",
        "true negatives labelled positive",
        "Labels checked: 40;",
        "ECE",
        "By the checked rows alone",
        "Positive class: 1.",
    ):
        assert words in shown
    assert "wrote c.json" in shown
    assert "scaled" not in shown
    findings = json_of(f"{MERGE} --force --json", capsys)["findings"]
    assert findings["checked"] == 40
    assert code == 0  # deploy, or keep the raw score


def test_checked_rows_alone_say_what_python_finds(planned, noisy_rows, capsys):
    """Of the calibrator, for programs."""
    answered(truth=lambda row: int(float(row["score"]) > 0.4))
    judged = json_of(f"{MERGE} --json", capsys)["judged"]
    wanted = lwcal.audit.evaluate_audited(expected(noisy_rows), *noisy_rows, **checks_of())
    assert judged == json.loads(json.dumps(wanted.to_dict()))


def json_of(line, capsys):
    """What a command prints for programs."""
    capsys.readouterr()
    assert call(line) in (0, 1)
    return json.loads(capsys.readouterr().out)


def test_part_of_the_answers_counts_as_a_smaller_plan(planned, noisy_rows, capsys):
    """Which is said; rows in between that were left open are said too."""
    answered(rows=range(1, 11))
    call(MERGE)
    shown = " ".join(capsys.readouterr().out.split())
    assert "10 of 40 planned rows were answered" in shown
    assert "scaled by 25%" in shown
    assert "1 planned row was skipped" in shown
    np.testing.assert_allclose(
        lwcal.load("c.json").predict(GRID),
        expected(noisy_rows, share=0.25).predict(GRID),
        atol=1e-12,
    )


def test_what_a_spreadsheet_saved_is_merged_alike(planned):
    """With semicolons, decimal commas, few digits, another order, and empty rows."""
    from lwcal.audit.sheet import read_sheet

    answered()
    call(MERGE)
    original = read_sheet(Path("to_check.csv").read_bytes(), "to_check.csv")
    Path("saved.csv").write_bytes(as_saved_abroad(original))
    assert b";" in Path("saved.csv").read_bytes()
    assert call("audit merge scores.csv saved.csv --out d.json") in (0, 1)
    assert (
        lwcal.load("d.json").predict(GRID).tolist() == lwcal.load("c.json").predict(GRID).tolist()
    )


def test_answers_that_were_sorted_alone_are_refused(planned, capsys):
    """They belong to other rows; whole rows may be sorted by the answer."""
    answered()
    sheet = read("to_check.csv")
    write(sheet.sort_values("audited_label"), "whole.csv")
    write(sheet.assign(audited_label=sorted(sheet["audited_label"])), "alone.csv")
    assert call("audit merge scores.csv whole.csv --out whole.json") in (0, 1)
    capsys.readouterr()
    assert call("audit merge scores.csv alone.csv --out alone.json") == 2
    assert "was probably sorted alone" in " ".join(capsys.readouterr().err.split())
    assert not Path("alone.json").exists()


def test_sheets_of_several_people_are_merged_at_once(planned, noisy_rows, capsys):
    """The same answer twice is fine; different ones are refused, and the row is named."""
    answered(out="a.csv", rows=range(25))
    answered(out="b.csv", rows=range(20, 40))
    assert call("audit merge scores.csv a.csv b.csv --out c.json") in (0, 1)
    answered()
    np.testing.assert_allclose(
        lwcal.load("c.json").predict(GRID), expected(noisy_rows).predict(GRID), atol=1e-12
    )
    other = read("b.csv")
    row, told = other.loc[20, "audit_row"], other.loc[20, "audited_label"]
    other.loc[20, "audited_label"] = "no" if told == "1" else "yes"
    write(other, "b.csv")
    capsys.readouterr()
    assert call("audit merge scores.csv a.csv b.csv --out d.json") == 2
    said = capsys.readouterr().err
    assert f"Row {row} of the scores" in said
    assert "row 22 of a.csv and row 22 of b.csv" in said


def test_rows_are_matched_by_id_when_the_source_was_sorted(here):
    """By number they would not be, and that is noticed."""
    call(f"{PLAN} --id id")
    answered()
    call(f"{MERGE} --id id")
    pd.read_csv("scores.csv").sort_values("score").to_csv("sorted.csv", index=False)
    assert call("audit merge sorted.csv to_check.csv --out d.json --id id") in (0, 1)
    np.testing.assert_allclose(
        lwcal.load("d.json").predict(GRID), lwcal.load("c.json").predict(GRID), atol=1e-9
    )
    assert call("audit merge sorted.csv to_check.csv --out e.json") == 2


def test_labels_with_names_are_answered_by_them(here):
    """Or by yes and no; the copy of the rows has the names."""
    named = "--label name --pos-label bad"
    call(f"{PLAN} {named}")
    sheet = read("to_check.csv")
    sheet["audited_label"] = ["bad", "GOOD", "yes", "no", "1", "0", "skip", *[""] * 33]
    write(sheet, "to_check.csv")
    assert call(f"{MERGE} {named} --out-scores s2.csv") in (0, 1)
    assert lwcal.load("c.json").pos_label == "bad"
    noted = pd.read_csv("s2.csv").set_index("id")
    rows = sheet["id"].astype(int)[:6]
    assert list(noted.loc[rows, "audited_label"]) == ["bad", "good"] * 3
    assert noted["audited_label"].notna().sum() == 6
    assert list(noted.columns)[:4] == ["score", "label", "w", "name"]


def test_merging_more_of_the_same_sheet_into_the_copy_counts_it_once(planned, noisy_rows, capsys):
    """The rows that were merged before belong to the same plan."""
    answered(rows=range(20))
    call(f"{MERGE} --out-scores s2.csv")
    answered()
    document = json_of("audit merge s2.csv to_check.csv --out d.json --json", capsys)
    assert [plan["answered"] for plan in document["plans"]] == [40]
    np.testing.assert_allclose(
        lwcal.load("d.json").predict(GRID), expected(noisy_rows).predict(GRID), atol=1e-12
    )


def edited(**changes):
    """A change of cells in the first rows of the sheet."""

    def edit(frame):
        for column, cells in changes.items():
            for row, cell in enumerate(cells):
                frame.loc[row, column] = cell
        return frame

    return edit


MISTAKES = {
    "unknown row": (
        edited(audit_row=["999"]),
        "1 of 40 rows, first in row 2",
    ),
    "score": (edited(score=["0.123"] * 3), "3 of 40 rows, first in row 2: '0.123'"),
    "probability": (edited(audit_probability=["0.9"]), "1 of 40 rows, first in row 2"),
    "answer": (edited(audited_label=["1", "perhaps"]), "first in row 3: 'perhaps'"),
    "sorted apart": (
        lambda f: f.assign(id=f["id"].to_numpy()[::-1]),
        "cells of column 'id' are in other rows than they were (40 of 40 rows, first in row 2",
    ),
    "repeated": (lambda f: pd.concat([f, f[:2]]), "2 of 42 rows, first in row 42"),
    "columns": (lambda f: f.drop(columns="audited_label"), "none named audited_label"),
    "nothing": (
        edited(audited_label=["", "skip"]),
        "None of 40 rows has an answer in column 'audited_label'",
    ),
}


@pytest.mark.parametrize(("edit", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_wrong_sheet_is_one_line_and_writes_nothing(planned, capsys, edit, said):
    """Exit code 2, whatever else is right; the sheet shows score and label."""
    call(f"{PLAN} --show-label --force")
    first = edit(answered(rows=range(0)) and read("to_check.csv"))
    write(first, "to_check.csv")
    before = files(planned)
    capsys.readouterr()
    assert call(f"{MERGE} --out-scores s2.csv") == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert files(planned) == before


def test_a_changed_label_is_refused(planned, capsys):
    """Correcting the label in place of answering is a likely mistake if it is shown."""
    call(f"{PLAN} --show-label --force")
    sheet = read("to_check.csv")
    sheet.loc[0, "label"] = str(1 - int(sheet.loc[0, "label"]))
    write(sheet, "to_check.csv")
    assert call(MERGE) == 2
    assert "into column 'audited_label' only" in capsys.readouterr().err


def test_sheets_with_and_without_label_and_score_merge_alike(planned):
    """Also a sheet with every column of the source, as earlier versions wrote it."""
    call("audit plan scores.csv --out shown.csv --budget 40 --show-label")
    blind, shown = read(answered()), read(answered("shown.csv"))
    assert set(shown.columns) - set(blind.columns) == {"score", "label"}
    source = pd.read_csv("scores.csv", dtype=str)
    every = source.iloc[blind["audit_row"].astype(int) - 1].reset_index(drop=True)
    own = [name for name in blind.columns if name.startswith("audit")]
    write(pd.concat([every, blind[own]], axis=1), "old.csv")
    fitted = []
    for sheet in ("to_check.csv", "shown.csv", "old.csv"):
        assert call(f"audit merge scores.csv {sheet} --out c.json --force") in (0, 1)
        fitted.append(lwcal.load("c.json").predict(GRID).tolist())
    assert fitted[0] == fitted[1] == fitted[2]


def test_cells_that_a_program_wrote_in_another_way_are_accepted(planned):
    """Only cells that changed places mean that answers may belong to other rows."""
    sheet = read(answered())
    sheet["id"] = [f"{int(cell)},00" for cell in sheet["id"]]
    sheet.loc[0, "id"] = "a remark"
    write(sheet, "to_check.csv")
    assert call(MERGE) in (0, 1)


def test_the_sheet_of_another_file_is_refused(planned, capsys):
    """Though it has enough rows."""
    answered()
    frame = pd.read_csv("scores.csv")
    frame["score"] = frame["score"].to_numpy()[::-1]
    frame.to_csv("other.csv", index=False)
    assert call("audit merge other.csv to_check.csv --out c.json") == 2
    assert "40 of 40 rows" in capsys.readouterr().err


def test_a_column_of_that_name_that_is_no_audit_is_refused(here, capsys):
    """It may be anything."""
    pd.read_csv("scores.csv").assign(audited_label=1).to_csv("own.csv", index=False)
    assert call("audit plan own.csv --out a.csv") == 2
    assert "a column 'audit_code' beside 'audited_label' in own.csv" in capsys.readouterr().err
