"""``lwcal decide``: costs in, thresholds out."""

import json

import duckdb
import pandas as pd
import pytest

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
