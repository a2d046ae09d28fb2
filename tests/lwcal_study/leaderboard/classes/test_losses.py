"""Shares of the gap, ratios and aims, on cells whose losses are known."""

import math

import pandas as pd
import pytest

from lwcal_study.leaderboard.classes import losses
from lwcal_study.leaderboard.classes.aims import AIMS, aim_rows, measured_aims
from lwcal_study.leaderboard.classes.methods import CLEAN_SCALINGS, ONE_AGAINST_REST, ORACLE
from lwcal_study.leaderboard.classes.report import results
from lwcal_study.leaderboard.classes.tables import clean_table, noisy_table

LOSSES = {
    "Raw": (1.0, 2.0, 3.0),
    "NoiseAware": (0.6, 1.2, 1.8),
    "Auto": (0.8, 1.6, 2.4),
    ONE_AGAINST_REST: (1.2, 2.4, 3.6),
    "MatrixScaling": (0.9, 1.8, 2.7),
    CLEAN_SCALINGS[0]: (0.5, 1.5, 2.0),
    CLEAN_SCALINGS[1]: (0.75, 1.0, 2.0),
    ORACLE: (0.5, 1.5, 1.0),
}
"""Losses of three tasks."""
RUN = {"quick": False, "date": "d", "command": "c", "cells": 3, "machine": "m"}


@pytest.fixture
def known():
    """One cell of each task in every suite; errors are a tenth of the losses."""
    rows = [
        {
            "suite": suite,
            "part": "judged",
            "task": f"task{k}",
            "learner": "Stump",
            "kind": kind,
            "strength": "low",
            "seed": 0,
            "contender": name,
            "oracle": name in CLEAN_SCALINGS,
            "failure": "",
            "nll": loss,
            "brier": loss,
            "top_label_ece": loss / 10,
            "mean_class_ece": loss / 10,
            "seconds": 0.5,
        }
        for suite, kind in (
            ("classes", "uniform"),
            ("classes-clean", "clean"),
            ("classes-natural", "natural"),
        )
        for name, of_tasks in LOSSES.items()
        for k, loss in enumerate(of_tasks)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def cells(known):
    """Log losses of the noisy cells."""
    return losses.by_cell(known[known["suite"] == "classes"], "nll")


def test_the_share_is_a_ratio_of_sums(cells):
    """Raw 6, the oracle 3: NoiseAware with 3.6 closes 0.8 of it, one that harms less than 0."""
    shares = losses.gap_closed(cells)
    assert shares["Raw"] == 0
    assert shares[ORACLE] == 1
    assert shares["NoiseAware"] == pytest.approx(0.8)
    assert shares[ONE_AGAINST_REST] == pytest.approx(-0.4)
    by_task = losses.gap_closed_by(cells, "task")
    assert by_task.loc["Auto"].tolist() == pytest.approx([0.4, 0.8, 0.3])
    assert losses.gaps_of_tasks(cells).tolist() == [0.5, 0.5, 2.0]


def test_without_a_gap_nothing_is_closed(cells):
    """Clean labels that do not help give no share, rather than a share of nothing."""
    cells[ORACLE] = cells["Raw"]
    assert losses.gap_closed(cells).isna().all()
    assert losses.gap_intervals(cells) is None


def test_an_interval_needs_five_tasks(known):
    """Tasks of equal shares have intervals without width."""
    noisy = known[known["suite"] == "classes"]
    assert losses.gap_intervals(losses.by_cell(noisy, "nll")) is None
    same = noisy[noisy["task"] == "task2"]
    many = pd.concat([same.assign(task=f"copy{k}") for k in range(5)])
    found = losses.gap_intervals(losses.by_cell(many, "nll"))
    place = list(losses.by_cell(many, "nll").columns).index("Auto")
    assert found.lower[place] == pytest.approx(0.3)
    assert found.upper[place] == pytest.approx(0.3)
    assert noisy_table(many).loc["Auto", "95% interval"] == "0.30 to 0.30"
    assert "95% interval" not in noisy_table(noisy)


def test_the_best_scaling_is_that_of_each_cell(cells):
    """0.5, 1.0 and 1.0, by three different scalings."""
    assert losses.best_scaling(cells).tolist() == [0.5, 1.0, 1.0]
    assert losses.to_best_scaling(cells)["Auto"].tolist() == pytest.approx([1.6, 1.6, 2.4])


def test_aims_are_measured_and_misses_are_plain(known):
    """Every aim, with its verdict; a missing share is a miss."""
    measured = {(aim.suite, aim.method, aim.what): value for aim, value in measured_aims(known)}
    assert len(measured) == len(AIMS) == 10
    by_words = {" ".join(row[:3]): row[3:] for row in aim_rows(known)}
    gap = "share of the gap closed"
    assert by_words[f"injected noise NoiseAware {gap}"] == ["at least 0.65", "0.800", "met"]
    assert by_words[f"injected noise Auto {gap}"] == ["at least 0.55", "0.400", "**missed**"]
    assert by_words[f"natural noise NoiseAware {gap}"] == ["at least 0.8", "0.800", "met"]
    error = "top-label ECE / that of Auto, one against the rest"
    assert by_words[f"injected noise NoiseAware {error}"] == ["at most 0.6", "0.500", "met"]
    assert by_words[f"injected noise Auto {error}"] == ["at most 0.6", "0.667", "**missed**"]
    mean = "log loss / best scaling on clean labels, mean"
    assert by_words[f"clean labels NoiseAware {mean}"] == ["at most 1.01", "1.400", "**missed**"]
    worst = "log loss / raw, worst cell"
    assert by_words[f"clean labels Auto {worst}"] == ["at most 1.15", "0.800", "met"]
    assert not any(aim.met(math.nan) for aim in AIMS)


def test_aims_of_suites_that_were_not_run_are_left_out(known):
    """Only what was measured is judged."""
    clean = known[known["suite"] == "classes-clean"]
    assert {row[0] for row in aim_rows(clean)} == {"clean labels"}


def test_tables_have_the_best_first_and_oracles_last(known):
    """With the cell in which a method does the most harm."""
    noisy = noisy_table(known[known["suite"] == "classes"])
    assert list(noisy.index[:3]) == ["NoiseAware", "Auto", "MatrixScaling"]
    assert set(noisy.index[-3:]) == set(CLEAN_SCALINGS)
    assert (
        noisy.loc[ONE_AGAINST_REST, "log loss / raw, worst"] == "1.20 (task0, Stump, uniform low)"
    )
    clean = clean_table(known[known["suite"] == "classes-clean"])
    assert clean.index[0] == "NoiseAware"
    assert clean.loc["Auto", "of sums"] == pytest.approx(4.8 / 2.5)
    assert clean.loc["Auto", "worst"] == "2.40 (task2, Stump, clean)"


def test_failures_and_missing_gaps_are_on_the_page(known):
    """In words."""
    known.loc[(known["contender"] == "Auto") & (known["task"] == "task0"), "failure"] = "Err: no"
    known.loc[known["contender"] == ORACLE, "nll"] = 9.0
    page = results(known, {**RUN, "python": "3", "packages": {"numpy": "2"}})
    assert "| Auto | Err: no | 3 |" in page
    assert "| share of the gap closed | at least 0.65 | nan | **missed** |" in page
    assert "no gap" in page
    assert "QUICK RUN" not in page
