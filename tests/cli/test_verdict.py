"""The verdict in the terminal: its table, and the command that it proposes."""

import pytest

from lwcal.cli.verdict import next_command, readings_table
from lwcal.diagnosis import Reading, Readings, Recommendation
from lwcal.estimates import Estimate
from tests.cli.helpers import call


def test_the_proposed_command_is_one_that_exists(here):
    """`plan` takes the same rows and options as `serve`, and needs nobody to answer."""
    proposed = next_command(Recommendation("audit", "auto", "", 25), "scores.csv")
    words = proposed.split()
    assert words[:3] == ["lwcal", "audit", "serve"]
    assert call(" ".join(["audit", "plan", *words[3:], "--out", "sheet.csv"])) == 0
    with (here / "sheet.csv").open(encoding="utf-8-sig") as sheet:
        assert len(sheet.readlines()) == 1 + 25


@pytest.mark.parametrize("action", ["deploy", "keep raw", "check scores"])
def test_other_verdicts_propose_no_command(action):
    """There is nothing to check."""
    assert next_command(Recommendation(action, "identity", ""), "scores.csv") == ""


@pytest.mark.parametrize("fits", [True, False])
def test_the_short_table_is_the_beginning_of_the_long_one(fits):
    """It ends with the change of log loss."""
    one = Reading(0.4, 0.5, 0.4, Estimate(0.2, 0.1, 0.3), 0.9, 0.2, 0.1)
    both = Readings(0.5, 0.4, 0.41, 2.0, 1.0, one, one if fits else None)
    long, short = (readings_table(both, "labels", losses_only=only) for only in (False, True))
    assert short.row_count == 3
    for whole, part in zip(long.columns, short.columns, strict=True):
        assert list(whole.cells)[:3] == list(part.cells)
