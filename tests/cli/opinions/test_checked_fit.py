"""``lwcal fit --trusted`` with one label a row: Audited, its verdict, and how rows were chosen."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

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


@pytest.fixture
def sampled(tmp_path, monkeypatch):
    """One negative in ten is kept; 30% of the positives are labelled negative, and 1 in 20 checked.

    The score is right for all rows, of which 5% are positive.
    """
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    truth = rng.random(40_000) < 0.05
    score = expit(1.5 * (rng.normal(size=40_000) + 1.5 * truth) - 1.125 + logit(0.05))
    label = truth & (rng.random(40_000) >= 0.3)
    kept = label | (rng.random(40_000) < 0.1)
    frame = pd.DataFrame({"p": score, "label": label.astype(int)})[kept]
    frame["trusted"] = np.where(rng.random(len(frame)) < 0.05, truth[kept], np.nan)
    frame.to_csv("rows.csv", index=False)
    return frame


def test_rows_that_were_sampled_are_corrected_with_their_checked_labels(sampled, capsys):
    """As in Python: the checks say how many positives were left out as negatives."""
    line = f"{FIT} --sampling-rate-negatives 0.1"
    assert call(line) == 0
    captured = capsys.readouterr()
    assert "in the sampled rows" in captured.out
    assert "the verdict is that of the sampled rows" in " ".join(captured.err.split())
    expected = lwcal.shift.undo_sampling(in_python(sampled), 0.1)
    loaded = lwcal.load("c.json")
    np.testing.assert_allclose(loaded.predict(GRID), expected.predict(GRID), rtol=1e-9)
    assert call(f"{line} --json") == 0
    (change,) = told(capsys)["adjustments"]
    low, high = change["interval"]
    assert low < 0.05 < high
    assert low <= change["after"][1] <= high


def test_a_column_without_checks_leaves_the_sampling_to_the_labels(sampled, capsys):
    """It is the fit of one label a row, corrected as that is."""
    sampled.assign(trusted=np.nan).to_csv("rows.csv", index=False)
    assert call(f"{FIT} --sampling-rate-negatives 0.1") == 0
    fitted = lwcal.NoiseAware().fit(sampled["p"], sampled["label"])
    expected = lwcal.shift.undo_sampling(fitted, 0.1)
    np.testing.assert_allclose(lwcal.load("c.json").predict(GRID), expected.predict(GRID))


def test_sampling_needs_a_label_in_every_row(sampled, capsys):
    """A row with a checked label only was not sampled by a label."""
    place = sampled.index[sampled["trusted"].notna()][0]
    sampled.loc[place, "label"] = np.nan
    sampled.to_csv("rows.csv", index=False)
    assert call(f"{FIT} --sampling-rate-negatives 0.1") == 2
    assert "needs one label a row, by which" in " ".join(capsys.readouterr().err.split())


def test_options_that_checked_labels_leave_nothing_to_do_are_named(sampled, capsys):
    """There is one label a row, so that this is not the reason."""
    assert call(f"{FIT} --noise-rates 0.1,0.1") == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "--noise-rates does not work with --trusted; checked labels are fitted to by" in error


def test_one_share_is_too_little_for_several_classes(chosen_by_team, capsys):
    """In Python, a share of each can be given."""
    frame = chosen_by_team.rename(columns={"p": "p_1"}).assign(p_0=1.0 - chosen_by_team["p"])
    frame.to_csv("rows.csv", index=False)
    assert call(f"fit rows.csv {ENDS} --sampling-rate-negatives 0.1") == 2
    assert "needs one column of scores" in " ".join(capsys.readouterr().err.split())
