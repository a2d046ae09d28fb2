"""The command line on real files: what it writes, what it says, how it ends."""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from packaging.requirements import Requirement

import lwcal
from lwcal.cli.app import COMMANDS, PACKAGES
from tests.cli.helpers import call


@pytest.mark.parametrize("source", ["scores.csv", "scores.parquet"])
def test_fit_writes_the_calibrator_that_python_fits(here, source, noisy_rows):
    """The file holds the default calibrator of the same rows."""
    assert call(f"fit {source} --score score --label label --out c.json") == 0
    expected = lwcal.Auto().fit(*noisy_rows).predict(np.linspace(0, 1, 99))
    loaded = lwcal.load("c.json")
    np.testing.assert_allclose(loaded.predict(np.linspace(0, 1, 99)), expected, atol=1e-12)


@pytest.mark.parametrize("option", ["--label-weights", "--audit"])
def test_fit_reports_what_it_did(here, capsys, option):
    """Rows, positive class, scalars, verdict and files on one screen."""
    call(f"fit scores.csv --score score --label label --out c.json --method lwcal {option} a.csv")
    shown = capsys.readouterr().out
    assert "% labelled positive" in shown
    assert re.search(r"positive class +1 ", shown)
    assert "share of labels that contradict the model" in shown
    assert "contradict the model's decision" in " ".join(shown.split())
    assert "wrote c.json" in shown
    assert "wrote a.csv" in shown
    assert len(pd.read_csv("a.csv")) == 800
    assert json.loads(Path("a.summary.json").read_text())["method"] == "LWCal"


def test_fit_takes_known_flip_rates(here, noisy_rows):
    """They reach the calibrator, and its file."""
    call("fit scores.csv --out new.json --method noise-aware --noise-rates 0.2,0.2")
    loaded = lwcal.load("new.json")
    assert loaded.noise_rates == [0.2, 0.2]
    expected = lwcal.NoiseAware(noise_rates=(0.2, 0.2)).fit(*noisy_rows).predict([0.1, 0.9])
    np.testing.assert_allclose(loaded.predict([0.1, 0.9]), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "options", "expected"),
    [
        ("gated", "--gate-center 0.2 --gate-width 0.3", {"gate_center": 0.2, "gate_width": 0.3}),
        ("lwcal", "--floor 0.2 --threshold 0.4", {"floor": 0.2, "threshold": 0.4}),
        ("trimmed-beta", "--keep 0.9", {"keep": 0.9}),
    ],
)
def test_fit_takes_the_papers_parameters(here, method, options, expected):
    """They reach the calibrator, and its file."""
    assert call(f"fit scores.csv --out new.json --method {method} {options}") == 0
    found = lwcal.load("new.json").get_params()
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--gate-center 0.2", "--method gated with --gate-center, got auto"),
        ("--method gated --keep 0.9", "--method trimmed-isotonic or trimmed-beta with --keep"),
        ("--method lwcal --floor 2", "floor to be a number"),
        ("--method gated --gate-width 0", "gate_width to be a number above 0"),
    ],
)
def test_fit_refuses_parameters_that_do_not_fit(here, capsys, options, words):
    """Before anything is written, and with the method that would take them."""
    assert call(f"fit scores.csv --out new.json {options}") == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not Path("new.json").exists()


def test_label_weights_keep_the_ids(here, noisy_rows):
    """As they are written in the file, leading zeros too."""
    frame = pd.read_csv("scores.csv")
    frame.insert(0, "case", [f"{k:05}" for k in range(len(frame))])
    frame.to_csv("cases.csv", index=False)
    line = "fit cases.csv --score score --label label --id case --method gated --out new.json"
    assert call(f"{line} --label-weights w.csv") == 0
    kept = pd.read_csv("w.csv", dtype={"id": str})
    assert kept["id"].tolist() == frame["case"].tolist()
    assert json.loads(Path("w.summary.json").read_text())["lwcal_version"] == lwcal.__version__


def test_diagnose_shows_the_evidence(here, capsys):
    """Recommendation, both readings, noise and every candidate; and all of it as JSON."""
    assert call("diagnose scores.csv --score score --label label") == 1
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "Check 25 labels first",
        "Until then, use",
        "lwcal audit serve scores.csv --score score --label label --budget 25",
        "Positive class: 1.",
        "not trained on",
        "log loss, calibrated",
        "change sides at 0.5",
        "probability that no label is wrong",
        "noise-aware",
    ):
        assert words in shown
    assert "gate rho" not in shown
    call("diagnose scores.csv --score score --label label --json")
    document = json.loads(capsys.readouterr().out)
    assert document["recommendation"]["action"] == "audit"
    assert (
        document["next"] == "lwcal audit serve scores.csv --score score --label label --budget 25"
    )
    assert [c["method"] for c in document["candidates"]][-1] == "auto"


@pytest.mark.parametrize("checked", [False, True], ids=["labels", "checked"])
def test_the_command_that_deploys_writes_that_calibrator(here, capsys, checked):
    """From rows, and from a saved table of them; checked labels are part of the fit."""
    rng = np.random.default_rng(0)
    clean = rng.beta(0.6, 0.6, 1500)
    truth = (rng.random(1500) < clean).astype(int)
    steep = clean**2 / (clean**2 + (1 - clean) ** 2)
    label = np.where(rng.random(1500) < 0.3 * checked, 1 - truth, truth)
    checks = np.where(np.arange(1500) < 300, truth, None)
    frame = pd.DataFrame({"score": steep, "label": label, "checked": checks})
    frame.to_csv("rows.csv", index=False)
    options = " --trusted checked" if checked else ""
    sources = ["rows.csv"]
    if not checked:
        assert call("table reduce rows.csv --score score --label label --out rows.parquet") == 0
        sources.append("rows.parquet")
    for source in sources:
        capsys.readouterr()
        names = " --score score --label label" if source == "rows.csv" else ""
        assert call(f"diagnose {source}{names}{options} --json") == 0
        told = json.loads(capsys.readouterr().out)
        method = told["recommendation"]["calibrator"]
        assert told["recommendation"]["action"] == "deploy"
        assert (method == "audited") == checked
        chosen = options or f" --method {method}"
        assert told["next"] == f"lwcal fit {source}{names}{chosen} --out calibrator.json"
        assert call(told["next"].removeprefix("lwcal ") + " --force") == 0
        written = lwcal.load("calibrator.json")
        expected = lwcal.calibrators.CALIBRATORS[method]()
        expected.fit(steep, label, **({"y_audited": checks} if checked else {}))
        np.testing.assert_allclose(written.predict([0.2, 0.7]), expected.predict([0.2, 0.7]))


def test_fit_takes_weights_and_named_classes(here):
    """Weights double n; any two labels do when the positive one is named."""
    command = "fit scores.csv --score score --label name --pos-label bad --weight w --out c.json"
    assert call(command) == 0
    assert lwcal.load("c.json").n_ == 1600


def test_the_positive_class_is_read_in_the_type_of_the_column(here):
    """Booleans by their names, numbers by their value."""
    frame = pd.read_csv("scores.csv").assign(wrong=lambda rows: rows["label"] == 0)
    frame.to_parquet("named.parquet")
    base = "fit named.parquet --method platt --force --out c.json"
    low = []
    for options in ("--label wrong --pos-label False", "--label label --pos-label 1"):
        assert call(f"{base} {options}") == 0
        low.append(lwcal.load("c.json").predict([0.1])[0])
    assert low[0] == low[1]


@pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
def test_apply_adds_one_column_and_keeps_the_rest(here, target):
    """All columns as they were written, in order, and the probabilities of Python's predict."""
    call("fit scores.csv --score score --label label --out c.json")
    assert call(f"apply c.json scores.csv --score score --out {target}") == 0
    before = pd.read_csv("scores.csv", dtype=str)
    after = pd.read_csv(target, dtype=str) if target.endswith("csv") else pd.read_parquet(target)
    pd.testing.assert_frame_equal(after[before.columns], before, check_dtype=False)
    expected = lwcal.load("c.json").predict(before["score"].astype(float))
    np.testing.assert_allclose(after["p_calibrated"].astype(float), expected, rtol=1e-15)


def test_diagnose_prints_json_for_programs(here, capsys, noisy_rows):
    """The same numbers as lwcal.diagnose."""
    assert call("diagnose scores.parquet --score score --label label --json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document.pop("next").startswith("lwcal audit serve ")
    assert document.pop("or").startswith("lwcal opinions plan ")
    assert document.pop("positive_class") == "1"
    assert document.pop("score_scale") == "probability"
    assert document == lwcal.diagnose(*noisy_rows).to_dict()


@pytest.mark.parametrize(("every", "action", "code"), [(20, "audit", 1), (10, "deploy", 0)])
def test_diagnose_with_checked_labels_rests_on_them(here, capsys, noisy_rows, every, action, code):
    """Of a CSV file, where unchecked rows are empty; and of a plan with unequal chances."""
    picked = np.arange(800) % every == 0
    frame = pd.read_csv("scores.csv").assign(audit_probability=1 / every)
    frame["truth"] = np.where(picked, frame["name"], None)
    frame.to_csv("checked.csv", index=False)
    command = "diagnose checked.csv --score score --label name --pos-label bad --trusted truth"
    assert call(f"{command} --json") == code
    document = json.loads(capsys.readouterr().out)
    assert (document["evidence"], document["checked"]) == ("checked labels", picked.sum())
    assert document["positive_class"] == "bad"
    scores, labels = noisy_rows
    expected = lwcal.diagnose(
        scores,
        labels,
        y_audited=np.where(picked, labels, np.nan),
        audit_probability=np.full(800, 1 / every),
    )
    assert document["recommendation"] == expected.to_dict()["recommendation"]
    assert document["recommendation"]["action"] == action
    assert call(command) == code
    assert f"{picked.sum()} checked labels" in " ".join(capsys.readouterr().out.split())


def test_checked_labels_need_single_rows(here, capsys):
    """Where rows are dropped or counted, nobody knows which of them were checked."""
    command = "diagnose scores.csv --score score --label label --trusted label"
    assert call(f"{command} --drop-invalid") == 2
    assert "--trusted needs single rows" in capsys.readouterr().err


def test_the_papers_rule_has_a_view_of_its_own(here, capsys):
    """With its statistics, and without any other advice."""
    call("diagnose scores.csv --score score --label label --paper")
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("The paper's rule:", "gate rho", "same decision", "points the wrong way"):
        assert words in shown
    assert "Check 25 labels" not in shown


def test_diagnose_exits_with_1_when_scores_must_be_checked(here, capsys):
    """A pipeline can branch on it."""
    frame = pd.read_csv("scores.csv")
    frame["label"] = np.random.default_rng(0).integers(0, 2, len(frame))
    frame.to_csv("random.csv", index=False)
    assert call("diagnose random.csv --score score --label label") == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("Check the scores first")
    assert "next to nothing about the labels" in shown
    assert "log loss, calibrated" not in shown


def test_force_replaces_outputs(here):
    """Only when asked to."""
    Path("c.json").write_text("old")
    assert call("fit scores.csv --score score --label label --out c.json") == 2
    assert Path("c.json").read_text() == "old"
    assert call("fit scores.csv --score score --label label --out c.json --force") == 0
    assert lwcal.load("c.json").n_ == 800


def test_version_and_help_end_well(capsys):
    """Both print and exit with 0."""
    assert call("--version") == 0
    assert capsys.readouterr().out == f"lwcal {lwcal.__version__}\n"
    for command in ("", *(f"{name} " for name in COMMANDS)):
        assert call(f"{command}--help") == 0
        assert "Usage: lwcal" in capsys.readouterr().out
    assert call("") == 2
    shown = capsys.readouterr()
    assert "Usage: lwcal" in shown.out + shown.err
    assert "Error" not in shown.err


def test_the_installed_command_runs(here):
    """As a process, through the entry point."""
    command = [Path(sys.executable).parent / "lwcal", "diagnose", "scores.csv"]
    finished = subprocess.run([*command, "--label", "no"], capture_output=True, check=False)
    assert finished.returncode == 2
    assert b"a column 'no' in scores.csv" in finished.stderr
    assert finished.stdout == b""


def test_the_packages_of_the_extra_are_known():
    """If one of them is missing, the message names the extra."""
    parts = map(Requirement, metadata.requires("lwcal"))
    extra = {"extra": "cli"}
    optional = [part for part in parts if part.marker is not None and part.marker.evaluate(extra)]
    assert {part.name for part in optional} == set(PACKAGES)


@pytest.mark.parametrize("missing", PACKAGES)
def test_without_the_extra_one_line_says_how_to_install_it(missing):
    """The command exists even when only the library was installed."""
    code = (
        f"import sys; sys.modules['{missing}'] = None; sys.argv = ['lwcal', 'diagnose', 'a.csv'];"
        "import lwcal.cli; lwcal.cli.main()"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, text=True
    )
    assert finished.returncode == 2
    assert finished.stderr.strip().endswith('pip install "lwcal[cli]"')
    assert len(finished.stderr.strip().splitlines()) == 1
