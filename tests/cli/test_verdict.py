"""What a verdict tells the reader to run next."""

import json
import shlex

import pytest

from lwcal.cli import NEGATIVE
from lwcal.cli.app import run
from lwcal.cli.request import RowsRequest
from lwcal.cli.verdict import next_command, opinions_command
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
