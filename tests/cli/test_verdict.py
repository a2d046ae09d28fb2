"""What a verdict tells the reader to run next."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import lwcal
from lwcal.cli import NEGATIVE
from lwcal.cli.app import run
from lwcal.cli.request import RowsRequest
from lwcal.cli.verdict import commands_after, next_command, opinions_command
from lwcal.diagnosis import Recommendation


def test_the_next_command_is_one_that_exists(capsys):
    """Names of files may have blanks; an unknown option would be refused before the help."""
    command = next_command(Recommendation("audit", "auto", "", checks=40), ["my scores.csv"])
    program, *words = shlex.split(command)
    assert program == "lwcal"
    assert words[:3] == ["audit", "serve", "my scores.csv"]
    assert words[-1] == "40"
    assert run([*words, "--help"]) == 0
    assert run([*words, "--no-such-option", "--help"]) == 2
    capsys.readouterr()


def test_a_calibrator_to_deploy_is_fitted_next():
    """By its name; checked labels make it the fit to them."""
    rows = ["my scores.csv", "--score", "p"]
    for method, trusted, chosen in (
        ("auto", None, "--method auto"),
        ("auto", "checked", "--method auto"),
        ("audited", "checked", "--trusted checked"),
    ):
        found = next_command(Recommendation("deploy", method, ""), rows, trusted)
        assert found == f"lwcal fit 'my scores.csv' --score p {chosen} --out calibrator.json"


@pytest.mark.parametrize("action", ["keep raw", "check scores"])
def test_other_verdicts_have_no_next_command(action):
    """There is nothing to do, or nothing that a command does."""
    assert next_command(Recommendation(action, "identity", ""), ["scores.csv"]) == ""


def test_the_next_command_reads_the_same_rows():
    """From the same table, with the same columns."""
    rows = RowsRequest("a.duckdb", score="s", label="y", table="new rows", form=None)
    command = next_command(Recommendation("audit", "auto", "", checks=40), rows.again())
    assert command == (
        "lwcal audit serve a.duckdb --score s --label y --table 'new rows' --budget 40"
    )


def test_the_command_for_second_opinions(here, capsys):
    """It reads the same rows, runs as it stands, and is printed and told to programs."""
    found = Recommendation("audit", "auto", "", checks=10, second_opinions=20)
    rows = RowsRequest(source="scores.csv", label="label", pos_label="1")
    command = shlex.split(opinions_command(found, rows.again()))
    assert run(command[1:]) == 0
    assert "20 rows for another reviewer" in capsys.readouterr().out
    assert opinions_command(Recommendation("audit", "auto", "", checks=10), rows.again()) == ""
    assert run(["diagnose", "scores.csv"]) == NEGATIVE
    (told,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Or: "))
    assert run(["diagnose", "scores.csv", "--json"]) == NEGATIVE
    assert told == f"Or: {json.loads(capsys.readouterr().out)['or']}"
    assert told.startswith("Or: lwcal opinions plan scores.csv --n ")


DEPLOY = Recommendation("deploy", "auto", "")
CHECK = Recommendation("audit", "auto", "", checks=40, second_opinions=80)


def test_the_fit_that_follows_counts_rows_as_the_verdict_did():
    """With their weights, without invalid rows, and with labels that are final."""
    rows = RowsRequest("scores.csv", weight="sample w", drop_invalid=True, allow_drop_share=0.7)
    assert commands_after(DEPLOY, rows).next == (
        "lwcal fit scores.csv --weight 'sample w' --allow-drop-share 0.7 --drop-invalid "
        "--method auto --out calibrator.json"
    )
    timed = RowsRequest("scores.csv", time="day", label_matures=20.0)
    assert "--time day --label-matures 20 " in commands_after(DEPLOY, timed).next


def test_rows_with_weights_are_not_sent_to_an_audit(here):
    """It would count each once, and fit a calibrator to other base rates."""
    found = commands_after(CHECK, RowsRequest("scores.csv", weight="w"))
    assert found.next == "lwcal diagnose scores.csv --weight w --trusted COLUMN"
    assert found.instead == ""
    assert "Check 40 rows drawn at random" in found.before
    assert commands_after(CHECK, RowsRequest("scores.csv")).before == ""
    invalid = commands_after(CHECK, RowsRequest("scores.csv", drop_invalid=True))
    assert "no invalid rows" in invalid.before


def test_the_command_after_a_verdict_on_weighted_rows_gives_the_calibrator_of_the_verdict(
    here, capsys
):
    """All positives and a tenth of the negatives: without weights, the base rate is another."""
    rng = np.random.default_rng(0)
    logits = rng.normal(-3.0, 1.5, 30000)
    labels = rng.random(30000) < expit(logits)
    kept = labels | (rng.random(30000) < 0.1)
    scores, labels = expit(1.4 * logits + 1.0)[kept], labels[kept]
    weights = np.where(labels, 1.0, 10.0)
    weights /= weights.mean()
    frame = pd.DataFrame({"score": scores, "label": labels.astype(int), "w": weights})
    frame.to_csv("rows.csv", index=False)
    assert run(["diagnose", "rows.csv", "--weight", "w"]) == 0
    (told,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Next: "))
    assert run(shlex.split(told)[2:]) == 0
    p = lwcal.load("calibrator.json").predict(scores)
    assert np.average(p, weights=weights) == pytest.approx(
        np.average(labels, weights=weights), rel=0.1
    )
