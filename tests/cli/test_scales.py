"""Scores on other scales on the command line, and rows that are not dropped in silence."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.artifact import to_document
from tests.cli.helpers import call


@pytest.fixture
def here(tmp_path, monkeypatch, noisy_rows):
    """The same rows as probabilities, percents, logits and texts, and calibrators of both."""
    monkeypatch.chdir(tmp_path)
    scores, labels = noisy_rows
    # every scale must give the same probabilities, to the last bit
    percents = np.round(scores, 4) * 100.0
    frame = pd.DataFrame({"id": range(len(scores)), "score": percents, "label": labels})
    frame.to_csv("percent.csv", index=False)
    frame.assign(score=percents / 100.0).to_csv("probability.csv", index=False)
    frame.assign(score=np.log(scores / (1 - scores))).to_parquet("logit.parquet", index=False)
    signed = [f"{value!r} %".replace(".", ",") for value in percents.tolist()]
    frame.assign(score=signed).to_csv("signed.csv", index=False, sep=";")
    rows = {"scores": percents, "y": labels, "scale": "percent"}
    lwcal.save(lwcal.LWCal().fit(**rows), "percent.json")
    lwcal.save(lwcal.LWCal().fit(percents / 100.0, labels), "probability.json")
    return frame


def described(line, capsys):
    """What a command tells programs."""
    assert call(f"{line} --json") in (0, 1)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("source", "option", "scale"),
    [
        ("percent.csv", "--score-scale percent", "percent"),
        ("percent.csv", "--score-scale auto", "percent"),
        ("signed.csv", "--score-scale percent", "percent"),
        ("signed.csv", "--score-scale auto", "percent"),
        ("signed.csv", "", "probability"),
        ("probability.csv", "--score-scale auto", "probability"),
    ],
)
def test_a_fit_is_that_of_the_probabilities(here, capsys, source, option, scale):
    """The map is the same; the scale is told and kept."""
    told = described(f"fit {source} --method lwcal --out c.json {option}", capsys)
    fitted, expected = lwcal.load("c.json"), lwcal.load("probability.json")
    assert told["score_scale"] == fitted.scale_ == scale
    assert fitted.map_.to_dict() == expected.map_.to_dict()


def test_logits_are_read(here, capsys):
    """From Parquet."""
    assert described("fit logit.parquet --score-scale auto --out c.json", capsys)[
        "score_scale"
    ] == ("logit")
    assert call("fit logit.parquet --score-scale logit --out c.json --force") == 0
    assert "logit" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        "diagnose percent.csv --score-scale percent",
        "compare percent.csv --method platt --score-scale percent",
        "evaluate percent.csv --score-scale percent",
        "evaluate percent.csv percent.json",
        "monitor percent.json percent.csv",
        "report percent.json percent.csv --out r.html",
        "report percent.json percent.csv --out r.html --drop-invalid",
        "table reduce percent.csv --out t.parquet --score-scale percent",
        "apply percent.json percent.csv --out a.csv",
        "audit plan percent.csv --out sheet.csv --score-scale percent",
    ],
)
def test_every_command_tells_the_scale(here, capsys, line):
    """Programs and people."""
    assert described(line, capsys)["score_scale"] == "percent"
    assert call(f"{line} --force" if "--out" in line else line) in (0, 1)
    assert "percent" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "command",
    [
        "evaluate {rows} {calibrator}",
        "monitor {calibrator} {rows}",
        "monitor {calibrator} unlabelled-{rows} --score score",
        "report {calibrator} {rows} --out {rows}.html --title same",
    ],
)
def test_a_calibrator_of_percents_judges_like_one_of_probabilities(here, capsys, command):
    """No score is converted twice."""
    for name in ("percent", "probability"):
        rows = pd.read_csv(f"{name}.csv")
        rows.drop(columns="label").to_csv(f"unlabelled-{name}.csv", index=False)
    percent, probability = (
        described(command.format(rows=f"{name}.csv", calibrator=f"{name}.json"), capsys)
        for name in ("percent", "probability")
    )
    assert percent.pop("score_scale") == "percent"
    assert probability.pop("score_scale") == "probability"
    percent.pop("written", None), probability.pop("written", None)
    assert percent == probability


def test_label_weights_are_those_of_the_probabilities(here):
    """The file holds probabilities."""
    for name in ("percent", "probability"):
        options = f"--method lwcal --out {name}-new.json --label-weights {name}-weights.csv"
        assert call(f"fit {name}.csv --score-scale {name} {options}") == 0
    percent, probability = (pd.read_csv(f"{n}-weights.csv") for n in ("percent", "probability"))
    pd.testing.assert_frame_equal(percent, probability)


def test_apply_reads_scores_on_the_scale_of_the_fit(here, capsys):
    """Percents as percents, probabilities if that is said, texts with signs in any case."""
    expected = lwcal.load("probability.json").predict(here["score"] / 100.0)
    for source, option in (
        ("percent.csv", ""),
        ("signed.csv", ""),
        ("probability.csv", "--score-scale probability"),
    ):
        assert call(f"apply percent.json {source} --out out.parquet --force {option}") == 0
        assert pd.read_parquet("out.parquet")["p_calibrated"].tolist() == expected.tolist()
    capsys.readouterr()
    assert call("apply percent.json percent.csv --out -") == 0
    assert "score scale: percent" in capsys.readouterr().err


def test_an_audit_of_percents(here, capsys):
    """The plan names its scale in the next command, and the calibrator keeps it."""
    assert call("audit plan percent.csv --out sheet.csv --score-scale percent --budget 40") == 0
    assert "--score-scale percent" in capsys.readouterr().out
    sheet = pd.read_csv("sheet.csv", dtype=str)
    sheet.assign(audited_label=["0", "1"] * 20).to_csv("sheet.csv", index=False)
    merged = "audit merge percent.csv sheet.csv --out audited.json --score-scale percent"
    told = described(merged, capsys)
    assert told["score_scale"] == "percent"
    assert call(f"{merged} --force") in (0, 1)
    assert "Score scale: percent." in capsys.readouterr().out
    audited = lwcal.load("audited.json")
    assert audited.scale_ == "percent"
    assert audited.predict([50.0]).tolist() == audited.map_([0.5]).tolist()


def test_a_saved_table_keeps_its_scale(here, capsys):
    """So does a calibrator that is fitted to it; another scale cannot be named."""
    assert call("table reduce percent.csv --out t.parquet --score-scale percent") == 0
    assert call("table merge t.parquet t.parquet --out two.parquet") == 0
    assert call("fit two.parquet --out c.json --method platt") == 0
    assert lwcal.load("c.json").scale_ == "percent"
    assert call("fit t.parquet --out d.json --score-scale percent") == 2
    assert "--score-scale does not work with a saved table" in capsys.readouterr().err


WRONG = {
    "unknown": ("diagnose percent.csv --score-scale odds", "--score-scale to be one of"),
    "auto beside a calibrator": (
        "apply percent.json percent.csv --out a.csv --score-scale auto",
        "fitted to the scale percent",
    ),
    "auto in an evaluation": (
        "evaluate percent.csv percent.json --score-scale auto",
        "fitted to the scale percent",
    ),
    "percents": ("diagnose percent.csv", "--score-scale percent"),
    "logits": ("diagnose logit.parquet", "--score-scale logit"),
    "share alone": ("diagnose percent.csv --allow-drop-share 0.9", "with --drop-invalid"),
    "no share": ("diagnose percent.csv --drop-invalid --allow-drop-share 9", "--allow-drop-share"),
    "most rows": ("diagnose bad.csv --drop-invalid", "60% of all rows (3 of 5)"),
    "most rows of apply": (
        "apply probability.json bad.csv --out a.csv --drop-invalid",
        "--allow-drop-share 0.6",
    ),
    "a mixture": ("apply probability.json mixed.csv --out a.csv", "mixes texts with a percent"),
    "SQL of logits": ("export logit.json --to sql", "cannot be written as SQL"),
}


@pytest.mark.parametrize(("line", "told"), WRONG.values(), ids=WRONG)
def test_what_does_not_work_is_told(here, capsys, line, told):
    """Nothing is written."""
    Path("bad.csv").write_text("score,label\n0.5,1\n,0\n,1\n7,0\n0.2,0\n")
    Path("mixed.csv").write_text("score,label\n0.5,1\n6%,0\n")
    lwcal.save(lwcal.Platt().fit([-2.0, 0.5, 1.0], [0, 1, 1], scale="logit"), "logit.json")
    assert call(line) == 2
    assert told in capsys.readouterr().err
    assert not Path("a.csv").exists()


def test_a_share_of_dropped_rows_can_be_allowed(here, capsys):
    """The rest is used."""
    Path("bad.csv").write_text("score,label\n0.5,1\n,0\n,1\n7,0\n0.2,0\n")
    allowed = "--drop-invalid --allow-drop-share 0.6"
    assert call(f"table reduce bad.csv --out t.parquet {allowed}") == 0
    assert call(f"apply probability.json bad.csv --out a.csv {allowed}") == 0
    assert len(pd.read_csv("a.csv")) == 2
    assert "dropped 3 of 5 rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "scale", "expected"),
    [
        ("a_score,b_score,label\n50,300,1\n97,700,0\n", "percent", "a_score"),
        ("a_score,b_score,label\n-5,x,1\n9,y,0\n", "logit", "a_score"),
        ("a_score,b_score,label\n5%,x,1\n9%,y,0\n", "auto", "a_score"),
        ("a_score,b_score,label\n5%,-1,1\n9%,2,0\n", "logit", "b_score"),
        ("a_score,b_score,label\n,0.1,1\n,0.2,0\n", "probability", "b_score"),
    ],
)
def test_the_column_that_fits_the_scale_is_found(tmp_path, capsys, content, scale, expected):
    """Among several of usual names."""
    path = tmp_path / "rows.csv"
    path.write_text(content)
    assert call(f"table reduce {path} --out {tmp_path}/t.parquet --score-scale {scale}") == 0
    assert f"score column: {expected}" in capsys.readouterr().err


def test_files_without_a_scale_hold_probabilities(here):
    """As all earlier files do; and the schema knows the field."""
    document = json.loads(Path("probability.json").read_text())
    assert "scale" not in document
    assert lwcal.load("probability.json").scale_ == "probability"
    assert to_document(lwcal.load("percent.json"))["scale"] == "percent"
