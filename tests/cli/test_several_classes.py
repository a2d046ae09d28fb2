"""Several columns of scores on the command line: the numbers of Python, one line for mistakes."""

import json
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.class_frames import NAMES, class_frame, scores_of
from tests.cli.helpers import call, files
from tests.multiclass.simulated import noisy_rows
from tests.report.class_example import NOISE

ENDS = "--score p_* --label label"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Rows as CSV and Parquet, and a calibrator."""
    monkeypatch.chdir(tmp_path)
    frame = class_frame()
    frame.to_csv("rows.csv", index=False)
    frame.to_parquet("rows.parquet", index=False)
    fitted = lwcal.MatrixScaling().fit(scores_of(frame), frame["label"], classes=NAMES)
    lwcal.save(fitted, "c.json")
    return frame


def output(capsys):
    """What a command printed for programs."""
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("source", "score"),
    [("rows.csv", "p_*"), ("rows.parquet", "p_*"), ("rows.csv", "p_cat,p_dog,p_bird")],
)
def test_fit(here, capsys, source, score):
    """The file is that of the fit in Python; the label column is found."""
    line = f"fit {source} --score {score} --method matrix-scaling --out new.json --json"
    assert call(line) == 0
    assert Path("new.json").read_text() == Path("c.json").read_text()
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["n"], found["classes"], found["sampled_from"]) == (400, list(NAMES), None)
    assert found["class_shares"] == [(here["label"] == name).mean() for name in NAMES]
    assert "label column: label" in told.err


def test_fit_tells_what_it_found(here, capsys):
    """Method, rows, classes and diagnostics."""
    assert call(f"fit rows.csv {ENDS} --weight w --method temperature --out new.json") == 0
    told = capsys.readouterr().out
    for part in ("temperature", "classes", "labelled cat", "slope", "wrote new.json"):
        assert part in told
    expected = lwcal.Temperature().fit(scores_of(here), here["label"], here["w"], classes=NAMES)
    assert lwcal.load("new.json").diagnostics_ == expected.diagnostics_


def test_fit_prints_the_verdict_of_diagnose(here, capsys, monkeypatch):
    """With a noise model; otherwise it names the command that judges."""
    assert call(f"fit rows.csv {ENDS} --out new.json --json") == 0
    expected = lwcal.diagnose(scores_of(here), here["label"], classes=NAMES, methods=[])
    assert output(capsys)["advice"] == expected.recommendation.sentence
    monkeypatch.setattr("lwcal.cli.advice.MOST_CLASSES", 2)
    for options in ("", " --method temperature"):
        assert call(f"fit rows.csv {ENDS}{options} --out new.json --json --force") == 0
        assert output(capsys)["advice"].startswith("lwcal diagnose says")


def test_a_sample_is_told(here, capsys, monkeypatch):
    """In one line, with both numbers of rows; the file keeps it."""
    monkeypatch.setattr("lwcal.rows.class_counts.MOST_NUMBERS", 300)
    assert call(f"fit rows.csv {ENDS} --method temperature --out new.json") == 0
    told = capsys.readouterr().err
    assert "sample: 100 distinct rows, which stand for 1" in told
    assert "of 400 rows" in told
    assert json.loads(Path("new.json").read_text())["sampled_from"] == 400


def test_two_columns_are_two_classes(here, capsys):
    """Both get a calibrated column; one column stays what it was."""
    pair = pd.DataFrame({"p_no": 1 - here["p_cat"], "p_yes": here["p_cat"]})
    pair["label"] = np.where(here["label"] == "cat", "yes", "no")
    pair.to_csv("pair.csv", index=False)
    assert call(f"fit pair.csv {ENDS} --method temperature --out new.json") == 0
    assert call("apply new.json pair.csv --score p_* --out new.csv") == 0
    found = pd.read_csv("new.csv")
    np.testing.assert_allclose(found["p_calibrated_no"] + found["p_calibrated_yes"], 1.0)
    assert call("apply new.json pair.csv --score p_yes --out one.csv") == 0
    one = pd.read_csv("one.csv")["p_calibrated"]
    np.testing.assert_array_equal(one, found["p_calibrated_yes"])
    assert call(f"evaluate pair.csv new.json {ENDS} --json") == 0
    assert call(f"compare pair.csv {ENDS} --method temperature") == 0


def test_apply(here, capsys):
    """A column for each class, to the bits of predict; text stays text."""
    assert call("apply c.json rows.csv --score p_* --out new.csv --json") == 0
    assert output(capsys)["columns"] == [f"p_calibrated_{name}" for name in NAMES]
    found = pd.read_csv("new.csv", dtype=str)
    assert list(found["id"]) == list(here["id"])
    expected = lwcal.load("c.json").predict(scores_of(here))
    columns = [f"p_calibrated_{name}" for name in NAMES]
    np.testing.assert_array_equal(found[columns].astype(float), expected)
    # the pattern means the same columns as before
    assert call("apply c.json new.csv --score p_* --out again.csv --force-column") == 0
    assert Path("again.csv").read_text() == Path("new.csv").read_text()
    assert "new columns p_calibrated_cat, p_calibrated_dog, p_calibr" in capsys.readouterr().out


def test_invalid_rows_are_dropped_when_asked(here, capsys):
    """And counted."""
    rows = Path("rows.csv").read_text()
    Path("bad.csv").write_text(f"{rows}x,0.9,0.9,0.9,cat,1\ny,0.2,0.3,0.5,wolf,1\n")
    assert call(f"fit bad.csv {ENDS} --method temperature --out new.json --drop-invalid") == 0
    assert "dropped 2 of 402 rows" in capsys.readouterr().err
    assert call("apply c.json bad.csv --score p_* --out new.csv --drop-invalid --json") == 0
    found = output(capsys)
    assert (found["rows"], found["dropped"]) == (401, 1)


@pytest.mark.parametrize("order", ["rows.csv c.json", "c.json rows.csv"])
def test_evaluate(here, capsys, order):
    """The numbers of Python, with intervals around them."""
    assert call(f"evaluate {order} {ENDS} --json") == 0
    found = output(capsys)["metrics"]
    fitted = lwcal.load("c.json")
    for name, p in (
        ("raw score", scores_of(here)),
        ("calibrated", fitted.predict(scores_of(here))),
    ):
        expected = lwcal.metrics.class_evaluate(here["label"], p, classes=NAMES)
        for metric, one in found[name].items():
            assert one["value"] == pytest.approx(expected[metric])
            assert one["low"] <= one["value"] <= one["high"]


def test_evaluate_and_compare_for_people(here, capsys):
    """The same look as for two classes."""
    assert call(f"evaluate rows.csv c.json {ENDS}") == 0
    told = capsys.readouterr().out
    for part in ("Brier score", "log loss", "accuracy", "ECE of the top", "400 rows, 3 classes"):
        assert part in told
    assert call(f"compare rows.csv {ENDS} --method temperature,matrix-scaling") == 0
    told = capsys.readouterr().out
    for part in ("temperature", "matrix-scaling", "identity", "400 rows, 3 classes, cross-fitted"):
        assert part in told


def test_compare(here, capsys):
    """Every calibrator that takes several classes, and the raw score improves."""
    assert call(f"compare rows.csv {ENDS} --json") == 0
    found = output(capsys)["candidates"]
    methods = [one["method"] for one in found]
    assert {"identity", "temperature", "vector-scaling", "matrix-scaling"} <= set(methods)
    assert methods[-1] == "identity"
    assert found[0]["nll_less_raw"]["labelled"]["high"] < 0.0


@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet"])
def test_monitor(here, capsys, source):
    """The numbers of Python, with labels; nothing has changed."""
    assert call(f"monitor c.json {source} --score p_* --json") == 0
    told = capsys.readouterr()
    assert "label column: label" in told.err
    found = json.loads(told.out)
    assert found.pop("score_columns") == [f"p_{name}" for name in NAMES]
    assert found.pop("sampled_from") is None
    expected = lwcal.monitor(lwcal.load("c.json"), scores_of(here), here["label"]).to_dict()
    assert found["verdict"] == expected["verdict"] == "cannot tell"
    assert found["tests"] == expected["tests"]
    for name in ("nll", "top_label_ece"):
        assert found["new"][name] == pytest.approx(expected["new"][name])


def test_monitor_without_labels_exits_with_1_when_labels_are_due(here, capsys):
    """Weights count, and the changed scores are named."""
    scores = scores_of(here) ** 3
    new = pd.DataFrame(scores / scores.sum(axis=1, keepdims=True), columns=here.columns[1:4])
    new.assign(w=2).to_csv("new.csv", index=False)
    assert call("monitor c.json new.csv --score p_* --weight w --json") == 1
    told = capsys.readouterr()
    assert "no column with labels: only the scores are compared" in told.err
    found = json.loads(told.out)
    assert found["new"]["n"] == 800
    assert {test["name"] for test in found["tests"]} == {"scores"}
    assert call("monitor c.json new.csv --score p_*") == 1
    shown = capsys.readouterr().out
    for part in ("Check labels of new rows: in 400 new rows", "highest score", "PSI", "bird"):
        assert part in shown


def test_monitor_lists_the_most_serious_comparisons(tmp_path, monkeypatch, capsys):
    """Of many classes, with the number of those that are left out."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(20), 300), rng.integers(0, 20, 300)
    lwcal.save(lwcal.Identity().fit(p, y, classes=range(20)), "c.json")
    pd.DataFrame(p, columns=[f"p_{k}" for k in range(20)]).assign(y=y).to_csv("t.csv", index=False)
    assert call("monitor c.json t.csv --score p_* --label y") == 0
    shown = capsys.readouterr().out
    assert "31 comparisons with less evidence are not shown" in shown
    assert "log loss" in shown


def test_monitor_of_two_columns_is_that_of_the_second(here, capsys):
    """With labels and without."""
    pair = pd.DataFrame({"p_no": 1 - here["p_cat"], "p_yes": here["p_cat"]})
    pair["label"] = np.where(here["label"] == "cat", "yes", "no")
    pair.to_csv("pair.csv", index=False)
    fitted = lwcal.Temperature().fit(pair[["p_no", "p_yes"]], pair["label"], classes=["no", "yes"])
    lwcal.save(fitted, "two.json")
    assert call("monitor two.json pair.csv --score p_* --label label --json") == 0
    found = output(capsys)
    assert found["positive_class"] == "yes"
    expected = lwcal.monitor(fitted, pair["p_yes"], pair["label"] == "yes").to_dict()
    assert found["new"]["base_rate"] == expected["new"]["base_rate"]
    pair.drop(columns="label").to_csv("pair.csv", index=False)
    assert call("monitor two.json pair.csv --score p_* --json") == 0
    assert len(output(capsys)["tests"]) == 1


FIT = f"fit rows.csv {ENDS} --out new.json"
MISTAKES = {
    "method": (f"{FIT} --method platt", "--method platt takes one column of scores. For several"),
    "rates": (f"{FIT} --method temperature --noise-rates 0.1,0.2", "those of two classes"),
    "label weights": (f"{FIT} --method temperature --label-weights w.csv", "lwcal or gated"),
    "positive class": (f"{FIT} --method temperature --pos-label cat", "--pos-label needs one"),
    "scale": (f"{FIT} --method temperature --score-scale percent", "the scale percent"),
    "labels": (
        "fit rows.csv --score p_* --label w --method temperature --out new.json",
        "'w': 400 of 400 values are not among the classes of the score columns ('cat', 'dog', 'b",
    ),
    "ids as labels": (
        "fit rows.csv --score p_* --label id --method temperature --out new.json",
        "'id': 400 of 400 values are not among the classes",
    ),
    "no pattern": (
        "fit rows.csv --score q_* --method temperature --out new.json",
        "expected at least two columns like 'q_*', got none among the columns id, p_cat",
    ),
    "a class too few": (
        "fit rows.csv --score p_cat,p_dog --method temperature --out new.json",
        "not near 1",
    ),
    "other classes": (
        "apply c.json rows.csv --score p_cat,p_dog --out new.csv",
        "for each class of the calibrator ('cat', 'dog', 'bird'), got none for the class 'bird'",
    ),
    "one column": (
        "apply c.json rows.csv --score p_cat --out new.csv",
        "of two classes for one column of scores, got one of 3 classes; name a column for each",
    ),
    "one column, judged": (
        "evaluate rows.csv c.json --score p_cat --label label",
        "The calibrator has 3 classes; name a column of scores for each",
    ),
    "calibrator of one column": (
        "apply one.json rows.csv --score p_* --out new.csv",
        "one.json: The calibrator was fitted to one column of scores; pass one column.",
    ),
    "calibrator of one column, judged": (
        f"evaluate rows.csv one.json {ENDS}",
        "The calibrator was fitted to one column of scores; pass one column.",
    ),
    "scale, applied": (
        "apply c.json rows.csv --score p_* --score-scale percent --out new.csv",
        "the scale percent",
    ),
    "rates, judged": (f"evaluate rows.csv c.json {ENDS} --noise-rates 0.1,0.1", "two classes"),
    "matrix, one column": (
        "evaluate rows.csv --score p_cat --label label --pos-label cat --noise-matrix m.csv",
        "With one column, give the flip rates",
    ),
    "matrix, other method": (
        f"{FIT} --method auto --noise-matrix m.csv",
        "expected --method noise-aware with --noise-matrix, got auto",
    ),
    "matrix and estimate": (
        f"evaluate rows.csv {ENDS} --noise-rates estimate --noise-matrix m.csv",
        "exclude each other",
    ),
    "matrix and opinions": (
        "fit rows.csv --score p_* --label label,second --noise-matrix m.csv --out new.json",
        "--noise-matrix works with one label a row",
    ),
    "no matrix": (f"compare rows.csv {ENDS} --noise-matrix none.csv", "none.csv: No such file"),
    "rates, compared": (f"compare rows.csv {ENDS} --noise-rates 0.1,0.1", "those of two classes"),
    "methods": (f"compare rows.csv {ENDS} --method platt", "--method platt takes one column"),
    "saved table": (f"evaluate table.parquet {ENDS}", "does not work with a saved table"),
    "checks": (
        f"report c.json rows.csv {ENDS} --trusted w",
        "column 'w': 400 of 400 values are not among the classes",
    ),
    "one column, reported": (
        "report c.json rows.csv --score p_cat --label label",
        "The calibrator has 3 classes; name a column of scores for each",
    ),
    "calibrator of one column, reported": (
        f"report one.json rows.csv {ENDS}",
        "The calibrator was fitted to one column of scores; pass one column.",
    ),
    "other classes, reported": (
        "report c.json other.csv --score p_* --label label",
        "got none for the class 'bird'",
    ),
    "one column, monitored": (
        "monitor c.json rows.csv --score p_cat",
        "The calibrator has 3 classes; name a column of scores for each",
    ),
    "calibrator of one column, monitored": (
        f"monitor one.json rows.csv {ENDS}",
        "The calibrator was fitted to one column of scores; pass one column.",
    ),
    "other labels, monitored": (
        "monitor c.json rows.csv --score p_* --label w",
        "'w': 400 of 400 values are not among the classes of the score columns",
    ),
    "table": (f"table reduce rows.csv {ENDS} --out t.parquet", "names several columns"),
}


def test_report(here, capsys):
    """The page and the verdict are those of Python; the columns may come in any order."""
    line = "report c.json rows.csv --score p_dog,p_cat,p_bird --label label --title Pets --json"
    assert call(f"{line} --out r.html") == 0
    found = output(capsys)
    data = lwcal.report.build(lwcal.load("c.json"), scores_of(here), here["label"])
    assert found["recommendation"] == data.diagnosis.recommendation.to_dict()
    assert (found["classes"], found["written"]) == (list(NAMES), ["r.html"])
    text = unescape(Path("r.html").read_text(encoding="utf-8"))
    assert "<h1>Pets</h1>" in text
    assert data.diagnosis.noise.sentence in text
    command = "lwcal report c.json rows.csv --score p_dog,p_cat,p_bird --label label --title Pets"
    assert f"{command}</code>" in text


def test_report_tells_its_classes(here, capsys):
    """And which columns it found; weights count."""
    assert call("report c.json rows.csv --score p_* --weight w --out r.html") == 0
    told = capsys.readouterr()
    assert "classes: 3 (cat, dog, bird)" in told.out
    assert "wrote r.html (" in told.out
    assert "label column: label" in told.err
    assert f"<dd>{here['w'].sum():,.0f}</dd>" in Path("r.html").read_text(encoding="utf-8")


def test_report_of_two_columns_is_that_of_two_classes(here, capsys):
    """The class of the second column is the positive one."""
    pair = here[here["label"] != "bird"].copy()
    total = pair["p_cat"] + pair["p_dog"]
    pair = pair[total > 0].assign(p_cat=pair["p_cat"] / total, p_dog=pair["p_dog"] / total)
    pair[["p_cat", "p_dog", "label"]].to_csv("pair.csv", index=False)
    assert call("fit pair.csv --score p_* --method temperature --out pair.json") == 0
    assert call("report pair.json pair.csv --score p_* --out r.html") == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "<dt>Positive class</dt><dd>dog</dd>" in page


@pytest.mark.parametrize(("line", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(here, capsys, line, expected):
    """One clear line, exit code 2, nothing written."""
    lwcal.save(lwcal.Temperature().fit([0.2, 0.8, 0.6], [0, 1, 0]), "one.json")
    lwcal.ScoreTable.from_arrays([0.2, 0.8], [0, 1]).save("table.parquet")
    here.rename(columns={"p_bird": "p_fish"}).to_csv("other.csv", index=False)
    before = files(".")
    assert call(line) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert expected in told[-1]
    assert files(".") == before


def test_the_name_of_one_column_may_look_like_a_pattern(here, capsys):
    """Then it is one column, as it always was."""
    frame = pd.DataFrame({"p_*": here["p_cat"], "y": (here["label"] == "cat").astype(int)})
    frame.to_csv("odd.csv", index=False)
    assert call("fit odd.csv --score p_* --label y --method platt --out new.json") == 0
    assert call("apply new.json odd.csv --score p_* --out new.csv") == 0
    assert "p_calibrated" in pd.read_csv("new.csv").columns


def test_rows_from_a_pipe(here, standard_input, capsys):
    """They can be read only once."""
    standard_input(Path("rows.csv").read_bytes())
    assert call(f"fit - {ENDS} --method matrix-scaling --out new.json") == 0
    assert Path("new.json").read_text() == Path("c.json").read_text()


def test_a_report_rests_on_checked_labels(here, capsys):
    """The page names the column, and has the verdict of diagnose."""
    checked = here["label"].where(here.index % 4 == 1)
    here.assign(checked=checked, audit_probability=0.25).to_csv("rows.csv", index=False)
    line = f"{ENDS} --trusted checked --weight w"
    assert call(f"report c.json rows.csv {line} --out r.html --json") == 0
    found = output(capsys)
    assert found["classes"] == list(NAMES)
    text = unescape(Path("r.html").read_text(encoding="utf-8"))
    command = "lwcal report c.json rows.csv --score 'p_*' --label label --trusted checked"
    assert command in text
    assert "checked labels were wrong" in text
    expected = lwcal.report.build(
        lwcal.load("c.json"),
        scores_of(here),
        here["label"],
        trusted=checked,
        audit_probability=np.full(400, 0.25),
        sample_weight=here["w"],
    )
    assert found["recommendation"] == expected.diagnosis.recommendation.to_dict()
    assert expected.diagnosis.evidence == "checked labels"


def test_a_report_names_the_command_of_an_audit(here, capsys):
    """That of the same file, with the same columns."""
    scores, _, labels = noisy_rows(1200, NOISE, seed=3, clarity=0.1, slope=0.8)
    frame = pd.DataFrame(scores, columns=[f"p_{k}" for k in range(4)]).assign(label=labels)
    frame.to_csv("rows.csv", index=False)
    assert call(f"fit rows.csv {ENDS} --out a.json") == 0
    capsys.readouterr()
    assert call(f"report a.json rows.csv {ENDS} --out r.html") == 0
    assert capsys.readouterr().out.startswith("Check ")
    text = unescape(Path("r.html").read_text(encoding="utf-8"))
    assert "lwcal audit serve rows.csv --score 'p_*' --label label --budget " in text
