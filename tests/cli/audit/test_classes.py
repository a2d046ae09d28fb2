"""``lwcal audit plan`` and ``merge`` with a column of scores for each of several classes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.audit.helpers import answered, read, write
from tests.cli.helpers import call, files
from tests.multiclass.simulated import next_noise, noisy_rows

NAMES = np.array(["ant", "Bee", "007", "[dog]"])
"""Also one that looks like a number, and one that looks like a style."""
ENDS = "--score p_* --label label"
PLAN = f"audit plan rows.csv --out to_check.csv --budget 60 {ENDS}"
MERGE = f"audit merge rows.csv to_check.csv --out c.json {ENDS}"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Rows of four classes, of which a quarter is labelled as the next class."""
    monkeypatch.chdir(tmp_path)
    scores, truth, labels = noisy_rows(500, next_noise(4, 0.25), slope=1.5)
    frame = pd.DataFrame(scores.round(6), columns=[f"p_{name}" for name in NAMES])
    frame.insert(0, "id", [f"{row:04d}" for row in range(500)])
    frame["label"] = NAMES[labels]
    frame["truth_for_tests"] = [f"{row} {name}" for row, name in enumerate(NAMES[truth])]
    frame.to_csv("rows.csv", index=False)
    return tmp_path


def true_class(case):
    """The true class of a row of the source."""
    return case["truth_for_tests"].split()[1]


def arrays():
    """Scores and labels as Python gets them."""
    frame = pd.read_csv("rows.csv", dtype={"label": str})
    return frame[[f"p_{name}" for name in NAMES]].to_numpy(), frame["label"].to_numpy()


def fill(**how):
    """Answer by the truth."""
    return answered(source="rows.csv", truth=true_class, **how)


def test_the_sheet_has_the_rows_that_python_plans(here, capsys):
    """And neither label nor any score; what to write is said."""
    assert call(f"{PLAN} --seed 3") == 0
    plan = lwcal.plan_audit(*arrays(), budget=60, random_state=3, classes=NAMES)
    sheet = read("to_check.csv")
    assert list(sheet["audit_row"].astype(int) - 1) == list(plan.rows)
    np.testing.assert_array_equal(sheet["audit_probability"].astype(float), plan.probabilities)
    assert [name for name in sheet.columns if "audit" not in name] == ["id", "truth_for_tests"]
    shown = capsys.readouterr()
    assert "true class into column audited_label: ant, Bee, 007, [dog]." in shown.out
    assert "next: lwcal audit merge rows.csv to_check.csv" in shown.out
    assert "--score 'p_*'" in shown.out
    capsys.readouterr()
    call(f"{PLAN} --force --json")
    sent = json.loads(capsys.readouterr().out)
    assert sent["score_columns"] == [f"p_{name}" for name in NAMES]
    assert "positive_class" not in sent


def test_what_tells_a_class_is_hidden(here, capsys):
    """Predictions and labels under other names, and whatever has classes as values."""
    rng = np.random.default_rng(0)
    frame = pd.read_csv("rows.csv", dtype={"id": str, "label": str})
    frame["guess"] = NAMES[arrays()[0].argmax(axis=1)]
    frame["same"] = frame["label"].map(dict(zip(NAMES, ["w", "x", "y", "z"], strict=True)))
    frame["old_label"] = rng.permutation(frame["label"])
    frame["by_chance"] = rng.permutation(frame["label"])
    frame["p_other"] = 0.25
    frame.to_csv("rows.csv", index=False)
    columns = ",".join(f"p_{name}" for name in NAMES)
    line = "audit plan rows.csv --out to_check.csv --budget 30 --label label --score"
    assert call(f"{line} {columns}") == 0
    noted = capsys.readouterr().err.splitlines()[-1]
    for said in (
        "guess (mostly the ",
        "same (the same as the label)",
        "by_chance (has the classes as values)",
        "old_label (named like a label)",
        "p_other (named like a score)",
    ):
        assert said in noted
    assert call(f"{line} {columns} --show-label --force") == 0
    assert {"label", *(f"p_{name}" for name in NAMES)} <= set(read("to_check.csv").columns)
    assert call(f"{line} {columns} --show-label --hide-score --force") == 0
    assert not [name for name in read("to_check.csv").columns if name.startswith("p_")]


def test_the_calibrator_is_the_one_that_python_fits(here, capsys):
    """Its file has the same bytes; shares, pairs and the next command are told."""
    call(PLAN)
    fill()
    code = call(f"{MERGE} --out-scores audited.csv")
    shown = " ".join(capsys.readouterr().out.split())
    scores, labels = arrays()
    kept = pd.read_csv("audited.csv", dtype=str, keep_default_na=False)
    truths = kept["audited_label"].replace("", None)
    chances = pd.to_numeric(kept["audit_probability"])
    fitted = lwcal.Audited().fit(
        scores, labels, y_audited=truths, audit_probability=chances, classes=NAMES
    )
    lwcal.save(fitted, "python.json")
    assert Path("c.json").read_text() == Path("python.json").read_text()
    found = lwcal.audit.estimate_from_audit(scores, labels, truths, chances, classes=NAMES)
    assert f"Wrong labels among all rows: {found.wrong_share:.0%}." in shown
    assert f"Labels checked: 60; wrong among them: {found.wrong}." in shown
    first = found.pairs[0]
    assert f"{first.true} {first.label} {first.rows} of {first.of}" in shown
    assert "change of log loss" in shown
    assert "scaled" not in shown
    assert "Positive class" not in shown
    assert ("Next: lwcal apply c.json NEW.csv --score 'p_*'" in shown) == ("Deploy" in shown)
    assert code == 0
    capsys.readouterr()
    call(f"{MERGE} --force --json")
    sent = json.loads(capsys.readouterr().out)
    assert sent["findings"] == json.loads(json.dumps(found.to_dict()))
    assert sent["classes"] == NAMES.tolist()
    diagnosed = lwcal.diagnose(
        scores, labels, y_audited=truths, audit_probability=chances, classes=NAMES, methods=()
    )
    assert sent["recommendation"] == diagnosed.recommendation.to_dict()
    assert sent["noise"]["matrix"] == diagnosed.noise.matrix.tolist()
    judged = lwcal.audit.evaluate_audited(fitted, scores, labels, truths, chances)
    assert sent["judged"]["nll_less_raw"] == pytest.approx(judged.to_dict()["nll_less_raw"])
    assert f"log loss {judged.raw.nll.value:.3f} raw, {judged.calibrated.nll.value:.3f}" in shown


def test_classes_come_out_as_they_are_written_in_the_labels(here):
    """However they were answered; a class without labels is called as its column."""
    frame = pd.read_csv("rows.csv", dtype={"label": str})
    frame = frame[frame["label"] != "ant"].reset_index(drop=True)
    frame.to_csv("rows.csv", index=False)
    call(PLAN)
    sheet = read("to_check.csv")
    sheet["audited_label"] = ["7", "BEE ", "ANT", "007", "skip", *["[Dog]"] * 20, *[""] * 35]
    write(sheet, "to_check.csv")
    assert call(f"{MERGE} --out-scores audited.csv") in (0, 1)
    kept = pd.read_csv("audited.csv", dtype=str, keep_default_na=False)
    rows = sheet["audit_row"].astype(int) - 1
    expected = ["007", "Bee", "ant", "007", "", *["[dog]"] * 20, *[""] * 35]
    assert list(kept["audited_label"].iloc[rows]) == expected


def test_a_second_round_leaves_out_the_first(here, capsys):
    """Probabilities of both rounds count together; an id finds rows in another order."""
    call(f"{PLAN} --id id")
    fill(rows=range(30))
    assert call(f"{MERGE} --id id --out-scores audited.csv") in (0, 1)
    assert "30 of 60 planned rows were answered" in " ".join(capsys.readouterr().out.split())
    frame = pd.read_csv("audited.csv", dtype=str, keep_default_na=False)
    frame[::-1].to_csv("turned.csv", index=False)
    ends = f"{ENDS} --id id"
    assert call(f"audit plan turned.csv --out b.csv --budget 20 {ends}") == 0
    assert "(30 were checked before)" in capsys.readouterr().out
    first, second = read("to_check.csv")["id"][:30], read("b.csv")["id"]
    assert not set(first) & set(second)
    answered("b.csv", source="turned.csv", truth=true_class)
    capsys.readouterr()
    assert call(f"audit merge turned.csv b.csv --out d.json {ends} --json") in (0, 1)
    sent = json.loads(capsys.readouterr().out)
    assert sent["findings"]["checked"] == 50
    assert [plan["answered"] for plan in sent["plans"]] == [30, 20]


def test_a_pattern_does_not_take_the_columns_of_an_audit_for_classes(here):
    """The name audit_probability fits "*_probability"."""
    frame = pd.read_csv("rows.csv", dtype={"label": str})
    names = {f"p_{name}": f"{name}_probability" for name in NAMES}
    frame.rename(columns=names).to_csv("rows.csv", index=False)
    ends = "--score *_probability --label label"
    assert call(f"audit plan rows.csv --out a.csv --budget 30 {ends}") == 0
    answered("a.csv", source="rows.csv", truth=true_class)
    merge = f"audit merge rows.csv a.csv --out c.json {ends} --out-scores audited.csv"
    assert call(merge) in (0, 1)
    assert call(f"fit audited.csv --method temperature --out t.json {ends}") == 0
    assert list(lwcal.load("t.json").classes_) == NAMES.tolist()


def test_every_row_can_be_checked(here, capsys):
    """Then nothing is unknown, and there is nothing left to plan."""
    frame = pd.read_csv("rows.csv", dtype={"label": str}).head(120)
    frame.to_csv("rows.csv", index=False)
    call(PLAN.replace("--budget 60", "--budget 500"))
    fill()
    capsys.readouterr()
    assert call(f"{MERGE} --out-scores audited.csv --json") in (0, 1)
    share = json.loads(capsys.readouterr().out)["findings"]["wrong_share"]
    assert share["low"] == share["value"] == share["high"]
    assert call(f"audit plan audited.csv --out b.csv {ENDS}") == 2
    assert "Every row of audited.csv was checked" in capsys.readouterr().err


MISTAKES = {
    "answer": (["ant", "wolf", "yes"], "is not understood (2 of 60 rows, first in row 3: 'wolf')"),
    "nothing": (["", "skip"], "None of 60 rows has an answer in column 'audited_label'"),
}


@pytest.mark.parametrize(("answers", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_wrong_sheet_is_one_line_and_writes_nothing(here, capsys, answers, said):
    """Exit code 2."""
    call(PLAN)
    sheet = read("to_check.csv")
    sheet.loc[: len(answers) - 1, "audited_label"] = answers
    write(sheet, "to_check.csv")
    before = files(here)
    capsys.readouterr()
    assert call(f"{MERGE} --out-scores audited.csv") == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert files(here) == before


def test_unknown_labels_and_two_columns_are_refused(here, capsys):
    """With the number of rows and the first; or with the options that work."""
    frame = pd.read_csv("rows.csv", dtype={"label": str})
    frame.loc[[3, 5], "label"] = "wolf"
    frame.to_csv("bad.csv", index=False)
    before = files(here)
    assert call(PLAN.replace("rows.csv", "bad.csv")) == 2
    assert "2 of 500 values are not among the classes" in capsys.readouterr().err
    pair = pd.DataFrame({"p_no": [0.9, 0.2], "p_yes": [0.1, 0.8], "label": ["no", "yes"]})
    pair.to_csv("pair.csv", index=False)
    assert call(f"audit plan pair.csv --out to_check.csv {ENDS}") == 2
    told = capsys.readouterr().err
    assert "takes one column of scores: --score p_yes --pos-label yes" in told
    assert files(here) == sorted([*before, "pair.csv"])


def test_fit_points_to_the_merge(here, capsys):
    """It has no checked labels."""
    assert call(f"fit rows.csv --method audited --out c.json {ENDS}") == 2
    assert "use lwcal audit merge" in capsys.readouterr().err
