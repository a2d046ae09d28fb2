"""``lwcal fit --trusted`` with one label a row: Audited, its verdict, and how rows were chosen."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call

N = 3000
GRID = np.linspace(0.01, 0.99, 9)
FIT = "fit rows.csv --score p --label label --trusted trusted --out c.json --force"
ENDS = "--score p_* --label label --trusted trusted --out c.json --force"


@pytest.fixture
def chosen_by_team(tmp_path, monkeypatch):
    """Two teams label; the worse one is checked ten times as often, and the file says so."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"p": rng.beta(0.6, 0.6, N).round(4)})
    truth, worse = rng.random(N) < frame["p"], rng.random(N) < 0.3
    frame["label"] = (truth ^ (rng.random(N) < np.where(worse, 0.4, 0.02))).astype(int)
    frame["audit_probability"] = np.where(worse, 0.2, 0.02)
    checked = rng.random(N) < frame["audit_probability"]
    frame["trusted"] = np.where(checked, truth.astype(float), np.nan)
    frame.to_csv("rows.csv", index=False)
    return frame


def told(capsys):
    """What a command printed for programs."""
    return json.loads(capsys.readouterr().out)


def in_python(frame, **options):
    """The fit of the same rows in memory."""
    return lwcal.Audited().fit(frame["p"], frame["label"], y_audited=frame["trusted"], **options)


def test_rows_are_weighted_by_how_they_were_chosen(chosen_by_team, capsys):
    """Otherwise the labels of the team that is checked more often stand for all."""
    assert call(f"{FIT} --json") == 0
    found, fitted = told(capsys), lwcal.load("c.json")
    expected = in_python(
        chosen_by_team, audit_probability=chosen_by_team["audit_probability"].to_numpy()
    )
    np.testing.assert_array_equal(fitted.predict(GRID), expected.predict(GRID))
    assert (found["method"], found["checked"]) == ("audited", chosen_by_team["trusted"].count())
    assert found["diagnostics"] == expected.diagnostics_
    unweighted = in_python(chosen_by_team)
    assert fitted.diagnostics_["wrong"] < 0.2 < unweighted.diagnostics_["wrong"]


def test_the_verdict_is_that_of_diagnose(chosen_by_team, capsys):
    """Also on the screen."""
    assert call(f"{FIT} --json") == 0
    advice = told(capsys)["advice"]
    chances = chosen_by_team["audit_probability"].to_numpy()
    columns = chosen_by_team["p"], chosen_by_team["label"]
    expected = lwcal.diagnose(
        *columns, y_audited=chosen_by_team["trusted"], audit_probability=chances, methods=[]
    )
    assert advice == expected.recommendation.sentence
    assert call(FIT) == 0
    assert " ".join(advice.split()) in " ".join(capsys.readouterr().out.split())


def test_without_the_column_counts_are_enough(chosen_by_team, capsys):
    """The same fit as in memory, and the same verdict."""
    frame = chosen_by_team.drop(columns="audit_probability")
    frame.to_csv("rows.csv", index=False)
    assert call(f"{FIT} --json") == 0
    np.testing.assert_allclose(
        lwcal.load("c.json").predict(GRID), in_python(frame).predict(GRID), rtol=1e-9
    )
    expected = lwcal.diagnose(frame["p"], frame["label"], y_audited=frame["trusted"], methods=[])
    assert told(capsys)["advice"] == expected.recommendation.sentence


def test_where_single_rows_are_not_available_a_note_says_what_is_assumed(chosen_by_team, capsys):
    """The probabilities belong to single rows."""
    assert call(f"{FIT} --drop-invalid") == 0
    assert "audit_probability is not used" in capsys.readouterr().err
    np.testing.assert_allclose(
        lwcal.load("c.json").predict(GRID), in_python(chosen_by_team).predict(GRID), rtol=1e-9
    )


@pytest.mark.parametrize("known", [True, False])
def test_several_classes(tmp_path, monkeypatch, capsys, known):
    """With the probabilities if the file has them, and a verdict."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(3), 600).round(3)
    scores[:, 2] = 1.0 - scores[:, :2].sum(axis=1)
    truth = (scores.cumsum(axis=1) > rng.random((600, 1))).argmax(axis=1)
    wrong = rng.random(600) < 0.2
    words = np.array(["cat", "dog", "owl"])
    frame = pd.DataFrame(scores, columns=[f"p_{word}" for word in words])
    frame["label"] = words[np.where(wrong, (truth + 1) % 3, truth)]
    chance = np.where(wrong, 0.3, 0.1)
    checked = rng.random(600) < chance
    frame["trusted"] = np.where(checked, words[truth], None)
    if known:
        frame["audit_probability"] = chance
    frame.to_csv("rows.csv", index=False)
    assert call(f"fit rows.csv {ENDS} --json") == 0
    expected = lwcal.Audited().fit(
        scores,
        frame["label"],
        classes=words.tolist(),
        y_audited=frame["trusted"],
        audit_probability=chance if known else None,
    )
    fitted, found = lwcal.load("c.json"), told(capsys)
    np.testing.assert_allclose(fitted.predict(scores), expected.predict(scores), rtol=1e-6)
    judged = lwcal.diagnose(
        scores,
        frame["label"],
        classes=words.tolist(),
        y_audited=frame["trusted"],
        audit_probability=chance if known else None,
        methods=[],
    )
    assert found["advice"] == judged.recommendation.sentence


def test_a_sample_stays_one(chosen_by_team, capsys, monkeypatch):
    """The file says of how many rows; weights by chance need all of them, and take all."""
    monkeypatch.setattr("lwcal.cli.opinions.counts.LIMIT", 500)
    assert call(FIT) == 0
    assert lwcal.load("c.json").sampled_from_ is None
    chosen_by_team.drop(columns="audit_probability").to_csv("rows.csv", index=False)
    assert call(FIT) == 0
    assert "sample: " in capsys.readouterr().err
    assert lwcal.load("c.json").sampled_from_ == N
