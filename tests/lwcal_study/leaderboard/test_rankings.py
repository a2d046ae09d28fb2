"""Tables of the leaderboard, against what can be counted by hand."""

import numpy as np
import pandas as pd
import pytest

from lwcal_study.environment import machine
from lwcal_study.leaderboard import explanations, figures, report
from lwcal_study.leaderboard.bootstrap import cluster_ratios
from lwcal_study.leaderboard.rankings import (
    Board,
    boards,
    breakdowns,
    failures,
    mean_ranks,
    ratios_by,
    summary,
    task_means,
    worst_places,
)

NLL = {"Raw": (0.4, 0.2), "Good": (0.2, 0.1), "Bad": (0.4, 0.6), "Oracle": (0.1, 0.1)}


@pytest.fixture
def known():
    """Two tasks; the first has two seeds, which count as one task all the same."""
    rows = [
        {
            "suite": "real",
            "part": "judged",
            "task": task,
            "learner": "Random Forest",
            "kind": "symmetric",
            "strength": "low",
            "seed": seed,
            "n_calibration": size,
            "contender": name,
            "oracle": name == "Oracle",
            "failure": "ValueError: no" if (name, task) == ("Bad", "b") else "",
            "nll": values["ab".index(task)],
            "ece": 0.1,
            "brier": 0.2,
            "auc": 0.7 if name == "Bad" else 0.8,
        }
        for task, seed, size in (("a", 0, 50), ("a", 1, 50), ("b", 0, 3000))
        for name, values in NLL.items()
    ]
    return pd.DataFrame(rows)


def test_every_task_counts_the_same(known):
    """The mean of the tasks' means, and its ratio to the raw score's."""
    table = summary(known)
    assert table.loc["Raw", "nll"] == pytest.approx(0.3)
    assert table.loc["Good", "nll_ratio"] == pytest.approx(0.5)
    assert table.loc["Bad", "nll_ratio"] == pytest.approx(0.5 / 0.3)
    assert table.index.tolist() == ["Good", "Raw", "Bad", "Oracle"]


def test_intervals_cover_the_tasks(known):
    """Drawing one task twice gives its own ratio: the ends of the interval."""
    table = summary(known)
    assert table.loc["Good", ["lower", "upper"]].tolist() == pytest.approx([0.5, 0.5])
    assert table.loc["Bad", ["lower", "upper"]].tolist() == pytest.approx([1.0, 3.0])


def test_worst_task_rank_auc_and_failures(known):
    """By hand; the oracle takes no place."""
    row = summary(known).loc["Bad"]
    assert (row["worst_ratio"], row["worst_task"]) == (pytest.approx(3.0), "b")
    assert row["auc_change"] == pytest.approx(-0.1)
    assert row["failures"] == 1
    assert mean_ranks(known).to_dict() == {"Raw": 2.25, "Good": 1.0, "Bad": 2.75}
    assert np.isnan(summary(known).loc["Oracle", "rank"])
    assert failures(known).to_numpy().tolist() == [["Bad", "ValueError: no", 1]]


def test_breakdowns_have_a_column_a_value(known):
    """Sizes from small to large; only those that occur."""
    found = breakdowns(known)
    assert found["by_size"].columns.tolist() == ["below 100", "above 2,000"]
    assert found["by_size"].loc["Bad"].tolist() == pytest.approx([1.0, 3.0])
    assert ratios_by(known, "kind").loc["Good", "symmetric"] == pytest.approx(0.5)
    assert breakdowns(known.assign(suite="paper")) == {}


def test_worst_places_name_task_and_noise(known):
    """And the share of places that were harmed."""
    row = worst_places(known).loc["Bad"]
    assert (row["task"], row["kind"], row["nll_ratio"]) == ("b", "symmetric", pytest.approx(3.0))
    assert row["harmed"] == 0.5
    assert "Raw" not in worst_places(known).index


def test_cluster_bootstrap_has_the_spread_of_clusters():
    """Ratios of two independent means: the interval is that of the delta method."""
    rng = np.random.default_rng(1)
    losses = np.column_stack([np.ones(400), 1 + 0.5 * rng.normal(size=400)])
    found = cluster_ratios(losses, baseline=0, n_resamples=4000)
    half = 1.96 * losses[:, 1].std() / 20
    assert found.estimate[1] == pytest.approx(losses[:, 1].mean())
    assert found.upper[1] - found.estimate[1] == pytest.approx(half, rel=0.08)
    assert found.estimate[1] - found.lower[1] == pytest.approx(half, rel=0.08)
    assert cluster_ratios(losses, 0).lower.tolist() == cluster_ratios(losses, 0).lower.tolist()


def test_boards_keep_parts_apart(frame):
    """Judged ones first."""
    found = list(boards(frame))
    assert [board.name for board in found] == ["real", "real-clean", "natural-development"]
    for board in found:
        assert set(board.frame["part"]) == {board.part}


def test_the_summary_is_of_the_measured_cells(frame):
    """A mean by hand, from the scores."""
    board = next(boards(frame))
    rows = board.frame[board.frame["contender"] == "Platt"]
    table = summary(board.frame)
    assert table.loc["Platt", "nll"] == pytest.approx(rows["nll"].astype(float).mean())
    assert task_means(board.frame, "ece").shape == (1, len(table))
    assert table.loc["Raw", "nll_ratio"] == 1


def test_headlines_say_no_more_than_the_tasks_allow(known):
    """Few tasks, no interval; nobody better than raw, no leader."""
    few = Board("real", "judged", known)
    assert "too few tasks" in explanations.headline(few, summary(known))
    more = [known.assign(task=known["task"] + str(k)) for k in range(3)]
    many = Board("real", "judged", pd.concat(more))
    line = explanations.headline(many, summary(many.frame))
    assert "Good has the lowest mean log loss, 0.500 " in line
    assert "0.500 to 0.500" in line
    alone = Board("real", "judged", known[known["contender"].isin(["Raw", "Bad", "Oracle"])])
    assert "no method" in explanations.headline(alone, summary(alone.frame))


def test_harm_is_named(known):
    """A method whose whole interval is above 1."""
    more = [known[known["task"] == "b"].assign(task=f"b{k}") for k in range(5)]
    board = Board("real", "judged", pd.concat(more))
    assert "above 1: Bad." in explanations.headline(board, summary(board.frame))


def test_failures_are_listed(known):
    """With their reasons, in the page."""
    run = {"quick": False, "date": "d", "command": "c", "cells": 3, "machine": "m"}
    known = known.assign(verdict="")
    page = report.report(known, {**run, "python": "3", "packages": {"numpy": "2"}}, "figures")
    assert "| Bad | ValueError: no | 1 |" in page
    assert "QUICK RUN" not in page


def test_far_ratios_are_drawn_at_the_edge(known):
    """With their value beside them."""
    known.loc[known["contender"] == "Bad", "nll"] = 5.0
    board = Board("real", "judged", known)
    (ax,) = figures.picture([(board, summary(known))]).axes
    assert "16.7" in [text.get_text() for text in ax.texts]
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == "Oracle"


def test_the_machine_is_described():
    """Cores and system."""
    assert " cores, " in machine()
