"""``lwcal decide``: costs in, thresholds out."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import lwcal
from tests.cli.helpers import call


@pytest.fixture
def ready(here):
    """A fitted calibrator beside the rows."""
    assert call("fit scores.csv --method noise-aware --out c.json") == 0
    return here


def test_the_policy_is_that_of_python(ready, capsys):
    """For people and for programs."""
    assert call("decide c.json scores.csv --cost-false-negative 5 --capacity 0.1") == 0
    assert "review" in capsys.readouterr().out
    line = "decide c.json scores.csv --cost-false-negative 5 --capacity 0.1 --json"
    assert call(line) == 0
    found = json.loads(capsys.readouterr().out)
    frame = pd.read_csv("scores.csv")
    policy = lwcal.decide(
        lwcal.load("c.json"), frame.score, frame.label, cost_false_negative=5.0, capacity=0.1
    )
    assert found["low"] == pytest.approx(policy.low)
    assert found["noise_holds"]["value"] == pytest.approx(policy.noise_holds.value)


def test_labels_are_not_needed(ready, capsys):
    """Then there is one cost, by the calibrated probabilities."""
    pd.read_csv("scores.csv")[["score"]].to_csv("new.csv", index=False)
    assert call("decide c.json new.csv --json") == 0
    assert json.loads(capsys.readouterr().out)["labels_right"] is None


def test_sql_is_printed_alone(ready, capsys):
    """With the column that was found."""
    frame = pd.read_csv("scores.csv").rename(columns={"score": "fraud_score"})
    frame.to_csv("renamed.csv", index=False)
    assert call("decide c.json renamed.csv --capacity 0.1 --sql duckdb") == 0
    expression = capsys.readouterr().out
    found = duckdb.sql(f"SELECT {expression} AS decision FROM 'renamed.csv'").df()
    assert set(found.decision) == {"negative", "review", "positive"}


@pytest.mark.parametrize(
    "options", ["--capacity 2", "--cost-false-positive 0", "--sql mongo", "--cost-review 1"]
)
def test_impossible_calls_are_refused(ready, options):
    """Before anything is printed."""
    assert call(f"decide c.json scores.csv {options}") == 2


@pytest.fixture
def lost(tmp_path, monkeypatch):
    """Rows of a right score, of which 30% of the positives are labelled negative."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.05
    evidence = rng.normal(size=20_000) + 1.5 * truth
    score = expit(1.5 * evidence - 1.125 + logit(0.05))
    given = truth & (rng.random(20_000) >= 0.3)
    frame = pd.DataFrame({"score": score, "label": given.astype(int), "truth": truth.astype(int)})
    frame[["score", "label"]].to_csv("lost.csv", index=False)
    frame[["score", "truth"]].to_csv("right.csv", index=False)
    return frame


def test_labels_that_have_to_be_checked_come_before_the_costs(lost, capsys):
    """As the verdict on the same labels says; the costs do not change."""
    assert call("fit lost.csv --out c.json") == 0
    capsys.readouterr()
    line = "decide c.json lost.csv --cost-false-negative 20 --capacity 0.02"
    assert call(line) == 0
    told = " ".join(capsys.readouterr().out.split())
    asked = lwcal.diagnose(lost.score, lost.label).recommendation.headline
    assert told.startswith(f"{asked}. Until then, nothing confirms the probabilities")
    assert told.index("Do not set a threshold") < told.index("Expected cost")
    assert call(f"{line} --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["warning"].startswith(asked)
    policy = lwcal.decide(
        lwcal.load("c.json"), lost.score, lost.label, cost_false_negative=20.0, capacity=0.02
    )
    assert document["sentence"] == policy.sentence
    assert call(f"{line} --sql duckdb") == 0
    sql = capsys.readouterr()
    assert "Do not set a threshold" in " ".join(sql.err.split())
    assert "threshold" not in sql.out


def test_labels_that_confirm_the_probabilities_need_no_warning(lost, capsys):
    """Nor do rows without labels."""
    assert call("fit right.csv --label truth --out c.json") == 0
    lost[["score"]].to_csv("new.csv", index=False)
    capsys.readouterr()
    for file in ("right.csv --label truth", "new.csv"):
        assert call(f"decide c.json {file} --cost-false-negative 20 --json") == 0
        assert json.loads(capsys.readouterr().out)["warning"] is None


@pytest.mark.parametrize("known", ["checks", "opinions", "rates of sampled rows"])
def test_a_calibrator_that_knows_more_than_the_labels_is_not_asked_for_checks(lost, known, capsys):
    """Checked labels, several opinions, or flip rates that were known before sampling."""
    scores, labels = lost.score.to_numpy(), lost.label.to_numpy()
    if known == "checks":
        checked = np.where(np.arange(20_000) < 3000, lost.truth, np.nan)
        fitted = lwcal.Audited().fit(scores, labels, y_audited=checked)
    elif known == "opinions":
        fitted = lwcal.Reviewed().fit(scores, np.column_stack([labels, labels, lost.truth]))
    else:
        kept = (labels == 1) | (np.arange(20_000) % 20 == 0)  # more wrong positives than in all
        known_rates = lwcal.NoiseAware(noise_rates=(0.1, 0.02)).fit(scores[kept], labels[kept])
        fitted = lwcal.shift.undo_sampling(known_rates, 0.05)
    lwcal.save(fitted, "c.json")
    assert call("decide c.json lost.csv --json") == 0
    assert json.loads(capsys.readouterr().out)["warning"] is None


def test_labels_of_one_class_are_not_judged(lost, capsys):
    """They say nothing of the probabilities."""
    assert call("fit right.csv --label truth --out c.json") == 0
    lost[lost.label == 0][["score", "label"]].to_csv("negative.csv", index=False)
    capsys.readouterr()
    assert call("decide c.json negative.csv --json") == 0
    assert json.loads(capsys.readouterr().out)["warning"] is None


def test_flip_rates_that_are_impossible_for_the_rows_are_said(lost, capsys):
    """The costs are printed all the same."""
    frequent = lost[(lost.label == 1) | (lost.index % 20 == 0)]
    fitted = lwcal.NoiseAware(noise_rates=(0.1, 0.02)).fit(frequent.score, frequent.label)
    lwcal.save(fitted, "c.json")
    assert call("decide c.json lost.csv") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("The labels do not suit the calibrator: expected a share of positive")
    assert "Expected cost a row" in told
