"""Shares of the gap, hours, coverage and aims, on cells whose losses are known."""

import math

import pandas as pd
import pytest

from lwcal_study.leaderboard.classes.losses import by_cell
from lwcal_study.leaderboard.grid import OPINION_KINDS
from lwcal_study.leaderboard.opinions import losses
from lwcal_study.leaderboard.opinions.aims import AIMS, aim_rows
from lwcal_study.leaderboard.opinions.figures import draw
from lwcal_study.leaderboard.opinions.hours import EXPERT, SECOND, opinions_worth, work
from lwcal_study.leaderboard.opinions.methods import (
    AUTO,
    CLEAN,
    RAW_SCORES,
    THRICE,
    TWICE,
    audited,
    methods_of,
    reviewed,
    voted,
)
from lwcal_study.leaderboard.opinions.report import results
from lwcal_study.leaderboard.opinions.tables import consensus_table, lost_cells
from lwcal_study.leaderboard.opinions.ways import Asked
from lwcal_study.opinions.cells import HARD, INDEPENDENT, RATERS

GAPS = {
    RAW_SCORES.name: -0.5,
    AUTO.name: 0.0,
    reviewed(Asked(100)).name: 0.4,
    reviewed(TWICE).name: 0.7,
    reviewed(THRICE).name: 0.75,
    audited(50).name: 0.4,
    audited(200).name: 0.9,
    CLEAN.name: 1.0,
}
"""Shares of the gap; others close a tenth of it."""
RUN = {
    "quick": False,
    "date": "d",
    "command": "c",
    "cells": 3,
    "machine": "m",
    "python": "3",
    "packages": {"numpy": "2"},
}


def one_row(method, kind, n_classes, task):
    """A result whose log loss follows from the share of the gap."""
    is_reviewed = method.way == "Reviewed"
    return {
        "suite": "opinions",
        "part": "judged",
        "task": task,
        "learner": "Stump",
        "kind": OPINION_KINDS[kind][0],
        "strength": "s",
        "seed": 0,
        "n_classes": n_classes,
        "contender": method.name,
        "oracle": method.oracle,
        "failure": "",
        "nll": 1.0 - 0.2 * GAPS.get(method.name, 0.1),
        "top_label_ece": 0.1,
        "extra": method.asked.extra(1000),
        "covered": 0.9 if is_reviewed and kind != RATERS else None,
        "covered_classes": 0.8 if is_reviewed and kind != RATERS else None,
        "warned": float(kind == HARD) if is_reviewed else None,
        "consensus_accuracy": 0.9 if is_reviewed else 0.8,
        "consensus_nll": 0.3 if is_reviewed else 0.2,
        "seconds": 0.5,
    }


@pytest.fixture
def known():
    """Two tasks of each number of classes for each kind of reviewers."""
    return pd.DataFrame(
        [
            one_row(method, kind, n_classes, f"{kind}{n_classes}{k}")
            for kind in (INDEPENDENT, HARD, RATERS)
            for n_classes in (2, 5)
            for k in range(2)
            for method in methods_of(kind, n_classes)
        ]
    )


@pytest.fixture
def two(known):
    """Cells of two classes with independent errors."""
    return losses.cells_of(known, OPINION_KINDS[INDEPENDENT][0], losses.TWO)


def test_the_gap_is_from_auto_on_one_label_to_clean_labels(two):
    """Raw is below zero, and who sees clean labels is at one."""
    shares = losses.gap_closed(by_cell(two, "nll"))
    for name, share in GAPS.items():
        assert shares[name] == pytest.approx(share), name


def test_without_a_gap_nothing_is_closed(two):
    """Clean labels that do not help give no share, rather than a share of nothing."""
    found = by_cell(two, "nll")
    found[CLEAN.name] = found[AUTO.name]
    assert losses.gap_closed(found).isna().all()
    assert losses.gap_intervals(found) is None


def test_an_interval_needs_five_tasks(two):
    """Tasks of equal shares have intervals without width."""
    assert losses.gap_intervals(by_cell(two, "nll")) is None
    same = two[two["task"] == "independent20"]
    many = by_cell(pd.concat([same.assign(task=f"copy{k}") for k in range(5)]), "nll")
    found = losses.gap_intervals(many)
    place = list(many.columns).index(reviewed(TWICE).name)
    assert found.lower[place] == pytest.approx(0.7)
    assert found.upper[place] == pytest.approx(0.7)


def test_hours_are_labels_times_minutes(two, tmp_path):
    """100 opinions of a minute, 50 checks of five."""
    lines = work(two)
    assert lines.loc[reviewed(Asked(100)).name, "hours"] == pytest.approx(100 / 60)
    assert lines.loc[audited(50).name, "hours"] == pytest.approx(250 / 60)
    assert set(lines["asked"]) == {SECOND, EXPERT}
    first = draw(lines, tmp_path / "a").read_bytes()
    assert first == draw(lines, tmp_path / "b").read_bytes()


def test_what_a_checked_label_is_worth_in_opinions(two):
    """50 checked close 0.4, as do 100 second opinions; what 200 close, none does."""
    lines = work(two)
    assert opinions_worth(lines, audited(50).name) == pytest.approx(2.0)
    assert math.isnan(opinions_worth(lines, audited(200).name))
    lines.loc[audited(50).name, "gap closed"] = -0.1
    assert opinions_worth(lines, audited(50).name) == 0


def test_aims_are_measured_and_misses_are_plain(known):
    """Every aim with its verdict."""
    found = {(row[0], row[1]): row[2:] for row in aim_rows(known)}
    assert len(found) == len(AIMS)
    independent, hard, people = (OPINION_KINDS[kind][0] for kind in (INDEPENDENT, HARD, RATERS))
    gap = "gap closed, two classes,"
    assert found[independent, f"{gap} 100 rows twice"] == ["at least 0.35", "0.400", "met"]
    assert found[independent, f"{gap} every row twice"] == ["at least 0.65", "0.700", "met"]
    three = found[independent, f"{gap} every row three times"]
    assert three == ["at least 0.8", "0.750", "**missed**"]
    coverage = "coverage of 90% intervals of error rates, every row twice"
    assert found[independent, coverage] == ["0.86 to 0.94", "0.900", "met"]
    warned = "data sets with a warning, every row twice"
    assert found[hard, warned] == ["at least 0.9", "1.000", "met"]
    log_loss = "log loss / majority vote and scaling, worst task, every row three times"
    assert found[people, log_loss][2] == "met"
    right = "consensus accuracy - best rival, worst task, every row three times"
    assert found[people, right] == ["at least 0", "0.100", "met"]
    sure = "consensus log loss / best rival, worst task, every row three times"
    assert found[people, sure] == ["at most 1", "1.500", "**missed**"]
    assert not any(aim.met(math.nan) for aim in AIMS)


def test_what_was_not_run_is_not_measured(known):
    """A run without real people, or without crowd-kit, says so."""
    simulated = known[known["kind"] != OPINION_KINDS[RATERS][0]]
    rows = [row for row in aim_rows(simulated) if row[0] == OPINION_KINDS[RATERS][0]]
    assert {row[3] for row in rows} == {"not measured"}
    without = known[~known["contender"].str.startswith("Dawid")]
    assert "crowd-kit was not installed" in results(without, RUN, "figures")


def test_losing_cells_are_on_the_page(known):
    """Counted, with the worst of them."""
    name = reviewed(THRICE).name
    worst = (known["contender"] == name) & (known["task"] == "raters20")
    known.loc[worst, "nll"] = 2 * known.loc[known["contender"] == voted(THRICE).name, "nll"].iloc[0]
    place = "real people, every row three times, against Majority vote and scaling"
    assert lost_cells(known).loc[place].tolist() == ["1 of 4", "2.00 (raters20, Stump)"]
    known.loc[worst, "failure"] = "Err: no"
    page = results(known, RUN, "figures")
    assert f"| {place} | 1 of 4 | 2.00 (raters20, Stump) |" in page
    assert f"| {name} | Err: no | 1 |" in page
    assert "QUICK RUN" not in page


def test_consensus_of_tasks_without_judges_is_left_out(known):
    """A missing value is no zero."""
    known.loc[known["task"] == "raters50", ["consensus_accuracy", "consensus_nll"]] = None
    table = consensus_table(known, THRICE)
    assert "raters50" not in table.index
    assert table.loc["raters20", "accuracy: Reviewed"] == pytest.approx(0.9)
