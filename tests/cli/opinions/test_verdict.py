"""``lwcal diagnose`` with several opinions."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.cli.app import run
from tests.cli.helpers import call

WIDE = "wide.csv --score p --label label_* --pos-label fraud"
LONG = "long.csv --score p --item case --reviewer who --label label --pos-label fraud"


def test_wide_and_long_files_have_the_verdict_of_python(reviewed, wide, capsys):
    """The same numbers, and the reviewers."""
    labels = wide[[f"label_{name}" for name in ("ann", "bob", "cem")]]
    found = lwcal.diagnose(wide["p"], labels, pos_label="fraud")
    for rows in (WIDE, LONG):
        code = call(f"diagnose {rows} --json")
        told = json.loads(capsys.readouterr().out)
        assert code == (0 if found.recommendation.is_settled else 1)
        assert told["recommendation"] == json.loads(json.dumps(found.recommendation.to_dict()))
        assert told["contradicted"] == found.contradicted > 0
        assert told["readings"]["noise_holds"]["gain"]["value"] == (
            found.readings.noise_holds.gain.value
        )
        assert len(told["reviews"]["reviewers"]) == 3


def test_what_a_person_reads(reviewed, capsys):
    """The verdict, both readings, and who said what."""
    call(f"diagnose {WIDE}")
    shown = " ".join(capsys.readouterr().out.split())
    assert "rows with several opinions, log loss" in shown
    assert "if every by the label is right opinions" in shown
    assert "Opinions on the same row agree in" in shown
    assert "label_cem" in shown


def test_the_next_command_works(reviewed, wide, capsys):
    """Few second opinions ask for more, on rows that have none."""
    wide.loc[12:, ["label_bob", "label_cem"]] = None
    wide.to_csv("few.csv", index=False)
    assert call("diagnose few.csv --score p --label label_* --pos-label fraud --json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["next"].startswith("lwcal opinions plan few.csv")
    assert run(shlex.split(told["next"])[1:]) == 0
    assert len(pd.read_csv("second.csv")) == told["recommendation"]["second_opinions"] == 50


@pytest.mark.usefixtures("no_verdict")  # in the fits; the verdict of diagnose is a real one
def test_opinions_that_gain_are_deployed_by_the_next_command(tmp_path, monkeypatch, capsys):
    """It reads the same opinions, in the wide and in the long form."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    clean = rng.beta(0.4, 0.4, 1000)
    truth = rng.random(1000) < clean
    flat = clean**0.4 / (clean**0.4 + (1 - clean) ** 0.4)
    said = {name: truth ^ (rng.random(1000) < 0.15) for name in ("label_ann", "label_bob")}
    wide = pd.DataFrame({"id": np.arange(1000), "p": flat, **said}).astype({"p": float})
    wide.to_csv("wide.csv", index=False)
    long = wide.melt(["id", "p"], var_name="who", value_name="label").sort_values("id")
    long.to_csv("long.csv", index=False)
    of_long = "--label label --pos-label True --item id --reviewer who"
    maps = []
    for source, names in (("wide", "--label 'label_*' --pos-label True"), ("long", of_long)):
        options = f"{source}.csv --score p {names}"
        assert run(["diagnose", *shlex.split(options), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["next"] == f"lwcal fit {options} --out calibrator.json"
        assert run([*shlex.split(told["next"])[1:], "--force"]) == 0
        capsys.readouterr()
        maps.append(lwcal.load("calibrator.json").predict([0.1, 0.6]))
    np.testing.assert_allclose(maps[0], maps[1], rtol=1e-12)


def test_several_classes(tmp_path, monkeypatch, capsys):
    """With a column of scores for each."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.full(3, 0.4), 300)
    truth = (rng.random((300, 1)) > scores.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    frame = pd.DataFrame(scores, columns=["p_0", "p_1", "p_2"])
    for name in "ab":
        frame[name] = np.where(rng.random(300) < 0.2, rng.integers(0, 3, 300), truth)
    frame.to_csv("rows.csv", index=False)
    call("diagnose rows.csv --score p_* --label a,b")
    shown = " ".join(capsys.readouterr().out.split())
    assert "top class wrong, calibrated" in shown
    assert "classes 3" in shown


def test_the_view_of_the_paper_needs_one_label(reviewed, capsys):
    """In one line."""
    assert call(f"diagnose {WIDE} --paper") == 2
    assert "--paper works with one label a row" in capsys.readouterr().err


def test_names_beside_one_label_a_row_decide_nothing(reviewed, capsys):
    """The message says what to omit."""
    assert call("diagnose once.csv --score p --label label --reviewer who --pos-label fraud") == 2
    assert "omit --item and --reviewer" in capsys.readouterr().err
