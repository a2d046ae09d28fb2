"""What the verdict says after an audit, counted."""

import pandas as pd

from lwcal_study.leaderboard.rankings import Board
from lwcal_study.leaderboard.verdicts import AUDITED, HEADER, RAW, verdict_rows


def board(actions, ratios):
    """A board whose raw score has a log loss of 0.5 everywhere."""
    lines = []
    for seed, (action, ratio) in enumerate(zip(actions, ratios, strict=True)):
        cell = {"task": "a", "learner": "b", "kind": "c", "strength": "low", "seed": seed}
        lines.append({**cell, "contender": RAW, "nll": 0.5, "verdict": ""})
        lines.append({**cell, "contender": AUDITED, "nll": 0.5 * ratio, "verdict": action})
    return Board("real", "judged", pd.DataFrame(lines))


def test_actions_are_counted_with_what_they_cost():
    """Changes below 2% do not matter."""
    actions = ["deploy", "deploy", "deploy", "keep raw", "keep raw", "audit", "check scores"]
    ratios = [0.8, 1.01, 1.3, 0.99, 0.7, 0.5, 1.0]
    (line,) = verdict_rows([board(actions, ratios)])
    assert line == ["Real tasks, injected noise", "7", "3", "1", "1.30", "2", "1", "2"]
    assert len(line) == len(HEADER)


def test_runs_without_verdicts_have_no_line():
    """Many classes, and runs of an earlier version."""
    assert verdict_rows([board(["", ""], [0.8, 1.2])]) == []
